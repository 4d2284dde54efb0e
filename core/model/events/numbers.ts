import { z } from 'zod';
import { NUMBER_STATES } from '../number/states.js';
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
};
