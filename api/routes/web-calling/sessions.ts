import { z } from 'zod';
import type { WebSessionScope } from '../../../core/data/repositories/web-calling/sessions.js';
import type { WebSessionRow } from '../../../core/data/rows.js';
import { invalidField } from '../../../core/model/errors/index.js';
import type { IceServer } from '../../../core/model/web-calling.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { Caller } from '../../../core/services/access/caller.js';
import type {
  ManageWebSessions,
  NewWebSession,
  WebSessionWithToken,
} from '../../../core/services/web-calling/sessions.js';
import { ownAgentOf, scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';
import { newSession, present, session, sessionWithToken, ttl } from './fields.js';

export const TAG = 'Web calling';

/** What a browser needs beside its SIP account. */
export interface BrowserWays {
  readonly wsUrl: (sessionId: string) => string;
  /** @param region null: the order of the settings */
  readonly iceServers: (session: WebSessionRow, region: string | null) => IceServer[];
}

export interface WebSessionRoutesServices {
  readonly sessions: ManageWebSessions;
  readonly ways: BrowserWays;
  readonly clock: Pick<Clock, 'now'>;
}

const params = z.strictObject({ session_id: idParam('WCS_NOT_FOUND') });
const NO_AGENT = { en: 'your user has no agent', ar: 'حسابك غير مرتبط بموظف' };

/** Sessions of web calling, for backends and for agents. */
export function webSessionRoutes({ sessions, ways, clock }: WebSessionRoutesServices): Route[] {
  const common = { tag: TAG, flag: 'web_calling', scope: 'web_calling:write', keyKind: 'any', ownRows: true } as const;
  const withToken = ({ session: row, token }: WebSessionWithToken): z.output<typeof sessionWithToken> => ({
    ...present(row, clock.now()),
    token,
    ws_url: ways.wsUrl(row.id),
    ice_servers: ways.iceServers(row, null),
  });
  return [
    route({
      ...common,
      method: 'POST',
      path: '/v1/web-calling/sessions',
      operationId: 'createWebCallingSession',
      summary: 'Create a web calling session',
      summaryAr: 'إنشاء جلسة اتصال من المتصفح',
      description:
        'Lets one browser call and be called. Give the browser the token only: it exchanges it at `POST /v1/web-calling/connect` for its SIP ' +
        'account. What `allow` does not name is not allowed. A member with the role `agent` gets a session of the own agent, whatever the body ' +
        'says of the agent, the identity and the caller ID. A session of the sandbox has a SIP account that no engine knows.',
      body: newSession,
      auditFields: ['identity', 'agent', 'allow', 'ttl_seconds', 'require_relay'],
      secretFields: ['token'],
      responses: { 201: { schema: sessionWithToken, description: 'The session with its token' } },
      errors: ['INVALID_PHONE_NUMBER', 'CLI_NOT_OWNED', 'WEBRTC_CONCURRENCY_LIMIT'],
      handler: async ({ caller, body: { allow, ...body } }) => {
        const owner = { projectId: caller.projectId, organizationId: caller.organizationId, sandbox: caller.sandbox };
        const wanted = asOwn(caller, { ...body, rights: allow });
        return { status: 201, body: withToken(await sessions.create(owner, wanted)) };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/web-calling/sessions',
      operationId: 'listWebCallingSessions',
      summary: 'List web calling sessions',
      summaryAr: 'عرض جلسات الاتصال من المتصفح',
      description: 'Newest first, including those that are over for less than 30 days.',
      query: z.strictObject({ ...cursorQuery, identity: z.string().max(64).optional() }),
      responses: { 200: { schema: cursorList(session), description: 'One page of sessions' } },
      errors: [],
      handler: async ({ caller, query: { cursor, limit, identity }, cursors }) => {
        const rows = await sessions.page(seenBy(caller), identity ?? null, cursors.read(cursor), limit + 1);
        const now = clock.now();
        return {
          status: 200,
          body: cursorPage(
            rows,
            limit,
            cursors,
            ({ id }) => id,
            (row) => present(row, now),
          ),
        };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/web-calling/sessions/:session_id',
      operationId: 'getWebCallingSession',
      summary: 'Read a web calling session',
      summaryAr: 'قراءة جلسة اتصال من المتصفح',
      params,
      responses: { 200: { schema: session, description: 'The session' } },
      errors: ['WCS_NOT_FOUND'],
      handler: async ({ caller, params: { session_id } }) => ({
        status: 200,
        body: present(await sessions.get(seenBy(caller), session_id), clock.now()),
      }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/web-calling/sessions/:session_id/refresh',
      operationId: 'refreshWebCallingSession',
      summary: 'Extend a web calling session',
      summaryAr: 'تمديد جلسة اتصال من المتصفح',
      description:
        'A new token for the same SIP account, and more time from now on. Calls continue, and the browser need not use the token unless it was reloaded. A token that no browser has used no longer works.',
      params,
      body: z.strictObject({ ttl_seconds: ttl.optional().describe('Defaults to the time that the session had') }),
      auditFields: ['ttl_seconds'],
      secretFields: ['token'],
      responses: { 200: { schema: sessionWithToken, description: 'The session with its new token' } },
      errors: ['WCS_NOT_FOUND', 'WCS_EXPIRED', 'WCS_REVOKED'],
      handler: async ({ caller, params: { session_id }, body: { ttl_seconds } }) => ({
        status: 200,
        body: withToken(await sessions.refresh(seenBy(caller), session_id, ttl_seconds ?? null)),
      }),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/v1/web-calling/sessions/:session_id',
      operationId: 'revokeWebCallingSession',
      summary: 'Revoke a web calling session',
      summaryAr: 'إلغاء جلسة اتصال من المتصفح',
      description:
        'The token and the SIP account work no more, and the calls of the browser end within seconds. Revoking a session that is over changes nothing.',
      params,
      responses: { 204: { schema: null, description: 'The session is over' } },
      errors: ['WCS_NOT_FOUND'],
      handler: async ({ caller, params: { session_id } }) => {
        await sessions.revoke(seenBy(caller), session_id);
        return { status: 204 };
      },
    }),
  ];
}

function seenBy(caller: Caller): WebSessionScope {
  const { projectId, sandboxOnly, agent } = scopeOf({ caller });
  return { projectId, sandboxOnly, agent: agent ?? null };
}

/** A member who sees own rows only calls as the own agent. @throws HatifError VALIDATION_ERROR for one without an agent */
function asOwn(caller: Caller, wanted: NewWebSession): NewWebSession {
  const agent = ownAgentOf(caller);
  if (agent === null) return wanted;
  if (agent === '') throw invalidField('agent', NO_AGENT);
  return { ...wanted, agent, identity: agent, rights: { ...wanted.rights, caller_id_number: null } };
}
