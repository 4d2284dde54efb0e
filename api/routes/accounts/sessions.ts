import { z } from 'zod';
import type { SessionRow } from '../../../core/data/rows.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { SessionService } from '../../../core/services/accounts/sessions.js';
import type { SignIn } from '../../../core/services/accounts/sign-in.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';
import { assertPrivate } from './private.js';
import {
  FORGET_REFRESH_COOKIE,
  noteOfSession,
  noteOfTry,
  REFRESH_COOKIE,
  sessionClient,
  sessionObject,
  sessionReply,
  wantedClient,
} from './session-reply.js';

export interface SessionRoutesServices {
  readonly signIn: SignIn;
  readonly sessions: SessionService;
}

const TAG = 'Sessions';

const listedSession = z
  .strictObject({
    id: idOutput,
    current: z.boolean().describe('The session of this request'),
    client: sessionClient,
    ip: z.string().describe('Where it was last refreshed'),
    user_agent: z.string(),
    impersonated: z.boolean().describe('An administrator of the installation acts as you; the session only reads'),
    created_at: timeOutput,
    last_used_at: timeOutput.describe('To the minute'),
    expires_at: timeOutput,
  })
  .meta({ id: 'Session' });

const credentials = z.strictObject({
  email: z.string().max(254),
  password: z.string().max(1000),
  totp: z
    .string()
    .max(64)
    .optional()
    .describe('If the account has a second factor: the code of the authenticator app, or a recovery code'),
  client: wantedClient,
});

const refresh = z.strictObject({
  refresh_token: z.string().max(200).optional().describe('A browser sends its cookie instead'),
});

/** Signing in, and the sessions of the signed-in user. */
export function sessionRoutes({ signIn, sessions }: SessionRoutesServices): Route[] {
  const open = { tag: TAG, scope: null, keyKind: 'none', usesCookies: true } as const;
  const own = { tag: TAG, permission: null, keyKind: 'user', enrols: true } as const;
  return [
    route({
      ...open,
      method: 'POST',
      path: '/v1/sessions',
      operationId: 'signIn',
      summary: 'Sign in',
      summaryAr: 'تسجيل الدخول',
      description:
        'Begins a session of at most 30 days. An unknown address and a wrong password are one and the same error; if only `totp` is ' +
        'missing or wrong, `details` names it. After ten failures of an address, or for an account, in 15 minutes, further tries are ' +
        'refused. Who must sign in through an identity provider gets `PASSWORD_SSO_ONLY`, whatever the password is. Passwords are taken over HTTPS, and over plain HTTP from this machine only. The cookie of `client: "browser"` is ' +
        '`Secure`: over plain HTTP on this machine, Chromium and Firefox keep it, Safari does not.',
      body: credentials,
      responses: { 200: { schema: sessionObject, description: 'The session' } },
      errors: ['PASSWORD_SSO_ONLY', 'INVALID_CREDENTIALS', 'INSUFFICIENT_PERMISSIONS'],
      handler: async ({ body: { totp = null, ...given }, ip, userAgent, isPrivate, note }) => {
        assertPrivate({ isPrivate });
        note(noteOfTry(given.email));
        const live = await signIn.withPassword({ ...given, totp }, { ip, userAgent });
        note(noteOfSession(live));
        return { status: 200, ...sessionReply(live) };
      },
    }),
    route({
      ...open,
      method: 'POST',
      path: '/v1/sessions/refresh',
      operationId: 'refreshSession',
      summary: 'Get the next tokens',
      summaryAr: 'تجديد الرموز',
      description:
        'Exchanges the refresh token of the body, or of the cookie, for new tokens. Each refresh token works once. If several requests ' +
        'send one within ten seconds, one gets the tokens and the others `REFRESH_ROTATION_RACE`: a browser then has the new cookie ' +
        'already and tries again. A later repetition means that somebody else has the token: the session ends, and the user gets a mail. ' +
        'A session that is not used for the time that the organization allows ends, too.',
      body: refresh,
      responses: { 200: { schema: sessionObject, description: 'The session with its new tokens' } },
      errors: [
        'INVALID_REFRESH_TOKEN',
        'EXPIRED_REFRESH_TOKEN',
        'REFRESH_REUSE_DETECTED',
        'REFRESH_ROTATION_RACE',
        'SESSION_IDLE_TIMEOUT',
        'INSUFFICIENT_PERMISSIONS',
      ],
      handler: async ({ body, cookies, ip, userAgent, note }) => {
        const token = body.refresh_token ?? cookies.get(REFRESH_COOKIE);
        if (token === undefined) throw new HatifError('INVALID_REFRESH_TOKEN');
        const live = await sessions.refresh(token, { ip, userAgent });
        note(noteOfSession(live));
        return { status: 200, ...sessionReply(live) };
      },
    }),
    route({
      ...own,
      method: 'GET',
      path: '/v1/sessions',
      operationId: 'listSessions',
      summary: 'List your sessions',
      summaryAr: 'عرض جلساتك',
      description: 'The sessions in which you are signed in now, newest first.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(listedSession), description: 'One page of sessions' } },
      errors: [],
      handler: async ({ user, query: { cursor, limit }, cursors }) => {
        const rows = await sessions.list(user, cursors.read(cursor), limit + 1);
        const view = (row: SessionRow): z.output<typeof listedSession> => present(row, user.sessionId);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, view) };
      },
    }),
    route({
      ...own,
      method: 'POST',
      path: '/v1/sessions/logout',
      operationId: 'signOut',
      summary: 'Sign out',
      summaryAr: 'تسجيل الخروج',
      description: 'Ends the session of the request. Its tokens stop within two seconds.',
      whileImpersonated: true,
      idempotent: false,
      responses: { 204: { schema: null, description: 'The session has ended' } },
      errors: [],
      handler: async ({ user }) => {
        await sessions.signOut(user);
        return { status: 204, headers: FORGET_REFRESH_COOKIE };
      },
    }),
    route({
      ...own,
      method: 'DELETE',
      path: '/v1/sessions/:session_id',
      operationId: 'endSession',
      summary: 'End one of your sessions',
      summaryAr: 'إنهاء إحدى جلساتك',
      description: 'Its tokens stop within two seconds.',
      params: z.strictObject({ session_id: idParam('NOT_FOUND') }),
      responses: { 204: { schema: null, description: 'The session has ended' } },
      errors: ['NOT_FOUND'],
      handler: async ({ user, params: { session_id } }) => {
        await sessions.end(user, session_id);
        return { status: 204 };
      },
    }),
    route({
      ...own,
      method: 'DELETE',
      path: '/v1/sessions',
      operationId: 'endOtherSessions',
      summary: 'End all your other sessions',
      summaryAr: 'إنهاء جميع جلساتك الأخرى',
      description: 'The session of the request continues. The tokens of the others stop within two seconds.',
      responses: { 204: { schema: null, description: 'The others have ended' } },
      errors: [],
      handler: async ({ user }) => {
        await sessions.endOthers(user);
        return { status: 204 };
      },
    }),
  ];
}

function present(row: SessionRow, currentId: string): z.output<typeof listedSession> {
  return {
    id: row.id,
    current: row.id === currentId,
    client: row.client,
    ip: row.ip,
    user_agent: row.user_agent,
    impersonated: row.impersonated_by !== null,
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.last_used_at),
    expires_at: isoTime(row.expires_at),
  };
}
