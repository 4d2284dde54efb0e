import { z } from 'zod';
import type { ErrorCode, HatifError } from '../../core/model/errors/index.js';
import { FLAG_OFF_CODES, type FlagName } from '../../core/model/flags.js';
import { ROLES, rolesWith, seesOwnRowsOnly, type Permission, type Role } from '../../core/model/access/roles.js';
import type { Scope } from '../../core/model/access/scopes.js';
import type { Caller, SignedInUser } from '../../core/services/access/caller.js';
import type { SignedInAdministrator } from '../../core/services/administration/signed-in.js';
import type { ScimClient } from '../../core/services/scim/gate.js';
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
 * Who may call a route:
 *
 * - `any`: every API key, and signed-in users, on one project;
 * - `live`: production keys only, and signed-in users in live mode;
 * - `user`: signed-in users, on their account and organization; an API key is not enough;
 * - `administrator`: administrators of the installation;
 * - `scim`: the token of a directory, on the organization that it provisions; requests and answers have the form of SCIM;
 * - `widget`: the public key of a widget from one of the widget's pages (in the query as `key`, so that a browser's
 *   preflight contains it too);
 * - `none`: everybody.
 */
export type KeyKind = 'any' | 'live' | 'user' | 'administrator' | 'scim' | 'widget' | 'none';

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

/** What a handler adds to the audit row of its request. */
export interface AuditNote {
  /** Whose thing is changed, if it is not that of who makes the request. */
  readonly organizationId?: string;
  readonly projectId?: string;
  /** Who has just proved who it is, on a route that everybody may call. */
  readonly user?: Pick<SignedInUser, 'id' | 'email' | 'organizationId'>;
  readonly administrator?: Pick<SignedInAdministrator, 'id' | 'email'>;
  /** For example, settings before and after a change. Secrets are masked by their names. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The input of a handler. Members that the kind of the route does not use are null. */
export interface RouteContext<K extends KeyKind = KeyKind, P = unknown, Q = unknown, B = unknown> {
  readonly requestId: string;
  /** The API key or signed-in user, with the project. */
  readonly caller: K extends 'any' | 'live' ? Caller : null;
  readonly user: K extends 'user' ? SignedInUser : null;
  readonly administrator: K extends 'administrator' ? SignedInAdministrator : null;
  readonly widget: K extends 'widget' ? WidgetContext : null;
  readonly directory: K extends 'scim' ? ScimClient : null;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The file of a route with `upload`; otherwise null. */
  readonly file: UploadedFile | null;
  /** The raw request of a route with `readsRaw`; otherwise null. */
  readonly raw: RawRequest | null;
  readonly ip: string;
  /** The `Accept` header; empty without one. */
  readonly accept: string;
  /** The `User-Agent` header; empty without one. */
  readonly userAgent: string;
  /** Whether nobody on the way could read the request: it came over TLS, or from this machine. */
  readonly isPrivate: boolean;
  /** Whether it looks as if a person opened the address in a browser; false for previews, prefetches and checks. */
  readonly isPerson: boolean;
  /** Whether a page of another site makes the browser ask, without an act of the person. */
  readonly isUnasked: boolean;
  /** The page that makes the request; null if none does, or one of the platform or of the settings. */
  readonly origin: string | null;
  /** The cookies of the request, by name. */
  readonly cookies: ReadonlyMap<string, string>;
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
  /** Adds to the audit row of the request. */
  readonly note: (more: AuditNote) => void;
  /** Reads and writes this route's paging cursors. */
  readonly cursors: CursorCodec;
}

/** A request whose process died during the first attempt: see `recover`. */
export interface AbandonedRequest {
  readonly requestId: string;
  readonly startedAt: Date;
}

type HandledBy<R extends Responses> = JsonReplyOf<R> | RawReply | StreamReply | FileReply | ChunksReply;

/** What who calls the route needs. */
type Needs<K extends KeyKind> = K extends 'user'
  ? {
      /** Null if every role is sufficient. */
      readonly permission: Permission | null;
      readonly scope?: never;
    }
  : {
      /** Null if any key is sufficient, or none is needed. */
      readonly scope: Scope | null;
      /** What a signed-in user needs in place of the scope. */
      readonly permission?: Permission;
    };

export type RouteDefinition<
  K extends KeyKind,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends Responses,
> = RouteParts<K, P, Q, B, R> & Needs<K>;

interface RouteParts<
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
  readonly keyKind: K;
  /** What a member gets whose role lacks the permission, in place of `INSUFFICIENT_ROLE`. */
  readonly refuseRole?: () => HatifError;
  /** An administrator who acts as a user may call the route although it is no GET: it changes nothing of the user's. */
  readonly whileImpersonated?: true;
  /** A user or administrator who has yet to give a second factor may call the route. */
  readonly enrols?: true;
  /** Sends or takes cookies, so pages of other origins may not call it; routes with a key check that anyway. */
  readonly usesCookies?: true;
  /** For pages of any origin: the handler decides by `ctx.origin` which may use it. */
  readonly forPages?: true;
  /**
   * The route shows and changes only what concerns the own agent of a caller who sees nothing else (`ownAgentOf`). Any
   * other route on a project refuses such callers.
   */
  readonly ownRows?: true;
  /** The audit log has each use, although the route changes nothing. */
  readonly isAudited?: true;
  /** The feature flag that must be on; if it is off, the route returns the flag's own error code. */
  readonly flag?: FlagName;
  /** Requests per minute and caller on this route alone, in addition to the caller's own limit. */
  readonly rateLimit?: { readonly perMinute: number };
  /** Whether the route honours `Idempotency-Key`. Default: on every POST with a key or a signed-in user. */
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
  /** Largest body in bytes, of a route that takes more than 1 MiB of JSON. */
  readonly maxBodyBytes?: number;
  /** An outside party decides which query parameters there are: `query` is a `z.looseObject`. */
  readonly takesAnyQuery?: true;
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
  RouteParts<KeyKind, z.ZodType, z.ZodType, z.ZodType, Responses>,
  'handler' | 'recover' | 'repeated' | 'params' | 'query' | 'body' | 'idempotent'
> {
  /** The scope of a key; null on a route for people. */
  readonly scope: Scope | null;
  /** What a signed-in user needs: the scope, or the permission of a route for people. */
  readonly permission: Permission | null;
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
  // Of another kind than the type parameters say, a definition cannot be.
  const { handler, recover, repeated, params, query, body, idempotent, scope, permission, ...rest } =
    definition as RouteParts<K, P, Q, B, R> & {
      readonly scope?: Scope | null;
      readonly permission?: Permission | null;
    };
  const made: Route = {
    ...rest,
    scope: scope ?? null,
    permission: permission ?? scope ?? null,
    params: params ?? nothing,
    query: query ?? nothing,
    body: body ?? nothing,
    hasBody: body !== undefined || definition.upload !== undefined,
    idempotent:
      (takesApiKey(definition) || definition.keyKind === 'user') && (idempotent ?? definition.method === 'POST'),
    // The router passes the output of these schemas, and a key if the definition requires one.
    recover: recover ? (first, ctx) => recover(first, ctx) : null,
    repeated: repeated ? (given, ctx) => repeated(given, ctx) : null,
    handle: async (ctx) => handler(ctx as RouteContext<K, z.output<P>, z.output<Q>, z.output<B>>),
  };
  check(made);
  return made;
}

/** Whether API keys and signed-in users may call the route. */
export function takesApiKey({ keyKind }: { readonly keyKind: KeyKind }): boolean {
  return keyKind === 'any' || keyKind === 'live';
}

/** The roles whose members may call the route; none on a route that is not for members. */
export function rolesOf(of: Pick<Route, 'keyKind' | 'permission' | 'ownRows'>): readonly Role[] {
  if (of.keyKind !== 'user' && !takesApiKey(of)) return [];
  const roles = of.permission === null ? ROLES : rolesWith(of.permission);
  return of.keyKind === 'user' || of.ownRows ? roles : roles.filter((role) => !seesOwnRowsOnly(role));
}

/** The failures that a sandbox key can request with `X-Simulate`: those of every route, and the route's own. */
export function simulationsOf({ keyKind, simulates = [] }: Route): readonly Simulation[] {
  return keyKind === 'any' ? ['rate_limit', 'server_error', ...simulates] : [];
}

const API_KEY_CODES = [
  'ORIGIN_NOT_ALLOWED',
  'WCS_NOT_ALLOWED_AS_BEARER',
  'INVALID_API_KEY',
  'EXPIRED_API_KEY',
  'REVOKED_API_KEY',
] as const;
const ACCESS_TOKEN_CODES = ['INVALID_ACCESS_TOKEN', 'EXPIRED_ACCESS_TOKEN', 'SESSION_IDLE_TIMEOUT'] as const;

/** The codes of the checks of who makes the request, in their order. */
function codesOfAccess(of: Route): readonly ErrorCode[] {
  const off = of.flag === undefined ? [] : [FLAG_OFF_CODES[of.flag]];
  const role = rolesOf(of).length === ROLES.length ? [] : (['INSUFFICIENT_ROLE'] as const);
  switch (of.keyKind) {
    case 'any':
    case 'live':
      return [
        ...API_KEY_CODES,
        ...ACCESS_TOKEN_CODES,
        ...(['PROJECT_NOT_FOUND', 'PRODUCTION_TIER_REQUIRED'] as const),
        ...off,
        'INSUFFICIENT_PERMISSIONS',
        ...role,
        ...(of.keyKind === 'live' ? (['SANDBOX_KEY_NOT_ALLOWED'] as const) : []),
      ];
    case 'user':
      return [...API_KEY_CODES, ...ACCESS_TOKEN_CODES, 'SESSION_REQUIRED', ...off, 'INSUFFICIENT_PERMISSIONS', ...role];
    case 'administrator':
      return [
        ...(['ORIGIN_NOT_ALLOWED', 'WCS_NOT_ALLOWED_AS_BEARER', 'INVALID_API_KEY', 'ADMIN_UNAUTHORIZED'] as const),
        ...off,
        'INSUFFICIENT_PERMISSIONS',
      ];
    case 'scim':
      return [
        ...(['ORIGIN_NOT_ALLOWED', 'WCS_NOT_ALLOWED_AS_BEARER', 'SCIM_UNAUTHORIZED'] as const),
        ...off,
        'INSUFFICIENT_PERMISSIONS',
      ];
    case 'widget':
      return ['INVALID_API_KEY', 'REVOKED_API_KEY', 'WIDGET_ORIGIN_NOT_ALLOWED', ...off];
    case 'none':
      return [...(of.usesCookies ? (['ORIGIN_NOT_ALLOWED'] as const) : []), ...off];
  }
}

/** Every code that the route can return, without the {@link COMMON_CODES}, in the order of the checks. */
export function codesOf(of: Route): readonly ErrorCode[] {
  const simulated = codesOfSimulations(simulationsOf(of)).filter((code) => !COMMON_CODES.includes(code));
  return [...new Set([...codesOfAccess(of), 'VALIDATION_ERROR' as const, ...of.errors, ...simulated])];
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
