import { z } from 'zod';
import { BLOCKED_KINDS } from '../number/blocked-caller.js';
import { NUMBER_STATES } from '../number/states.js';
import { idOutput, maskedNumber, timeOutput } from '../objects/fields.js';
import { numberObject } from '../objects/number.js';
import { defineEvent } from './definition.js';

const number = { ...numberObject.shape, status: z.enum(NUMBER_STATES) };

const NUMBER_EXAMPLE = {
  id: '01934f77-5e6f-7071-8c23-1da0e9f8b762',
  e164: '+966112345678',
  type: 'geographic',
  status: 'assigned',
  source: 'operator',
  label: null,
  binding: null,
  assigned_at: '2026-01-31T06:00:00.000Z',
  created_at: '2026-01-30T09:00:00.000Z',
} as const;

/** Events of a project's numbers. */
export const NUMBER_EVENTS = {
  'number.assigned': defineEvent({
    subject: 'project',
    summary: 'A number was assigned to the project.',
    summaryAr: 'أصبح الرقم تابعًا للمشروع.',
    own: number,
    example: NUMBER_EXAMPLE,
  }),
  'number.released': defineEvent({
    subject: 'project',
    summary: 'A number was released by the project.',
    summaryAr: 'لم يعد الرقم تابعًا للمشروع.',
    own: number,
    example: { ...NUMBER_EXAMPLE, status: 'released' },
  }),
  'number.caller_blocked': defineEvent({
    subject: 'project',
    summary:
      'An entry of a block list of the project, or of one of its agents, refused calls. At most one event an hour for each entry.',
    summaryAr: 'رفض إدخال في قائمة حظر للمشروع أو لأحد موظفيه مكالمات. حدث واحد في الساعة على الأكثر لكل إدخال.',
    own: {
      blocked_caller_id: idOutput.describe('The entry'),
      kind: z.enum(BLOCKED_KINDS),
      agent: z.string().nullable().describe('The extension; null if the entry concerns the whole project'),
      caller_masked: maskedNumber.nullable().describe('Who called last; null if the caller showed no number'),
      line_number: z.string().nullable().describe('What was called last'),
      refused_calls: z.int().describe('All calls that the entry has refused so far'),
      last_refused_at: timeOutput,
    },
    example: {
      blocked_caller_id: '01934f78-2c1d-7a55-b0a3-8d7f6e5c4b32',
      kind: 'exact',
      agent: null,
      caller_masked: '+44207••••50',
      line_number: '+966112345678',
      refused_calls: 3,
      last_refused_at: '2026-01-31T06:00:00.000Z',
    },
  }),
};
