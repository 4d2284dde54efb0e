import { fraudBlockObject } from '../objects/fraud-block.js';
import { defineEvent } from './definition.js';

const EXAMPLE = {
  id: '01934f7a-8192-73a4-9f56-40d312cbea95',
  agent: '1001',
  rule: 'calls_per_hour',
  limit: 60,
  reason: 'calls per hour: 60',
  reason_ar: 'عدد المكالمات في الساعة: 60',
  number_masked: '+44207••••00',
  blocked_at: '2026-01-31T23:12:05.000Z',
  released_at: null,
  ends_calls: false,
} as const;

/** Events of the guard against toll fraud. */
export const FRAUD_EVENTS = {
  'fraud.blocked': defineEvent({
    subject: 'project',
    summary:
      'An agent, or the whole project, reached a limit against toll fraud and dials nothing outside until released.',
    summaryAr: 'بلغ موظف أو المشروع كله حدًّا للحماية من الاحتيال، فلا مكالمات خارجية حتى رفع الحظر.',
    own: fraudBlockObject.shape,
    example: EXAMPLE,
  }),
  'fraud.released': defineEvent({
    subject: 'project',
    summary: 'A block against toll fraud was released.',
    summaryAr: 'رُفع حظر كان مفروضًا للحماية من الاحتيال.',
    own: fraudBlockObject.shape,
    example: { ...EXAMPLE, released_at: '2026-02-01T06:00:00.000Z' },
  }),
};
