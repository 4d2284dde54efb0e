import { z } from 'zod';
import { HatifError } from '../../../core/model/errors/index.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { ConfirmSignUp } from '../../../core/services/accounts/signup/confirm.js';
import type { SignUp } from '../../../core/services/accounts/signup/signup.js';
import type { Account } from '../../../core/services/provisioning/account.js';
import { route, type Route } from '../../http/route.js';
import { CHALLENGE_FORMAT, challengeFields, proofFields } from '../../http/schema/proof-of-work.js';
import { idInput } from '../../http/schema/schemas.js';
import { assertPrivate } from './private.js';
import { sessionObject, sessionReply, wantedClient } from './session-reply.js';
import { presentSoftphone, softphoneObject } from './softphone.js';

export interface SignupRoutesServices {
  /** Whether the operator lets strangers sign up. */
  readonly isOpen: boolean;
  readonly signUp: SignUp;
  readonly confirmation: ConfirmSignUp;
}

const TAG = 'Sign-up';

const form = z.strictObject({
  email: z
    .string()
    .optional()
    .describe('Required')
    .meta({ examples: ['huda@example.com'] }),
  password: z.string().optional().describe('Required; the rules are those of `POST /v1/me/password`'),
  name: z
    .string()
    .optional()
    .describe('Required; 1 to 100 characters')
    .meta({ examples: ['Huda'] }),
  organization_name: z
    .string()
    .optional()
    .describe('Required; 1 to 100 characters')
    .meta({ examples: ['Riyadh Dental'] }),
  locale: z
    .string()
    .optional()
    .describe('`ar` (default) or `en`: the language of mails and of the first call flow')
    .meta({ examples: ['ar'] }),
  challenge: z
    .strictObject(proofFields)
    .meta({ id: 'SignupProof' })
    .optional()
    .describe('Required; the solved challenge of `GET /v1/signup/challenge`'),
});

const { access_token, expires_in, refresh_token, session_id, user, organization, role } = sessionObject.shape;

const account = z
  .strictObject({
    user,
    organization,
    role,
    project: z.strictObject({ id: idOutput, name: z.string() }),
    session: z.strictObject({ session_id, access_token, expires_in, refresh_token }),
    softphone: softphoneObject,
    callflow_id: idOutput.describe('An active call flow of the sandbox'),
    number: z.string().describe('A number of the sandbox, bound to the call flow'),
  })
  .meta({ id: 'SignedUp' });

/** How strangers make an organization of their own. */
export function signupRoutes({ isOpen, signUp, confirmation }: SignupRoutesServices): Route[] {
  const common = { tag: TAG, scope: null, keyKind: 'none' } as const;
  const assertOpen = (): void => {
    if (!isOpen) throw new HatifError('NOT_FOUND', { what: CLOSED });
  };
  return [
    route({
      ...common,
      method: 'GET',
      path: '/v1/signup/challenge',
      operationId: 'getSignupChallenge',
      summary: 'Get a proof-of-work challenge',
      summaryAr: 'مهمة تحقق للتسجيل',
      description:
        'Find `number`, from 0 to `maxnumber`, such that the SHA-256 of `salt` followed by the number is `challenge`. A solution is valid once, for ten minutes.',
      responses: {
        200: {
          schema: z.strictObject(challengeFields).meta({ id: 'SignupChallenge', description: CHALLENGE_FORMAT }),
          description: 'The challenge',
        },
      },
      errors: ['NOT_FOUND'],
      handler: async () => {
        assertOpen();
        return { status: 200, body: await signUp.challenge() };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/signup',
      operationId: 'signUp',
      summary: 'Sign up',
      summaryAr: 'التسجيل',
      description:
        'Sends a link to the address, which completes the sign-up with `POST /v1/signup/confirm` within 24 hours; nothing is made before. If a user ' +
        'has the address, the answer is the same, and that user gets a mail that says so. Ten requests of a client in 15 minutes, three sign-ups of ' +
        'an address in an hour. If the operator has not opened sign-up, all of its routes answer 404.',
      body: form,
      responses: {
        202: {
          schema: z.strictObject({ signup_id: idOutput, expires_at: timeOutput.describe('Until when the link works') }),
          description: 'A mail is sent to the address',
        },
      },
      errors: ['NOT_FOUND', 'CAPTCHA_FAILED', 'SIGNUP_VALIDATION_FAILED', 'SIGNUP_FAILED'],
      handler: async ({ body: { challenge, ...given }, ip, isPrivate }) => {
        assertOpen();
        assertPrivate({ isPrivate });
        const { id, expiresAt } = await signUp.begin(given, challenge ?? null, ip);
        return { status: 202, body: { signup_id: id, expires_at: isoTime(expiresAt) } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/signup/resend',
      operationId: 'resendSignup',
      summary: 'Send the link again',
      summaryAr: 'إعادة إرسال رابط التسجيل',
      description:
        'Sends another link, which replaces the one before, if the sign-up still waits. The answer is the same if it does not. Two mails of a ' +
        'sign-up in an hour.',
      body: z.strictObject({ signup_id: idInput }),
      responses: { 202: { schema: z.strictObject({}), description: 'A mail is sent if the sign-up waits' } },
      errors: ['NOT_FOUND', 'SIGNUP_FAILED'],
      handler: async ({ body, ip }) => {
        assertOpen();
        await signUp.resend(body.signup_id, ip);
        return { status: 202, body: {} };
      },
    }),
    route({
      ...common,
      usesCookies: true,
      method: 'POST',
      path: '/v1/signup/confirm',
      operationId: 'confirmSignup',
      summary: 'Complete a sign-up with the link',
      summaryAr: 'إكمال التسجيل عبر الرابط',
      description:
        'Takes the `token` of the link in the mail, and the password of the sign-up again: so nobody can choose the password of an account that ' +
        'the owner of the address confirms. Makes the sandbox organization with a project, its owner, a softphone that every engine knows, an ' +
        'active call flow and a number of the sandbox, and signs the owner in: all or nothing. If an engine refuses the softphone, or none accepts it ' +
        'within ten seconds, the answer is `PBX_PROVISIONING_FAILED`, and the link still works. The softphone cannot call outside numbers. ' +
        'Of two requests at the same moment, one makes the account and the other gets `SIGNUP_EMAIL_TAKEN`. Ten tries in 15 minutes.',
      body: z.strictObject({
        token: z.string().max(200),
        password: z.string().max(1000),
        client: wantedClient,
      }),
      responses: { 201: { schema: account, description: 'All that was made. The SIP password is shown only here' } },
      errors: ['NOT_FOUND', 'INVALID_CREDENTIALS', 'SIGNUP_EMAIL_TAKEN', 'PBX_PROVISIONING_FAILED', 'SIGNUP_FAILED'],
      handler: async ({ body, ip, userAgent, isPrivate, note }) => {
        assertOpen();
        assertPrivate({ isPrivate });
        const confirmed = await confirmation.confirm(body, { ip, userAgent });
        const { owner, organization: made, project } = confirmed.account;
        note({
          organizationId: made.id,
          projectId: project.id,
          user: { id: owner.id, email: owner.email, organizationId: made.id },
        });
        const { body: signedIn, headers } = sessionReply(confirmed.session);
        return { status: 201, body: presentAccount(confirmed.account, signedIn), headers };
      },
    }),
  ];
}

function presentAccount(made: Account, signedIn: z.output<typeof sessionObject>): z.output<typeof account> {
  const { user: owner, organization: of, role: as, ...session } = signedIn;
  const { project, starter } = made;
  if (starter === null) throw new Error('a sign-up makes a sandbox');
  return {
    user: owner,
    organization: of,
    role: as,
    project: { id: project.id, name: project.name },
    session,
    softphone: presentSoftphone(made),
    callflow_id: starter.callflow.id,
    number: starter.number.e164,
  };
}

const CLOSED = { en: 'sign-up: the operator has not opened it', ar: 'التسجيل: لم يفتحه المشغّل' };
