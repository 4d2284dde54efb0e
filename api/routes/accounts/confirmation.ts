import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { Confirmation } from '../../../core/services/accounts/confirmation.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { route, type Route } from '../../http/route.js';
import { assertPrivate } from './private.js';
import { credential } from './webauthn.js';

export interface ConfirmationRoutesServices {
  readonly confirmation: Confirmation;
}

const ONE_WAY = bilingual(
  'must contain either credential, or password and totp',
  'يجب أن يحتوي على `credential` وحده، أو على `password` و`totp`',
);

const proof = z
  .strictObject({
    password: z.string().max(1000).optional(),
    totp: z.string().max(64).optional().describe('If an authenticator app is set up: its code, or a recovery code'),
    credential: credential.optional().describe('What a passkey answers to `POST /v1/sessions/passkey/options`'),
  })
  .refine(
    (given) => (given.credential === undefined) !== (given.password === undefined && given.totp === undefined),
    ONE_WAY,
  );

export function confirmationRoutes({ confirmation }: ConfirmationRoutesServices): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/sessions/confirm',
      operationId: 'confirmSession',
      summary: 'Confirm who you are',
      summaryAr: 'تأكيد هويتك',
      description:
        'Sensitive operations need a session that was confirmed less than 5 minutes ago: with everything that signing in asks for, or with a ' +
        'passkey. A code that signed in is used, so wait for the next one. Ten tries in 15 minutes.',
      tag: 'Sessions',
      keyKind: 'user',
      permission: null,
      enrols: true,
      idempotent: false,
      body: proof,
      responses: {
        200: { schema: z.strictObject({ confirmed_until: timeOutput }), description: 'The session is confirmed' },
      },
      errors: ['NOT_FOUND', 'INVALID_CREDENTIALS', 'PASSWORD_SSO_ONLY'],
      handler: async ({ user, body, isPrivate }) => {
        if (body.password !== undefined) assertPrivate({ isPrivate });
        const given =
          body.credential === undefined
            ? { password: body.password ?? null, totp: body.totp ?? null }
            : { credential: body.credential as unknown as AuthenticationResponseJSON };
        const { until } = await confirmation.confirm(user, given);
        return { status: 200, body: { confirmed_until: isoTime(until) } };
      },
    }),
  ];
}
