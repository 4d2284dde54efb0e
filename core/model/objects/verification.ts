import { z } from 'zod';
import { idOutput, maskedNumber, timeOutput } from './fields.js';

export const VERIFICATION_STATES = ['pending', 'verified', 'failed', 'expired', 'blocked'] as const;
export type VerificationState = (typeof VERIFICATION_STATES)[number];

/** The channels that codes are sent by. */
export const VERIFY_CHANNELS = ['voice', 'sms', 'chatapp', 'email'] as const;

/** Why a code did not arrive. */
export const SEND_FAILURES = [
  'busy',
  'no_answer',
  'rejected',
  'invalid_number',
  'unreachable',
  'not_sent',
  'limited',
  'blocked',
  'refused',
  'not_configured',
] as const;

const sendAttempt = z.strictObject({
  channel: z.enum(VERIFY_CHANNELS),
  to_masked: maskedNumber,
  state: z
    .enum(['sending', 'sent', 'failed'])
    .describe('`sent`: the code was spoken to the person who answered, or the next mail server or carrier accepted it'),
  reason: z.enum(SEND_FAILURES).nullable().describe('Why the code did not arrive'),
  at: timeOutput,
});

export const verificationObject = z
  .strictObject({
    verification_id: idOutput,
    state: z.enum(VERIFICATION_STATES),
    channel: z.enum(VERIFY_CHANNELS).describe('Of the last sending'),
    to_masked: maskedNumber,
    expires_at: timeOutput,
    attempts_left: z.int().min(0),
    send_attempts: z.array(sendAttempt).describe('Every sending of the code, oldest first'),
    failure_reason: z.enum(SEND_FAILURES).nullable().describe('Why the last sending failed; null if it did not'),
  })
  .meta({ id: 'Verification' });

export type VerificationObject = z.output<typeof verificationObject>;

export const CHALLENGE_STATES = ['pending', 'calling', 'approved', 'denied', 'no_answer', 'expired', 'failed'] as const;
export type ChallengeState = (typeof CHALLENGE_STATES)[number];

/** An authentication call. */
export const challengeObject = z
  .strictObject({
    challenge_id: idOutput,
    state: z.enum(CHALLENGE_STATES),
    assurance: z.enum(['number_match']),
    match_number: z
      .string()
      .nullable()
      .describe('Two digits to show to the person who signs in; null once the challenge is complete')
      .meta({ examples: ['47'] }),
    to_masked: maskedNumber,
    brand_id: idOutput.nullable(),
    expires_at: timeOutput,
    metadata: z.record(z.string(), z.string()),
  })
  .meta({ id: 'VoiceAuthChallenge' });

export type ChallengeObject = z.output<typeof challengeObject>;
