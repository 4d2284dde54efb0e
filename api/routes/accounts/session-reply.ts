import { z } from 'zod';
import { maskEmail } from '../../../core/model/access/masking.js';
import { idOutput } from '../../../core/model/objects/fields.js';
import { profileObject } from '../../../core/model/objects/profile.js';
import { ACCESS_TOKEN_SECONDS, type LiveSession } from '../../../core/services/accounts/sessions.js';
import type { AuditNote } from '../../http/route.js';

/**
 * The browser's cookie of the refresh token. `__Host-` binds it to this very host (RFC 6265bis §4.1.3.2). Browsers take
 * it over plain HTTP only from their own machine.
 */
export const REFRESH_COOKIE = '__Host-hatif_refresh';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';

/** Where a session is kept. */
export const sessionClient = z.enum(['browser', 'other']);

/** The client of a new session, as a request names it. */
export const wantedClient = sessionClient
  .default('other')
  .describe('`browser` gets the refresh token in a cookie that its scripts cannot read');

export const sessionObject = z
  .strictObject({
    access_token: z.string().describe('Sent as `Authorization: Bearer`'),
    expires_in: z.int().describe('Seconds until the access token expires'),
    refresh_token: z
      .string()
      .nullable()
      .describe('Gets the next access token, once; null for a browser, which has it in a cookie'),
    session_id: idOutput,
    user: profileObject.pick({
      id: true,
      email: true,
      email_confirmed: true,
      name: true,
      locale: true,
      project_ids: true,
      agent: true,
    }),
    organization: profileObject.shape.organization,
    role: profileObject.shape.role,
  })
  .meta({ id: 'SignedIn' });

/** The answer to a sign-in or refresh: the tokens, in a cookie what a browser must not see. */
export function sessionReply({ session, user, organization, accessToken, refreshToken }: LiveSession): {
  readonly body: z.output<typeof sessionObject>;
  readonly headers: Readonly<Record<string, string>>;
} {
  const isBrowser = session.client === 'browser';
  return {
    headers: isBrowser ? { 'Set-Cookie': refreshCookie(refreshToken, session.expires_at) } : {},
    body: {
      access_token: accessToken,
      expires_in: ACCESS_TOKEN_SECONDS,
      refresh_token: isBrowser ? null : refreshToken,
      session_id: session.id,
      user: {
        id: user.id,
        email: user.email,
        email_confirmed: user.email_confirmed_at !== null,
        name: user.name,
        locale: user.locale,
        project_ids: user.project_ids && [...user.project_ids],
        agent: user.agent,
      },
      organization: {
        id: organization.id,
        name: organization.name,
        tier: organization.account_kind,
        second_factor_required: organization.second_factor_required,
      },
      role: user.role,
    },
  };
}

/** For the audit log: who has just signed in, and whether a second factor or a passkey proved it, too. */
export function noteOfSession({ user, session }: LiveSession): AuditNote {
  const { id, email, organization_id: organizationId } = user;
  return { user: { id, email, organizationId }, details: { second_factor: session.second_factor } };
}

/** For the audit log: which account somebody tries. Masked, because people also type passwords into the wrong field. */
export function noteOfTry(email: string): AuditNote {
  return { details: { account: maskEmail(email) } };
}

/** Removes the cookie from the browser. */
export const FORGET_REFRESH_COOKIE = { 'Set-Cookie': `${REFRESH_COOKIE}=; ${ATTRIBUTES}; Max-Age=0` };

function refreshCookie(token: string, expiresAt: Date): string {
  return `${REFRESH_COOKIE}=${token}; ${ATTRIBUTES}; Expires=${expiresAt.toUTCString()}`;
}
