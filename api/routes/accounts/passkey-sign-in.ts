import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import type { PasskeySignIn } from '../../../core/services/accounts/passkey-sign-in.js';
import type { SignIn } from '../../../core/services/accounts/sign-in.js';
import { route, type Route } from '../../http/route.js';
import { noteOfSession, sessionObject, sessionReply, wantedClient } from './session-reply.js';
import { credential, webauthnOptions } from './webauthn.js';

const TAG = 'Sessions';

export interface PasskeySignInRoutesServices {
  readonly passkeySignIn: PasskeySignIn;
  readonly signIn: Pick<SignIn, 'withPasskey'>;
}

export function passkeySignInRoutes({ passkeySignIn, signIn }: PasskeySignInRoutesServices): Route[] {
  const open = { method: 'POST', tag: TAG, scope: null, keyKind: 'none' } as const;
  return [
    route({
      ...open,
      path: '/v1/sessions/passkey/options',
      operationId: 'beginPasskeySignIn',
      summary: 'Begin to sign in with a passkey',
      summaryAr: 'بدء تسجيل الدخول بمفتاح مرور',
      description: 'Give `options` to `navigator.credentials.get()`. The answer also confirms a session.',
      responses: { 200: { schema: webauthnOptions, description: 'The challenge, which works once, for 5 minutes' } },
      errors: ['NOT_FOUND'],
      handler: async () => ({ status: 200, body: { options: { ...(await passkeySignIn.begin()) } } }),
    }),
    route({
      ...open,
      path: '/v1/sessions/passkey',
      operationId: 'signInWithPasskey',
      summary: 'Sign in with a passkey',
      summaryAr: 'تسجيل الدخول بمفتاح مرور',
      description:
        'The device verifies its owner, so the session needs neither password nor second factor. Answers as `POST /v1/sessions` does.',
      usesCookies: true,
      body: z.strictObject({ credential, client: wantedClient }),
      responses: { 200: { schema: sessionObject, description: 'The session' } },
      errors: ['NOT_FOUND', 'INVALID_CREDENTIALS', 'PASSWORD_SSO_ONLY', 'INSUFFICIENT_PERMISSIONS'],
      handler: async ({ body, ip, userAgent, note }) => {
        const userId = await passkeySignIn.verify(body.credential as unknown as AuthenticationResponseJSON);
        const live = await signIn.withPasskey(userId, body.client, { ip, userAgent });
        note(noteOfSession(live));
        return { status: 200, ...sessionReply(live) };
      },
    }),
  ];
}
