import { z } from 'zod';
import { ROLES } from '../../../core/model/access/roles.js';
import { idOutput } from '../../../core/model/objects/fields.js';
import { organizationOfUser } from '../../../core/model/objects/profile.js';
import { ACCESS_TOKEN_SECONDS, type LiveSession } from '../../../core/services/accounts/sessions.js';

/**
 * The browser's cookie of the refresh token. `__Host-` binds it to this very host (RFC 6265bis §4.1.3.2). Browsers take
 * it over plain HTTP only from their own machine.
 */
export const REFRESH_COOKIE = '__Host-hatif_refresh';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';

export const sessionObject = z
  .strictObject({
    access_token: z.string().describe('Sent as `Authorization: Bearer`'),
    expires_in: z.int().describe('Seconds until the access token expires'),
    refresh_token: z
      .string()
      .nullable()
      .describe('Gets the next access token, once; null for a browser, which has it in a cookie'),
    session_id: idOutput,
    user: z.strictObject({
      id: idOutput,
      email: z.string(),
      email_confirmed: z.boolean(),
      name: z.string(),
      locale: z.enum(['ar', 'en']),
      project_ids: z.array(idOutput).nullable().describe('Null: all of the organization'),
      agent: z.string().nullable().describe('The extension that the user answers calls at'),
    }),
    organization: organizationOfUser,
    role: z.enum(ROLES),
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
        project_ids: user.project_ids === null ? null : [...user.project_ids],
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

/** Removes the cookie from the browser. */
export const FORGET_REFRESH_COOKIE = { 'Set-Cookie': `${REFRESH_COOKIE}=; ${ATTRIBUTES}; Max-Age=0` };

function refreshCookie(token: string, expiresAt: Date): string {
  return `${REFRESH_COOKIE}=${token}; ${ATTRIBUTES}; Expires=${expiresAt.toUTCString()}`;
}
