import { z } from 'zod';
import { challengeObject } from '../../../core/model/objects/verification.js';
import type { VoiceAuth } from '../../../core/services/voice-auth/challenges.js';
import { scopeOf } from '../../http/caller.js';
import { LEG_REFUSALS } from '../../../core/services/dialling/refusals.js';
import { SANDBOX_REFUSALS } from '../../../core/services/sandbox/destinations.js';
import { route, type Route } from '../../http/route.js';
import { idInput, idParam, metadata, phoneNumber } from '../../http/schema/schemas.js';

const TAG = 'Voice authentication';

export interface VoiceAuthRoutesServices {
  readonly voiceAuth: VoiceAuth;
}

const startBody = z.strictObject({
  to: phoneNumber().describe('The number that is known to be the person’s'),
  assurance: z.string().max(64).default('number_match').describe('`number_match` is the only one'),
  brand_id: idInput.optional().describe('An approved brand, under which the call introduces itself'),
  language: z.enum(['ar', 'en']).default('ar'),
  expires_in_seconds: z.int().min(30).max(300).default(120),
  metadata: metadata.default({}),
});

export function voiceAuthRoutes({ voiceAuth }: VoiceAuthRoutesServices): Route[] {
  const common = { tag: TAG, keyKind: 'any', flag: 'voice_auth' } as const;
  return [
    route({
      ...common,
      method: 'POST',
      path: '/v1/voice-auth/challenges',
      operationId: 'startChallenge',
      summary: 'Authenticate a person by phone',
      summaryAr: 'مصادقة شخص بمكالمة هاتفية',
      description:
        'Show `match_number` to the person who signs in. The call names the brand and asks for the two digits, at most twice. ' +
        'Correct digits approve; wrong digits, `#` or hanging up deny. `voice_auth.completed` reports the outcome. A number is called at most three ' +
        'times in ten minutes, and not for a day after three denials. In the sandbox, `+966500000001` approves and ' +
        '`+966500000008` denies.',
      scope: 'voice_auth:write',
      body: startBody,
      auditFields: ['assurance', 'brand_id', 'language', 'expires_in_seconds'],
      responses: { 202: { schema: challengeObject, description: 'The phone is about to ring' } },
      errors: [
        'INVALID_PHONE_NUMBER',
        'VOICE_AUTH_ASSURANCE_UNSUPPORTED',
        'VOICE_AUTH_BRAND_NOT_APPROVED',
        'VOICE_AUTH_BLOCKED',
        'VOICE_AUTH_RATE_LIMITED',
        ...LEG_REFUSALS,
        'CALL_FAILED',
        ...SANDBOX_REFUSALS,
      ],
      simulates: ['rate_limit', 'server_error', 'invalid_number'],
      // A retry must not ring again.
      recover: async ({ requestId }, { caller }) => {
        const made = await voiceAuth.createdBy(caller.projectId, caller.id, requestId);
        return made && { status: 202, body: made };
      },
      handler: async ({ caller, body, requestId }) => {
        const request = {
          to: body.to,
          assurance: body.assurance,
          brandId: body.brand_id ?? null,
          language: body.language,
          expiresInSeconds: body.expires_in_seconds,
          metadata: body.metadata,
        };
        const { projectId, organizationId, sandbox, id: keyId, project } = caller;
        const placer = { projectId, organizationId, mainNumber: project.main_number, keyId, requestId, sandbox };
        return { status: 202, body: await voiceAuth.start(request, placer) };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/voice-auth/challenges/:challenge_id',
      operationId: 'getChallenge',
      summary: 'Read a challenge',
      summaryAr: 'قراءة طلب مصادقة',
      scope: 'voice_auth:read',
      params: z.strictObject({ challenge_id: idParam('VOICE_AUTH_NOT_FOUND') }),
      responses: { 200: { schema: challengeObject, description: 'The challenge as it is now' } },
      errors: ['VOICE_AUTH_NOT_FOUND'],
      handler: async (ctx) => ({ status: 200, body: await voiceAuth.get(scopeOf(ctx), ctx.params.challenge_id) }),
    }),
  ];
}
