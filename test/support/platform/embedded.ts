import { expect } from 'chai';
import type { EmbeddedParts } from '../../../adapters/embedded/index.js';

/** The process ids of running parts. */
export function pidsOf(parts: EmbeddedParts): number[] {
  return [parts.postgres, parts.redis, parts.asterisk].map((part) => part!.pid);
}

/** Whether PostgreSQL, Redis and Asterisk were already running. */
export function adoptedOf(parts: EmbeddedParts): boolean[] {
  return [parts.postgres, parts.redis, parts.asterisk].map((part) => part!.adopted);
}

/** Sends a request to the parts' Asterisk; it must succeed. @returns the response, if any */
export async function askAri(parts: EmbeddedParts, method: string, path: string, body?: unknown): Promise<unknown> {
  const { url, user, password } = parts.asterisk!.ari;
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.ok, `${method} ${path}: ${response.status}`).to.equal(true);
  return response.status === 204 ? undefined : response.json();
}

/** Creates or replaces an object of res_pjsip. */
export async function pushSip(
  parts: EmbeddedParts,
  type: string,
  id: string,
  fields: Record<string, string>,
): Promise<void> {
  await askAri(parts, 'PUT', `/asterisk/config/dynamic/res_pjsip/${type}/${id}`, {
    fields: Object.entries(fields).map(([attribute, value]) => ({ attribute, value })),
  });
}
