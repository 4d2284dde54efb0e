import { z } from 'zod';
import type { ErrorCode } from '../../core/model/errors/index.js';
import { FLAG_OFF_CODES, type FlagName } from '../../core/model/flags.js';
import type { Scope } from '../../core/model/access/scopes.js';
import type { Caller } from '../../core/services/access/caller.js';
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
 * Which keys may call a route: any API key, production keys only, no key at all, or the public key of a widget from one
 * of the widget's pages (in the query as `key`, so that a browser's preflight contains it too).
 */
export type KeyKind = 'any' | 'live' | 'none' | 'widget';

/** The one file of a multipart request. */
export interface UploadedFile {
  /** Where the file is until the request is answered. */
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  readonly name: string;
  readonly mediaType: string;
}

export interface UploadSpec {
  /** The form field of the file. */
  readonly field: string;
  /** Default 12 MiB. */
  readonly maxBytes?: number;
  readonly description: string;
}

/** The unparsed request, for a handler that reads it itself. */
export interface RawRequest {
  /** Names in lower case; of a repeated header, the first value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The input of a handler. `key` and `widget` are null on routes that do not use them. */
export interface RouteContext<K extends KeyKind = KeyKind, P = unknown, Q = unknown, B = unknown> {
  readonly requestId: string;
  readonly caller: K extends 'none' | 'widget' ? null : Caller;
  readonly widget: K extends 'widget' ? WidgetContext : null;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The file of a route with `upload`; otherwise null. */
  readonly file: UploadedFile | null;
  /** The raw request of a route with `readsRaw`; otherwise null. */
  readonly raw: RawRequest | null;
  readonly ip: string;
  /** `Last-Event-ID`: the event after which a client resumes an event stream. */
  readonly lastEventId: string | null;
  /** The `If-Match` header, unparsed. */
  readonly ifMatch: string | null;
  /** Aborted when the client disconnects or the server drains. */
  readonly signal: AbortSignal;
  /**
   * For an answer that is not JSON: whether it may show customers' full numbers. If so, that is audited first. JSON
   * answers get the numbers without the handler.
   * @throws DatabaseUnavailable
   */
  readonly mayUnmask: () => Promise<boolean>;
  /** Reads and writes this route's paging cursors. */
  readonly cursors: CursorCodec;
}

/** A request whose process died during the first attempt: see `recover`. */
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
  /** Markdown: rules that the schemas do not express. */
  readonly description?: string;
  readonly tag: string;
  /** Null if any key is sufficient, or no key with `keyKind: 'none'`. */
  readonly scope: Scope | null;
  readonly keyKind: K;
  /** The feature flag that must be on; if it is off, the route returns the flag's own error code. */
  readonly flag?: FlagName;
  /** Requests per minute and key on this route alone, in addition to the key's own limit. */
  readonly rateLimit?: { readonly perMinute: number };
  /** Whether the route honours `Idempotency-Key`. Default: on every POST with a key. */
  readonly idempotent?: boolean;
  /**
   * Called before a request is repeated whose process died during the first attempt. Returns the answer of the first
   * attempt, or null to run the request again.
   */
  readonly recover?: (first: AbandonedRequest, ctx: RouteContext<K>) => Promise<JsonReplyOf<NoInfer<R>> | null>;
  /**
   * The answer to a request that repeats an earlier one by the body alone, or null for any other. Gets the body before
   * it is checked: the rest of a repeat need not be valid.
   */
  readonly repeated?: (body: unknown, ctx: RouteContext<K>) => Promise<JsonReplyOf<NoInfer<R>> | null>;
  /** Members of the response that are null in an idempotent replay, because secrets are not stored. */
  readonly secretFields?: readonly string[];
  /** Members of the body whose values go into the audit log (phone numbers masked); all others log only the name. */
  readonly auditFields?: readonly string[];
  /** Date of deprecation (`Deprecation` header), and of removal (`Sunset`). */
  readonly deprecated?: Date;
  readonly sunset?: Date;
  readonly upload?: UploadSpec;
  /** The handler parses `ctx.raw` itself, for example after checking its signature; `body` only documents it. */
  readonly readsRaw?: true;
  /** Failures that `X-Simulate` can request on this route, in addition to those of every route. */
  readonly simulates?: readonly Simulation[];
  /** Each is a `z.strictObject`. A parameter that is an ID: `idParam('CALL_NOT_FOUND')`. */
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly responses: R;
  /** The codes of this route alone; {@link codesOf} adds those of key, scope, flag and validation. */
  readonly errors: readonly ErrorCode[];
  readonly handler: (
    ctx: RouteContext<K, z.output<P>, z.output<Q>, z.output<B>>,
  ) => Promise<HandledBy<NoInfer<R>>> | HandledBy<NoInfer<R>>;
}

/** A route in the form that the router, the API document, the pages and the tests use. */
export interface Route extends Omit<
  RouteDefinition<KeyKind, z.ZodType, z.ZodType, z.ZodType, Responses>,
  'handler' | 'recover' | 'repeated' | 'params' | 'query' | 'body' | 'idempotent'
> {
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  readonly body: z.ZodType;
  /** Whether the definition has a body of its own. */
  readonly hasBody: boolean;
  readonly idempotent: boolean;
  readonly recover: ((first: AbandonedRequest, ctx: RouteContext) => Promise<Reply | null>) | null;
  readonly repeated: ((body: unknown, ctx: RouteContext) => Promise<Reply | null>) | null;
  readonly handle: (ctx: RouteContext) => Promise<HandlerReply>;
}

/** Codes that any route can return; they are documented once, not for each route. */
export const COMMON_CODES: readonly ErrorCode[] = [
  'PAYLOAD_TOO_LARGE',
  'RATE_LIMIT_EXCEEDED',
  'IDEMPOTENCY_KEY_CONFLICT',
  'INTERNAL_ERROR',
];

const nothing = z.strictObject({});

/**
 * Defines one endpoint. The router, the OpenAPI document, the error pages and the tests all derive from it.
 * @throws Error for a definition that contradicts itself: a programming error, found at start.
 */
export function route<
  const K extends KeyKind,
  const R extends Responses,
  P extends z.ZodType = typeof nothing,
  Q extends z.ZodType = typeof nothing,
  B extends z.ZodType = typeof nothing,
>(definition: RouteDefinition<K, P, Q, B, R>): Route {
  const { handler, recover, repeated, params, query, body, idempotent, ...rest } = definition;
  const made: Route = {
    ...rest,
    params: params ?? nothing,
    query: query ?? nothing,
    body: body ?? nothing,
    hasBody: body !== undefined || definition.upload !== undefined,
    idempotent: takesApiKey(definition) && (idempotent ?? definition.method === 'POST'),
    // The router passes the output of these schemas, and a key if the definition requires one.
    recover: recover ? (first, ctx) => recover(first, ctx) : null,
    repeated: repeated ? (given, ctx) => repeated(given, ctx) : null,
    handle: async (ctx) => handler(ctx as RouteContext<K, z.output<P>, z.output<Q>, z.output<B>>),
  };
  check(made);
  return made;
}

/** Whether the route requires an API key. */
export function takesApiKey({ keyKind }: { readonly keyKind: KeyKind }): boolean {
  return keyKind === 'any' || keyKind === 'live';
}

/** The failures that a sandbox key can request with `X-Simulate`: those of every route, and the route's own. */
export function simulationsOf({ keyKind, simulates = [] }: Route): readonly Simulation[] {
  return keyKind === 'any' ? ['rate_limit', 'server_error', ...simulates] : [];
}

/** Every code that the route can return, without the {@link COMMON_CODES}, in the order of the checks. */
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
  if (common.length > 0) throw new Error(`${name}: ${common.join(', ')} must not be declared: any route can return it`);
  const declared = codesOf(made);
  const missing = [made.params, made.query, made.body]
    .flatMap((schema) => codesOfSchema(schema))
    .filter((code) => !declared.includes(code));
  if (missing.length > 0)
    throw new Error(`${name}: its fields return ${missing.join(', ')}, which it does not declare`);
}
