import { createHash } from 'node:crypto';
import { z } from 'zod';
import { detailOf, invalidField, validationError, type Phrase } from '../../../core/model/errors/index.js';
import {
  DEFAULT_PAGE,
  isLoopbackUrl,
  isOwnPage,
  LOOPBACK_RULE,
  PAGE_RULE,
} from '../../../core/model/accounts/sign-on-target.js';
import {
  callbackUrl,
  FLOW_SECONDS,
  type BeginSignOn,
  type SsoSubjectChoice,
} from '../../../core/services/single-sign-on/begin.js';
import type { CompleteSignOn } from '../../../core/services/single-sign-on/complete.js';
import { route, type Route } from '../../http/route.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { idInput } from '../../http/schema/schemas.js';
import { assertPrivate } from './private.js';
import { noteOfSession, noteOfTry, sessionClient, sessionObject, sessionReply } from './session-reply.js';

const TAG = 'Single sign-on';

/**
 * Shows that the browser that comes back from the identity provider is the one that went there. It comes with a link of
 * another site, so it is `Lax`.
 */
const BROWSER_COOKIE = '__Host-hatif_sso';

/** Base64url of a SHA-256 (RFC 7636 §4.2). */
const challenge = z
  .string()
  .regex(/^[\w-]{43}$/, bilingual('must be 43 characters of base64url', 'يجب أن يتكوّن من 43 حرفًا بترميز base64url'));
/** RFC 7636 §4.1 */
const verifier = z
  .string()
  .regex(
    /^[\w.~-]{43,128}$/,
    bilingual(
      'must be 43 to 128 letters, digits and the signs - . _ ~',
      'يجب أن يتكوّن من 43 إلى 128 حرفًا أو رقمًا أو من الرموز `- . _ ~`',
    ),
  );

const ONE: Phrase = { en: 'give either email or organization', ar: 'أرسل `email` أو `organization`، لا كليهما' };
const NEEDED: Phrase = { en: 'is required with client=other', ar: 'مطلوب مع `client=other`' };
const NOT_FOR_BROWSERS: Phrase = { en: 'is for client=other only', ar: 'مخصص لـ `client=other` فقط' };
const UNASKED: Phrase = {
  en: 'is missing: a page of another site leads here without a click; open the address yourself',
  ar: 'غير موجودة: قادت إلى هنا صفحة من موقع آخر دون نقر منك؛ افتح العنوان بنفسك',
};
const NOT_FOR_PROGRAMS: Phrase = { en: 'is for client=browser only', ar: 'مخصص لـ `client=browser` فقط' };

const beginning = z.strictObject({
  email: z
    .string()
    .max(254)
    .optional()
    .describe('Your address: its domain says which organization’s provider signs you in'),
  organization: idInput.optional().describe('The organization, in place of `email`'),
  client: sessionClient
    .default('browser')
    .describe('`browser` gets a cookie, `other` a code for `POST /v1/sso/session`'),
  return_to: z
    .string()
    .max(1000)
    .optional()
    .describe(`The page that the browser opens afterwards; default \`${DEFAULT_PAGE}\``),
  redirect_uri: z.string().max(1000).optional().describe('For `other`: where the program on this machine gets `code`'),
  code_challenge: challenge.optional().describe('For `other`: base64url SHA-256 of the `code_verifier` (S256)'),
  confirm: z
    .enum(['true', 'false'])
    .default('false')
    .describe('`true`: the provider asks for the identity again unless it did so in the last five minutes'),
});

export interface SsoSignInRoutesServices {
  readonly begin: BeginSignOn;
  readonly complete: CompleteSignOn;
  readonly publicUrl: () => string;
}

/** Signing in through the identity provider of an organization. */
export function ssoSignInRoutes({ begin, complete, publicUrl }: SsoSignInRoutesServices): Route[] {
  const open = { tag: TAG, scope: null, keyKind: 'none', usesCookies: true } as const;
  return [
    route({
      ...open,
      method: 'GET',
      path: '/v1/sso/start',
      operationId: 'startSso',
      summary: 'Begin a single sign-on',
      summaryAr: 'بدء تسجيل الدخول الموحّد',
      description:
        'A page or program opens this address in the person’s browser. It leads to the identity provider (authorization code with PKCE, ' +
        '`state` and `nonce`), which leads back to `GET /v1/sso/callback` within ten minutes. Over plain HTTP it works on this machine only, and from pages of ' +
        'other sites with a click only.',
      query: beginning,
      responses: {
        303: {
          schema: null,
          description: 'To the identity provider',
          headers: { Location: 'Where the person signs in' },
        },
      },
      errors: ['SSO_NOT_CONFIGURED', 'SSO_PROVIDER_UNAVAILABLE', 'INSUFFICIENT_PERMISSIONS'],
      handler: async ({ query, ip, cookies, isPrivate, isUnasked }) => {
        assertPrivate({ isPrivate });
        if (isUnasked) throw invalidField('Sec-Fetch-User', UNASKED);
        const target = targetOf(query);
        const browser = cookies.get(BROWSER_COOKIE) ?? null;
        const confirm = query.confirm === 'true';
        const begun = await begin.begin(
          { whose: whoseOf(query), client: query.client, ...target, confirm, browser },
          ip,
        );
        return { status: 303, headers: { Location: begun.url, 'Set-Cookie': browserCookie(begun.browser) } };
      },
    }),
    route({
      ...open,
      method: 'GET',
      path: '/v1/sso/callback',
      operationId: 'finishSso',
      summary: 'Finish a single sign-on',
      summaryAr: 'إكمال تسجيل الدخول الموحّد',
      description:
        'The identity provider sends the browser here; its `state` works once, in the browser that began. A browser gets the refresh token in ' +
        'the cookie of `POST /v1/sessions`, and its page asks `POST /v1/sessions/refresh` for an access token. A program gets a code. No ' +
        'token is in an address. Somebody new becomes a member if a group or the default gives a role; the role of a member follows the ' +
        'groups.',
      isAudited: true,
      takesAnyQuery: true,
      query: z.looseObject({
        code: z.string().optional().describe('From the identity provider'),
        state: z.string().optional().describe('From `GET /v1/sso/start`'),
        error: z.string().optional().describe('Why the identity provider refused'),
      }),
      responses: {
        303: {
          schema: null,
          description: 'Signed in',
          headers: { Location: '`return_to`, or `redirect_uri` with `code`, which works once, for a minute' },
        },
      },
      errors: [
        'SSO_STATE_INVALID',
        'SSO_PROVIDER_UNAVAILABLE',
        'SSO_ANSWER_INVALID',
        'SSO_NOT_ADMITTED',
        'INSUFFICIENT_PERMISSIONS',
      ],
      handler: async ({ query, ip, userAgent, cookies, isPrivate, note }) => {
        assertPrivate({ isPrivate });
        const url = new URL(callbackUrl(publicUrl()));
        for (const [name, value] of Object.entries(query))
          if (typeof value === 'string') url.searchParams.set(name, value);
        const browser = cookies.get(BROWSER_COOKIE) ?? null;
        const { target, user, session, code } = await complete.complete({ url, browser }, { ip, userAgent });
        const { id, email, organization_id: organizationId } = user;
        note({ user: { id, email, organizationId }, details: { single_sign_on: true } });
        if (session === null)
          return { status: 303, headers: { Location: `${target}?${new URLSearchParams({ code }).toString()}` } };
        note(noteOfSession(session));
        return { status: 303, headers: { ...sessionReply(session).headers, Location: target } };
      },
    }),
    route({
      ...open,
      method: 'POST',
      path: '/v1/sso/session',
      operationId: 'fetchSsoSession',
      summary: 'Get the session of a single sign-on',
      summaryAr: 'الحصول على جلسة تسجيل الدخول الموحّد',
      description:
        'For programs: exchanges the code that came to `redirect_uri`, once, within a minute. Answers as `POST /v1/sessions` does.',
      body: z.strictObject({
        code: z.string().max(200),
        code_verifier: verifier.describe('What `code_challenge` was made of'),
      }),
      responses: { 200: { schema: sessionObject, description: 'The session' } },
      errors: ['SSO_STATE_INVALID', 'SSO_NOT_ADMITTED', 'INSUFFICIENT_PERMISSIONS'],
      handler: async ({ body, ip, userAgent, isPrivate, note }) => {
        assertPrivate({ isPrivate });
        const made = createHash('sha256').update(body.code_verifier).digest('base64url');
        const live = await complete.exchange(body.code, made, { ip, userAgent });
        note(noteOfTry(live.user.email));
        note(noteOfSession(live));
        return { status: 200, ...sessionReply(live) };
      },
    }),
  ];
}

type Beginning = z.output<typeof beginning>;

/** @throws HatifError VALIDATION_ERROR */
function whoseOf({ email, organization }: Beginning): SsoSubjectChoice {
  if (email !== undefined && organization === undefined) return { email };
  if (organization !== undefined && email === undefined) return { organizationId: organization };
  throw validationError([detailOf('email', ONE)]);
}

/** @throws HatifError VALIDATION_ERROR */
function targetOf(query: Beginning): { readonly target: string; readonly challenge: string | null } {
  const { client, return_to = DEFAULT_PAGE, redirect_uri, code_challenge } = query;
  if (client === 'browser') {
    if (redirect_uri !== undefined) throw validationError([detailOf('redirect_uri', NOT_FOR_BROWSERS)]);
    if (code_challenge !== undefined) throw validationError([detailOf('code_challenge', NOT_FOR_BROWSERS)]);
    if (!isOwnPage(return_to)) throw validationError([detailOf('return_to', PAGE_RULE)]);
    return { target: return_to, challenge: null };
  }
  if (query.return_to !== undefined) throw validationError([detailOf('return_to', NOT_FOR_PROGRAMS)]);
  if (code_challenge === undefined) throw validationError([detailOf('code_challenge', NEEDED)]);
  if (redirect_uri === undefined) throw validationError([detailOf('redirect_uri', NEEDED)]);
  if (!isLoopbackUrl(redirect_uri)) throw validationError([detailOf('redirect_uri', LOOPBACK_RULE)]);
  return { target: redirect_uri, challenge: code_challenge };
}

function browserCookie(value: string): string {
  return `${BROWSER_COOKIE}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${FLOW_SECONDS}`;
}
