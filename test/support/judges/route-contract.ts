import { FLAG_OFF_CODES } from '../../../core/model/flags.js';
import { generateToken } from '../../../core/model/access/tokens.js';
import { newId } from '../../../core/model/ids.js';
import { codesOf, COMMON_CODES, takesApiKey, type Route } from '../../../api/http/route.js';
import { errorRow } from '../../../core/model/errors/index.js';
import { PAGE, type Answer, type RequestOptions, type TestApi } from '../api.js';
import { hasPlaceholder } from './placeholders.js';

const UNKNOWN = 'no_such_field';

/**
 * Checks the responses that the contract requires of every route: to a request without a key, without the scope, with
 * the wrong kind of key, with the flag off and with unknown fields. No request reaches a handler. The routes of
 * administrators and of directories have judges of their own.
 * @returns one line for each problem
 */
export async function routeProblems(api: TestApi, routes: readonly Route[]): Promise<string[]> {
  const problems: string[] = [];
  const keys = await keysFor(api);
  for (const route of routes) {
    if (route.keyKind === 'administrator' || route.keyKind === 'scim') continue;
    const { name, path, expectCode } = refusalsOf(api, route, problems);
    const names = (what: string, answer: Answer): void => {
      const details = (answer.body?.details ?? []) as { path: string }[];
      if (!details.some((detail) => detail.path === UNKNOWN))
        problems.push(`${name}: ${what} is not named in the details`);
    };
    const body = route.method === 'GET' || route.upload ? {} : { json: {} };
    if (route.keyKind === 'user') {
      await expectCode('a page', 'ORIGIN_NOT_ALLOWED', { ...body, headers: { origin: PAGE } });
      await expectCode('no key', 'INVALID_API_KEY', body);
      await expectCode('an API key', 'SESSION_REQUIRED', { ...body, key: keys.live });
      await expectCode('an unknown token', 'INVALID_ACCESS_TOKEN', { ...body, key: generateToken('access') });
    }
    const key = route.keyKind === 'user' ? { key: keys.session } : takesApiKey(route) ? { key: keys.live } : {};
    if (route.keyKind === 'widget') {
      await widgetProblems(route, keys, body, (what, code, widget, headers) =>
        expectCode(what, code, { ...body, headers }, `${path}?key=${widget}`),
      );
    }
    if (takesApiKey(route)) {
      await expectCode('a page', 'ORIGIN_NOT_ALLOWED', { ...body, ...key, headers: { origin: PAGE } });
      await expectCode('no key', 'INVALID_API_KEY', body);
      await expectCode('an unknown token', 'INVALID_ACCESS_TOKEN', { ...body, key: generateToken('access') });
      if (route.flag) await expectCode('flag off', FLAG_OFF_CODES[route.flag], { ...body, key: keys.flagsOff });
      if (route.scope)
        await expectCode('no scope', 'INSUFFICIENT_PERMISSIONS', { ...body, key: withoutScope(keys, route) });
      if (route.keyKind === 'live')
        await expectCode('sandbox key', 'SANDBOX_KEY_NOT_ALLOWED', { ...body, key: keys.sandbox });
    }
    const page = route.keyKind === 'widget' ? { headers: { origin: PAGE } } : {};
    const query = route.keyKind === 'widget' ? `?key=${keys.widget}` : '';
    if (!route.upload && !route.takesAnyQuery) {
      const target = `${path}${query === '' ? '?' : `${query}&`}${UNKNOWN}=1`;
      const options = { ...body, ...key, ...page };
      names('unknown query', await expectCode('unknown query', 'VALIDATION_ERROR', options, target));
    }
    if (route.method !== 'GET' && !route.upload && !route.readsRaw) {
      const options = { ...key, ...page, json: { [UNKNOWN]: 1 } };
      names('unknown body', await expectCode('unknown body', 'VALIDATION_ERROR', options, path + query));
    }
  }
  return problems;
}

/** What a judge needs to check refusals of one route. */
interface Refusals {
  /** In the lines of the problems. */
  readonly name: string;
  /** With unknown ids. */
  readonly path: string;
  /** Sends a request, which must be answered with this code in a complete envelope; problems are noted. */
  readonly expectCode: (what: string, code: string, options: RequestOptions, target?: string) => Promise<Answer>;
}

export function refusalsOf(api: TestApi, route: Route, problems: string[]): Refusals {
  const name = `${route.method} ${route.path}`;
  const path = route.path.replace(/:\w+/g, () => newId());
  const expectCode: Refusals['expectCode'] = async (what, code, options, target = path) => {
    const answer = await api.request(route.method, target, options);
    const status = errorRow(code as 'NOT_FOUND').status;
    if (answer.status !== status || answer.body?.error_code !== code) {
      problems.push(`${name}: ${what} answered ${answer.status} ${answer.text.slice(0, 200)}, not ${code}`);
    }
    problems.push(...envelopeProblems(answer, api).map((problem) => `${name}: ${what}: ${problem}`));
    return answer;
  };
  return { name, path, expectCode };
}

async function widgetProblems(
  route: Route,
  keys: ContractKeys,
  body: RequestOptions,
  expectCode: (
    what: string,
    code: string,
    widget: string,
    headers: Readonly<Record<string, string>>,
  ) => Promise<Answer>,
): Promise<void> {
  const page = { origin: PAGE };
  await expectCode('no key', 'INVALID_API_KEY', '', page);
  await expectCode('another page', 'WIDGET_ORIGIN_NOT_ALLOWED', keys.widget, { origin: 'https://other.example' });
  if (body.json !== undefined) await expectCode('no page', 'WIDGET_ORIGIN_NOT_ALLOWED', keys.widget, {});
  if (route.flag) await expectCode('flag off', FLAG_OFF_CODES[route.flag], keys.widgetOff, page);
}

interface ContractKeys {
  /** The access token of an owner's session. */
  readonly session: string;
  readonly live: string;
  readonly sandbox: string;
  readonly flagsOff: string;
  readonly callsOnly: string;
  readonly usageOnly: string;
  readonly widget: string;
  readonly widgetOff: string;
}

async function keysFor(api: TestApi): Promise<ContractKeys> {
  const { projectId, organizationId } = await api.owner();
  const off = await api.owner(Object.fromEntries(Object.keys(FLAG_OFF_CODES).map((flag) => [flag, false])));
  return {
    session: await api.session(organizationId),
    live: (await api.key({ projectId })).key,
    sandbox: (await api.key({ projectId, kind: 'sandbox' })).key,
    flagsOff: (await api.key({ projectId: off.projectId })).key,
    callsOnly: (await api.key({ projectId, scopes: ['calls:read'] })).key,
    usageOnly: (await api.key({ projectId, scopes: ['usage:read'] })).key,
    widget: (await api.widget()).key,
    widgetOff: (await api.widget(off)).key,
  };
}

function withoutScope(keys: ContractKeys, route: Route): string {
  return route.scope === 'usage:read' ? keys.callsOnly : keys.usageOnly;
}

/** The problems of an error's envelope. */
export function envelopeProblems({ body, headers }: Answer, api: Pick<TestApi, 'url'>): string[] {
  const problems: string[] = [];
  if (body === undefined) return ['the answer is not JSON'];
  if (headers.get('content-type') !== 'application/json; charset=utf-8') problems.push('the content type is wrong');
  for (const field of ['error_code', 'message', 'message_ar', 'request_id', 'docs_url']) {
    if (typeof body[field] !== 'string' || body[field] === '') problems.push(`${field} is missing`);
  }
  if (body.request_id !== headers.get('x-request-id')) problems.push('request_id is not X-Request-Id');
  if (body.docs_url !== `${api.url}/docs/errors/${String(body.error_code)}`) problems.push('docs_url is wrong');
  if (!/[\u0600-\u06ff]/.test(String(body.message_ar))) problems.push('message_ar is not Arabic');
  if (hasPlaceholder(`${String(body.message)}${String(body.message_ar)}`)) problems.push('a placeholder is not filled');
  for (const name of [
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'ratelimit',
    'ratelimit-policy',
  ]) {
    if (!headers.has(name)) problems.push(`the header ${name} is missing`);
  }
  return problems;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name?: string; readonly in?: string; readonly $ref?: string }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, unknown>>; readonly description: string }>
  >;
}

/** The problems of these routes' API document. */
export function documentProblems(document: unknown, routes: readonly Route[]): string[] {
  const problems = danglingRefs(document, document).map((ref) => `${ref} leads nowhere`);
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  if (listed.length !== routes.length) problems.push(`${listed.length} operations for ${routes.length} routes`);
  const ids = new Set(routes.map(({ operationId }) => operationId));
  if (ids.size !== routes.length) problems.push('an operationId is used twice');
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const operation = paths[path]?.[route.method.toLowerCase()];
    if (operation === undefined) problems.push(`${route.method} ${path} is not in the document`);
    else problems.push(...operationProblems(route, operation).map((problem) => `${route.method} ${path}: ${problem}`));
  }
  return problems;
}

function operationProblems(route: Route, operation: Operation): string[] {
  const problems: string[] = [];
  for (const [, name] of route.path.matchAll(/:(\w+)/g)) {
    if (!operation.parameters.some((parameter) => parameter.in === 'path' && parameter.name === name)) {
      problems.push(`the path parameter ${String(name)} is not described`);
    }
  }
  for (const status of Object.keys(route.responses)) {
    if (operation.responses[status] === undefined) problems.push(`the status ${status} is not described`);
  }
  for (const code of codesOf(route)) {
    const status = errorRow(code).status;
    const described = operation.responses[String(status)];
    if (!(status in route.responses) && !JSON.stringify(described?.content ?? {}).includes(`"${code}"`)) {
      problems.push(`the code ${code} is not described`);
    }
  }
  const text = JSON.stringify(operation.responses);
  for (const code of COMMON_CODES) {
    if (!route.errors.includes(code) && text.includes(`"${code}"`))
      problems.push(`${code} is described though it is common to all`);
  }
  return problems;
}

function danglingRefs(node: unknown, root: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (key !== '$ref' || typeof value !== 'string') return danglingRefs(value, root);
    const found = value
      .split('/')
      .slice(1)
      .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], root);
    return found === undefined ? [value] : [];
  });
}
