import { z } from 'zod';
import { idOutput } from '../objects/fields.js';
import { FEEDBACK_ISSUES } from '../web-calling.js';
import { defineEvent } from './definition.js';

const measured = z.number().min(0).nullable();

/** Events of calls in browsers. */
export const WEB_CALLING_EVENTS = {
  'web_calling.feedback': defineEvent({
    subject: 'project',
    summary: 'The person at a browser reported how a call was, with what the browser measured.',
    summaryAr: 'قيّم المستخدم في المتصفح جودة مكالمة، ومع التقييم ما قاسه المتصفح.',
    own: {
      session_id: idOutput,
      call_id: idOutput.nullable().describe('Null if no call of this browser is known'),
      identity: z.string(),
      score: z.int().min(1).max(5).describe('1 is bad, 5 is excellent'),
      issue: z.enum(FEEDBACK_ISSUES).nullable(),
      comment: z.string().nullable(),
      mos: measured.describe('Estimated opinion of a listener, 1 to 4.4: the average over the call'),
      round_trip_ms: measured,
      jitter_ms: measured,
      loss_percent: measured,
    },
    example: {
      session_id: '01934f7a-3b5c-7d21-9e48-1f2a3b4c5d6e',
      call_id: '01934f7a-4c6d-7e32-8f59-2a3b4c5d6e7f',
      identity: 'reem',
      score: 3,
      issue: 'choppy_audio',
      comment: null,
      mos: 3.8,
      round_trip_ms: 120,
      jitter_ms: 14,
      loss_percent: 2.1,
    },
  }),
};
