import { z } from 'zod';
import { timeOutput } from '../objects/fields.js';
import { challengeObject, verificationObject } from '../objects/verification.js';
import { defineEvent } from './definition.js';

/** Events of completed verifications and authentication calls. */
export const VERIFICATION_EVENTS = {
  'voice_auth.completed': defineEvent({
    subject: 'project',
    summary: 'An authentication call was completed.',
    summaryAr: 'انتهت المصادقة بمكالمة هاتفية.',
    own: { ...challengeObject.shape, sandbox: z.boolean(), completed_at: timeOutput },
    example: {
      challenge_id: '01934f74-2b3c-7d4e-9f10-8a7b6c5d4e3f',
      state: 'approved',
      assurance: 'number_match',
      match_number: null,
      to_masked: '+96650••••17',
      brand_id: null,
      expires_at: '2026-01-31T06:02:00.000Z',
      metadata: {},
      sandbox: false,
      completed_at: '2026-01-31T06:00:40.000Z',
    },
  }),
  'verify.completed': defineEvent({
    subject: 'project',
    summary: 'A verification was completed: the correct code was entered, or it can no longer be entered.',
    summaryAr: 'انتهى التحقق: أُدخل الرمز الصحيح، أو لم يعد إدخاله ممكنًا.',
    own: { ...verificationObject.shape, sandbox: z.boolean(), completed_at: timeOutput },
    example: {
      verification_id: '01934f75-3c4d-7e5f-8a01-9b8c7d6e5f40',
      state: 'verified',
      channel: 'voice',
      to_masked: '+96650••••17',
      expires_at: '2026-01-31T06:10:00.000Z',
      attempts_left: 4,
      send_attempts: [
        {
          channel: 'voice',
          to_masked: '+96650••••17',
          state: 'sent',
          reason: null,
          at: '2026-01-31T06:00:00.000Z',
        },
      ],
      failure_reason: null,
      sandbox: false,
      completed_at: '2026-01-31T06:00:52.000Z',
    },
  }),
};
