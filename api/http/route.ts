import { z } from 'zod';
import type { ErrorCode } from '../../core/model/errors/index.js';
import { FLAG_OFF_CODES, type FlagName } from '../../core/model/flags.js';
import type { Scope } from '../../core/model/access/scopes.js';
import type { AuthenticatedKey } from '../../core/services/access/authenticated-key.js';
import type { WidgetContext } from '../../core/services/widgets/gate.js';
import type { CursorCodec } from './paging.js';
import type {
  ChunksReply,
  FileReply,
  HandlerReply,
  JsonReplyOf,
  RawReply,
  Reply,
  Responses,
  StreamReply,
} from './reply.js';
import { codesOfSchema } from './schema/schema-codes.js';
import { codesOfSimulations, type Simulation } from './simulate.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Which keys may call a route: any, production only, no key at all, or the public key of a widget (in the query as `key`, so that a
 * browser's preflight names it too) from one of the widget's pages.
 */
export type KeyKind = 'any' | 'live' | 'none' | 'widget';

/** The one file of a multipart request. */
export interface UploadedFile {
  readonly bytes: Buffer;
  readonly name: string;
  readonly mediaType: string;
}

export interface UploadSpec {
  /** The form field that carries the file. */
  readonly field: string;
  /** Default 12 MiB. */
  readonly maxBytes?: number;
  readonly description: string;
}

/** A request as it came, for a handler that reads it itself. */
export interface RawRequest {
  /** By their names in lower case; the first of several. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What a handler is given. `key` and `widget` are null on routes that take none. */
export interface RouteContext<K extends KeyKind = KeyKind, P = unknown, Q = unknown, B = unknown> {
  readonly requestId: string;
  readonly key: K extends 'none' | 'widget' ? null : AuthenticatedKey;
  readonly widget: K extends 'widget' ? WidgetContext : null;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The file of a route with `upload`; otherwise null. */
  readonly file: UploadedFile | null;
  /** Of a route with `readsRaw`; otherwise null. */
  readonly raw: RawRequest | null;
  readonly ip: string;
  /** `Last-Event-ID`: the event after which a client takes an event stream up again. */
  readonly lastEventId: string | null;
  /** `If-Match` as it came. */
  readonly ifMatch: string | null;
  /** Aborted when the client went away or the server drains. */
  readonly signal: AbortSignal;
  /** Reads and writes this route's paging cursors. */
  readonly cursors: CursorCodec;
}

/** A request whose first attempt died with its process: see `recover`. */
export interface AbandonedRequest {
  readonly requestId: string;
  readonly startedAt: Date;
}

type HandledBy<R extends Responses> = JsonReplyOf<R> | RawReply | StreamReply | FileReply | ChunksReply;

export interface RouteDefinition<
  K extends KeyKind,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends Responses,
> {
  readonly method: Method;
  /** With the version and named parameters: `/v1/calls/:call_id`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly summaryAr?: string;
  /** Markdown: rules that the schemas do not tell. */
  readonly description?: string;
  readonly tag: string;
  /** Null where any key will do (or none, with `keyKind: 'none'`). */
  readonly scope: Scope | null;
  readonly keyKind: K;
  /** The feature flag that must be on; off answers the flag's own code. */
  readonly flag?: FlagName;
  /** Requests per minute and key on this route alone, besides the key's own limit. */
  readonly rateLimit?: { readonly perMinute: number };
  /** Whether `Idempotency-Key` counts. Default: on every POST with a key. */
  readonly idempotent?: boolean;
  /** Asked before a request is run again whose first attempt died with its process: the answer that it would have got, or null. */
  readonly recover?: (first: AbandonedRequest, ctx: RouteContext<K>) => Promise<JsonReplyOf<NoInfer<R>> | null>;
  /** Members of the response that an idempotent replay answers as null, because secrets are not kept. */
  readonly secretFields?: readonly string[];
  /** Members of the body whose values (numbers masked) go into the audit log; of all others only the name does. */
  readonly auditFields?: readonly string[];
  /** Date from which the route is deprecated (`Deprecation` header), and on which it goes away (`Sunset`). */
  readonly deprecated?: Date;
  readonly sunset?: Date;
  readonly upload?: UploadSpec;
  /** The handler reads the body itself, say once its signature is checked (`ctx.raw`): the definition's `body` only describes it. */
  readonly readsRaw?: true;
  /** Failures of its own that a sandbox key can ask for with `X-Simulate`, besides those of every POST (see {@link simulationsOf}). */
  readonly simulates?: readonly Simulation[];
  /** `z.strictObject` each. A parameter that is an id: `idParam('CALL_NOT_FOUND')`. */
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly responses: R;
  /** The codes of this route alone; those of key, scope, flag and validation are known already (see {@link codesOf}). */
  readonly errors: readonly ErrorCode[];
  readonly handler: (
    ctx: RouteContext<K, z.output<P>, z.output<Q>, z.output<B>>,
  ) => Promise<HandledBy<NoInfer<R>>> | HandledBy<NoInfer<R>>;
}

/** A route as the mount, the API document, the pages and the tests see it. */
export interface Route extends Omit<
  RouteDefinition<KeyKind, z.ZodType, z.ZodType, z.ZodType, Responses>,
  'handler' | 'recover' | 'params' | 'query' | 'body' | 'idempotent'
> {
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  readonly body: z.ZodType;
  /** Whether the definition has a body of its own. */
  readonly hasBody: boolean;
  readonly idempotent: boolean;
  readonly recover: ((first: AbandonedRequest, ctx: RouteContext) => Promise<Reply | null>) | null;
  readonly handle: (ctx: RouteContext) => Promise<HandlerReply>;
}

/** Codes that any route can answer; they are documented once and not repeated for each route. */
export const COMMON_CODES: readonly ErrorCode[] = [
  'PAYLOAD_TOO_LARGE',
  'RATE_LIMIT_EXCEEDED',
  'IDEMPOTENCY_KEY_CONFLICT',
  'INTERNAL_ERROR',
];

const nothing = z.strictObject({});

/**
 * One endpoint, told once: mounting, the OpenAPI document, the error pages and the tests all derive from it.
 * @throws Error for a definition that contradicts itself; that is a fault of the programmer, found at start.
 */
export function route<
  const K extends KeyKind,
  const R extends Responses,
  P extends z.ZodType = typeof nothing,
  Q extends z.ZodType = typeof nothing,
  B extends z.ZodType = typeof nothing,
>(definition: RouteDefinition<K, P, Q, B, R>): Route {
  const { handler, recover, params, query, body, idempotent, ...rest } = definition;
  const made: Route = {
    ...rest,
    params: params ?? nothing,
    query: query ?? nothing,
    body: body ?? nothing,
    hasBody: body !== undefined || definition.upload !== undefined,
    idempotent: takesApiKey(definition) && (idempotent ?? definition.method === 'POST'),
    // The mount hands in what these very schemas made, and a key wherever the definition asks for one.
    recover: recover ? (first, ctx) => recover(first, ctx) : null,
    handle: async (ctx) => handler(ctx as RouteContext<K, z.output<P>, z.output<Q>, z.output<B>>),
  };
  check(made);
  return made;
}

/** Whether a secret key is needed. */
export function takesApiKey({ keyKind }: { readonly keyKind: KeyKind }): boolean {
  return keyKind === 'any' || keyKind === 'live';
}

/** The failures that a sandbox key can ask for with `X-Simulate`: on every POST that it may call, and what the route adds. */
export function simulationsOf({ method, keyKind, simulates = [] }: Route): readonly Simulation[] {
  return method === 'POST' && keyKind === 'any' ? ['rate_limit', 'server_error', ...simulates] : [];
}

/** Every code that the route can answer besides the {@link COMMON_CODES}, in the order of the checks. */
export function codesOf(of: Route): readonly ErrorCode[] {
  const codes: ErrorCode[] = [];
  if (takesApiKey(of)) codes.push('ORIGIN_NOT_ALLOWED', 'INVALID_API_KEY', 'EXPIRED_API_KEY', 'REVOKED_API_KEY');
  if (of.keyKind === 'widget') codes.push('INVALID_API_KEY', 'REVOKED_API_KEY', 'WIDGET_ORIGIN_NOT_ALLOWED');
  if (of.flag !== undefined) codes.push(FLAG_OFF_CODES[of.flag]);
  if (takesApiKey(of)) codes.push('INSUFFICIENT_PERMISSIONS');
  if (of.keyKind === 'live') codes.push('SANDBOX_KEY_NOT_ALLOWED');
  codes.push('VALIDATION_ERROR');
  const simulated = codesOfSimulations(simulationsOf(of)).filter((code) => !COMMON_CODES.includes(code));
  return [...new Set([...codes, ...of.errors, ...simulated])];
}

function check(made: Route): void {
  const name = `${made.method} ${made.path}`;
  if (!takesApiKey(made) && made.scope !== null) throw new Error(`${name}: a route without a key has no scope`);
  if (made.method === 'GET' && made.hasBody) throw new Error(`${name}: a GET has no body`);
  const common = made.errors.filter((code) => COMMON_CODES.includes(code) && code !== 'INTERNAL_ERROR');
  if (common.length > 0) throw new Error(`${name}: ${common.join(', ')} can happen on any route and is not declared`);
  const declared = codesOf(made);
  const missing = [made.params, made.query, made.body]
    .flatMap((schema) => codesOfSchema(schema))
    .filter((code) => !declared.includes(code));
  if (missing.length > 0)
    throw new Error(`${name}: its fields answer ${missing.join(', ')}, which it does not declare`);
}
