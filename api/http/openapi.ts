import { z } from 'zod';
import { tagsOf } from '../document/tags.js';
import { errorExample, scimErrorExample } from '../examples/errors.js';
import { EXAMPLES } from '../examples/examples.js';
import { DEMO_REQUESTS, OTHER_REQUESTS } from '../examples/requests.js';
import { ERROR_CODES, errorRow, type ErrorCode } from '../../core/model/errors/index.js';
import { featureOf } from '../../core/model/events/features.js';
import { definitionOf, EVENT_TYPES, eventDataSchema } from '../../core/model/events/index.js';
import { envelopeShape, exampleMessage } from '../../core/model/events/definition.js';
import { timeOutput } from '../../core/model/objects/fields.js';
import { describeSlots } from '../../core/model/wording/wording.js';
import { JsonSchemas, type JsonSchema } from './schema/json-schema.js';
import type { ResponseSpec } from './reply.js';
import { SCIM_MEDIA_TYPE, scimErrorSchema } from './scim/form.js';
import { codesOf, COMMON_CODES, rolesOf, simulationsOf, type Route } from './route.js';
import { CALLER_PARAMETERS, callerParametersOf, SECURITY_SCHEMES, securityOf } from './security.js';
import { SIMULATE_HEADER } from './simulate.js';

export interface OpenApiOptions {
  readonly routes: readonly Route[];
  readonly version: string;
  readonly serverUrl: string;
}

type Node = Readonly<Record<string, unknown>>;

/** Headers of every answer. */
const HEADERS: Readonly<Record<string, string>> = {
  'X-Request-Id': 'ID of the request: your own if you sent a well-formed one, otherwise a generated one',
  'X-RateLimit-Limit': 'Requests allowed in the window',
  'X-RateLimit-Remaining': 'Requests left in the window',
  'X-RateLimit-Reset': 'Seconds until one more request is allowed',
  'RateLimit-Policy': 'The limit that applies, in the format of the IETF draft',
  RateLimit: 'The remaining allowance, in the format of the IETF draft',
};

/** The OpenAPI 3.1 document, derived only from the route definitions. */
export function openApiDocument({ routes, version, serverUrl }: OpenApiOptions): Node {
  const schemas = new JsonSchemas();
  const paths: Record<string, Record<string, Node>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route, schemas);
  }
  const errorEnvelope = schemas.of(envelope, 'output');
  return {
    openapi: '3.1.0',
    info: { title: 'Hatif', version, description: DESCRIPTION },
    servers: [{ url: serverUrl }],
    tags: tagsOf(routes.map(({ tag }) => tag)),
    paths,
    webhooks: webhooks(schemas),
    components: {
      schemas: { ...schemas.components, Error: errorEnvelope },
      responses: {
        ...Object.fromEntries(COMMON_CODES.map((code) => [code, errorResponse([code])])),
        METHOD_NOT_ALLOWED: { ...errorResponse(['NOT_FOUND']), headers: allow },
      },
      examples: Object.fromEntries(
        ERROR_CODES.map((code) => [code, { summary: meaningOf(code), value: errorExample(code) }]),
      ),
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
      ),
      parameters: { IdempotencyKey: idempotencyKey, RequestId: requestId, ...CALLER_PARAMETERS },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const envelope = z.strictObject({
  error_code: z.enum(ERROR_CODES),
  message: z.string().describe('What happened, in English'),
  message_ar: z.string().describe('The same in Arabic'),
  request_id: z.string(),
  docs_url: z.string().meta({ format: 'uri', description: 'URL of the page that explains the code' }),
  details: z
    .array(z.strictObject({ path: z.string(), message: z.string(), message_ar: z.string().optional() }))
    .optional()
    .describe('The invalid fields of a request'),
});

/** Of an answer with status 405. */
const allow: Node = {
  Allow: { description: 'The methods that the path has', schema: { type: 'string' } },
};

const idempotencyKey: Node = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a retry safe: for 24 hours, a request with the same key and body gets the first answer again, with ' +
    '`Idempotent-Replayed: true`.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_:-]{1,255}$' },
};

const requestId: Node = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description: 'Your own ID for this request, repeated in answers, logs and webhooks.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
};

/** Every event, as a request from Hatif to a webhook endpoint (OpenAPI 3.1, `webhooks`). */
function webhooks(schemas: JsonSchemas): Record<string, Node> {
  const operations = EVENT_TYPES.map((type): [string, Node] => {
    const definition = definitionOf(type);
    const { summary, summaryAr, reserved } = definition;
    const feature = featureOf(type);
    const body = z.strictObject({
      type: z.literal(type),
      timestamp: timeOutput,
      ...envelopeShape(definition),
      data: eventDataSchema(type),
    });
    return [
      type,
      {
        post: {
          operationId: type.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
          summary,
          'x-summary-ar': summaryAr,
          tags: ['Events'],
          ...(feature === null ? {} : { 'x-feature-flag': feature }),
          ...(reserved ? { description: 'Reserved: this release does not send it yet.', 'x-reserved': true } : {}),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: schemas.of(body, 'output'),
                ...(reserved ? {} : { example: exampleMessage(type, definition) }),
              },
            },
          },
          responses: { '2XX': { description: 'Received. After any other status, Hatif sends the event again.' } },
        },
      },
    ];
  });
  return Object.fromEntries(operations);
}

function operation(route: Route, schemas: JsonSchemas): Node {
  const body = requestBody(route, schemas);
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.summaryAr === undefined ? {} : { 'x-summary-ar': route.summaryAr }),
    description: description(route),
    tags: [route.tag],
    ...(route.deprecated === undefined ? {} : { deprecated: true }),
    security: securityOf(route),
    ...(route.scope === null ? {} : { 'x-scope': route.scope }),
    ...people(route),
    'x-key-kind': route.keyKind,
    ...(route.flag === undefined ? {} : { 'x-feature-flag': route.flag }),
    parameters: parameters(route, schemas),
    ...(body === null ? {} : { requestBody: body }),
    responses: { ...successes(route, schemas), ...failures(route, schemas) },
  };
}

/** The permission that a signed-in member needs, and the roles that have it. */
function people(route: Route): Node {
  const roles = rolesOf(route);
  if (roles.length === 0) return {};
  return { ...(route.permission === null ? {} : { 'x-permission': route.permission }), 'x-roles': roles };
}

function description(route: Route): string {
  const lines = [
    route.description,
    route.scope === null ? undefined : `Scope: \`${route.scope}\`.`,
    whoMay(route),
    route.keyKind === 'live' ? 'Production keys only, or live mode.' : undefined,
    route.flag === undefined ? undefined : `Enabled per environment (\`${route.flag}\`).`,
    route.sunset === undefined ? undefined : `To be removed on ${route.sunset.toISOString().slice(0, 10)}.`,
  ];
  return lines.filter((line) => line !== undefined).join('\n\n');
}

function whoMay(route: Route): string | undefined {
  const roles = rolesOf(route);
  if (roles.length === 0) return undefined;
  const permission = route.permission === null || route.permission === route.scope ? '' : ` (\`${route.permission}\`)`;
  const own = route.ownRows && roles.includes('agent') ? '; an agent only what is the agent’s own' : '';
  return `Roles${permission}: ${roles.map((role) => `\`${role}\``).join(', ')}${own}.`;
}

function parameters(route: Route, schemas: JsonSchemas): Node[] {
  const inPath = members(schemas.of(route.params, 'input'));
  const names = Array.from(route.path.matchAll(/:(\w+)/g), ([, name = '']) => name);
  const path = names.map((name) => ({
    name,
    in: 'path',
    required: true,
    ...described({ ...idFrom(name), ...inPath.properties[name] }),
  }));
  const inQuery = members(schemas.of(route.query, 'input'));
  const query = Object.entries(inQuery.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: inQuery.required.includes(name),
    ...described(schema),
  }));
  const headers = route.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [];
  return [
    ...path,
    ...query,
    ...headers,
    ...callerParametersOf(route),
    ...simulation(route),
    { $ref: '#/components/parameters/RequestId' },
  ];
}

/** A path parameter that says nothing of itself is the ID of an object. */
function idFrom(name: string): JsonSchema {
  return {
    type: 'string',
    ...(/(^|_)id$/.test(name) && { description: 'The id of the object, from an earlier answer' }),
  };
}

function simulation(route: Route): Node[] {
  const failures = simulationsOf(route);
  if (failures.length === 0) return [];
  return [
    {
      name: SIMULATE_HEADER,
      in: 'header',
      required: false,
      description: 'Sandbox only: makes the request fail in this way. Ignored in production.',
      schema: { type: 'string', enum: failures },
    },
  ];
}

/** OpenAPI puts a parameter's description beside its schema, not in it. */
function described({ description: text, ...schema }: JsonSchema): Node {
  return { ...(text === undefined ? {} : { description: text }), schema };
}

function members(schema: JsonSchema): { properties: Record<string, JsonSchema>; required: readonly string[] } {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
  };
  return { properties, required };
}

function requestBody(route: Route, schemas: JsonSchemas): Node | null {
  if (!route.hasBody) return null;
  const schema = schemas.of(route.body, 'input');
  if (route.upload === undefined) {
    const required = members(schema).required.length > 0;
    const type = route.keyKind === 'scim' ? SCIM_MEDIA_TYPE : 'application/json';
    return { required, content: { [type]: { schema, ...exampleRequest(route, required) } } };
  }
  const { properties, required } = members(schema);
  const { field, description: text } = route.upload;
  const file = { type: 'string', format: 'binary', description: text };
  const form = { type: 'object', properties: { [field]: file, ...properties }, required: [field, ...required] };
  const texts = required.map((name) => ` -F ${name}=${exampleText(properties[name])}`).join('');
  const curl = `For example: \`curl -H "Authorization: Bearer $KEY" -F ${field}=@file${texts} …\``;
  return { description: curl, required: true, content: { 'multipart/form-data': { schema: form } } };
}

/** A text that a required field of a form accepts, or a blank to fill in. */
function exampleText(schema: JsonSchema | undefined): string {
  return (schema as { enum?: readonly string[] } | undefined)?.enum?.[0] ?? '…';
}

/** The one that works on the demo installation is first: the reference starts with it. */
function exampleRequest({ operationId, keyKind }: Route, required: boolean): Node {
  const recorded = EXAMPLES[operationId]?.request ?? OTHER_REQUESTS[operationId] ?? (required ? undefined : {});
  const demo = DEMO_REQUESTS[operationId];
  if (demo === undefined) return recorded === undefined ? {} : { example: recorded };
  return {
    examples: {
      demo: {
        summary: `Works on the demo installation, with its ${keyKind === 'live' ? 'live' : 'sandbox'} key`,
        value: demo,
      },
      ...(recorded !== undefined && { recorded: { summary: 'With IDs of your own', value: recorded } }),
    },
  };
}

function successes(route: Route, schemas: JsonSchemas): Record<string, Node> {
  const shared = Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
  const answers: Record<string, Node> = {};
  for (const [status, spec] of Object.entries<ResponseSpec>(route.responses)) {
    const own = Object.entries(spec.headers ?? {}).map(
      ([name, meaning]) => [name, { description: meaning, schema: { type: 'string' } }] as const,
    );
    const type = spec.contentType ?? (route.keyKind === 'scim' ? SCIM_MEDIA_TYPE : 'application/json');
    const schema = spec.schema === null ? emptyOrError(Number(status)) : schemas.of(spec.schema, 'output');
    const example = exampleAnswer(route, Number(status), spec);
    const content = schema === null ? {} : { content: { [type]: { schema, ...example } } };
    answers[status] = { description: spec.description, headers: Object.fromEntries([...shared, ...own]), ...content };
  }
  return answers;
}

/** The recorded answer; it is also that of another status with the same schema. */
function exampleAnswer({ operationId, responses }: Route, status: number, { schema, example }: ResponseSpec): Node {
  if (example !== undefined) return { example };
  if (schema === null) return status >= 400 ? { examples: errorExamples(['VALIDATION_ERROR']) } : {};
  const recorded = EXAMPLES[operationId]?.response;
  return recorded !== undefined && responses[recorded.status]?.schema === schema ? { example: recorded.body } : {};
}

function errorExamples(codes: readonly ErrorCode[]): Node {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
}

/** A failure that a route declares beside its successes (416) has the envelope of every failure. */
function emptyOrError(status: number): Node | null {
  return status >= 400 ? { $ref: '#/components/schemas/Error' } : null;
}

/** The route's own errors, by status. A status that the route also declares as a response keeps that description. */
function failures(route: Route, schemas: JsonSchemas): Record<string, Node> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(route)) {
    const { status } = errorRow(code);
    if (status in route.responses) continue;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responseOf = (codes: readonly ErrorCode[]): Node =>
    route.keyKind === 'scim' ? scimErrorResponse(codes, schemas) : errorResponse(codes);
  return Object.fromEntries([...byStatus].map(([status, codes]) => [String(status), responseOf(codes)]));
}

const meaningOf = (code: ErrorCode): string => describeSlots(errorRow(code).message, 'en');

function errorResponse(codes: readonly ErrorCode[]): Node {
  const lines = codes.map((code) => `- \`${code}\`: ${meaningOf(code)}`);
  return {
    description: lines.join('\n'),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { type: 'object', properties: { error_code: { type: 'string', enum: codes } } },
          ],
        },
        examples: errorExamples(codes),
      },
    },
  };
}

/** The failures of a directory's requests: the standard's own form, with a text of the catalogue. */
function scimErrorResponse(codes: readonly ErrorCode[], schemas: JsonSchemas): Node {
  const lines = codes.map((code) => `- \`${code}\`: ${meaningOf(code)}`);
  const examples = codes.map((code) => [code, { summary: meaningOf(code), value: scimErrorExample(code) }]);
  return {
    description: lines.join('\n'),
    content: {
      [SCIM_MEDIA_TYPE]: {
        schema: schemas.of(scimErrorSchema, 'output'),
        examples: Object.fromEntries(examples) as Node,
      },
    },
  };
}

const DESCRIPTION = `Voice and numbers over HTTP and JSON.

Every request carries \`Authorization: Bearer <API_KEY>\`. Keys that start with \`sk_sandbox_\` work on every route that
is not marked production only; \`sk_live_\` keys work on all of these. Instead of a key, a signed-in user sends the access
token of a session: it does what the user's role allows. Routes for people take access tokens only. Bodies are JSON in UTF-8, at most 1 MiB (audio files
12 MiB). Unknown fields and query parameters are rejected. Times are ISO 8601: requests may use any offset, answers use
UTC.

Failures return the \`Error\` envelope. Four can happen on any route and are not repeated below: ${COMMON_CODES.map(
  (code) => `\`${code}\` (${errorRow(code).status})`,
).join(
  ', ',
)}. A path that exists answers other methods with 405 \`NOT_FOUND\`; the message and \`Allow\` list its methods.`;
