import { z } from 'zod';
import { defineNode, membersOf } from '../parts/descriptor.js';
import { link, template, templateValue, variableName } from '../parts/fields.js';
import { optionalLink, requiredLink } from '../parts/links.js';
import { parsePath } from '../parts/value-path.js';

export const HTTP_DEFAULTS = { timeout_seconds: 5, retries: 1 } as const;

/** Headers that the platform or the HTTP client sets. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
]);

/** Sends a signed POST request with a JSON body to a system of the customer. */
export const http = defineNode({
  schema: z.strictObject({
    type: z.literal('http'),
    url: z.string().min(1).max(2048).describe('https; may contain `{{variables}}` after the host'),
    headers: z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/), template).optional(),
    body: z
      .record(z.string().min(1).max(64), templateValue)
      .optional()
      .describe('Additional members of the request’s body, as `data.input`'),
    timeout_seconds: z.int().min(1).max(10).optional(),
    retries: z.int().min(0).max(3).optional(),
    response: z
      .record(variableName, z.string().min(1).max(255))
      .optional()
      .describe('Variables, each with the path of its value in the response: `customer.tier`, `orders[0].id`'),
    next: link.optional(),
    failed: link.optional().describe('Followed if no 2xx response arrives in time; `next` by default'),
  }),
  resultVariables: ['http_status'],
  script: {
    http: z
      .array(
        z.union([
          z.strictObject({ status: z.int().min(100).max(599), body: z.unknown().optional() }),
          z.strictObject({ failure: z.literal('timeout') }),
        ]),
      )
      .max(100)
      .optional()
      .describe('Responses to the requests of `http` nodes; a failure after the last'),
  },
  links: ({ next, failed }) => [requiredLink('next', next), ...optionalLink('failed', failed)],
  templates: ({ url, headers, body }) => [['url', url], ...membersOf('headers', headers), ...membersOf('body', body)],
  check({ url, headers, response = {} }, checker) {
    if (!isAddress(url)) checker.fault('bad_url', 'url');
    for (const name of Object.keys(headers ?? {})) {
      if (RESERVED_HEADERS.has(name.toLowerCase())) checker.fault('bad_header', 'headers', name);
    }
    checker.variables(Object.keys(response), 'response');
    for (const [name, path] of Object.entries(response)) {
      if (parsePath(path) === null) checker.fault('bad_path', `response.${name}`, path);
    }
  },
});

/** Variables are not allowed in the host, so that the author of the flow alone decides which host receives the request. */
function isAddress(url: string): boolean {
  const [, origin] = /^(https?:\/\/[^/?#]+)/i.exec(url) ?? [];
  if (origin === undefined || /[{}@]/.test(origin) || !URL.canParse(url)) return false;
  // Plain http is for trials on the same machine; if the installation does not allow it, the request fails.
  return /^https:/i.test(origin) || /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(origin);
}
