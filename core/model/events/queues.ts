import { z } from 'zod';
import { idOutput } from '../objects/fields.js';
import { VISIT_OUTCOMES } from '../queue/types.js';
import { defineEvent } from './definition.js';
import { CALL_EXAMPLE } from './examples.js';

const QUEUE_ID = '01934f60-4d1e-7b90-8f22-6a0c5e7d9b18';
const queue = { queue_id: idOutput, queue: z.string().describe('The name of the queue') };

const reason = z.string().nullable().describe('The reason that was given for the pause');

/** Queue events: of waiting callers, and of agents who log in and out and pause. */
export const QUEUE_EVENTS = {
  'queue.entered': defineEvent({
    subject: 'call_id',
    summary: 'A caller entered a queue.',
    summaryAr: 'دخل متصل قائمة الانتظار.',
    own: queue,
    example: { call_id: CALL_EXAMPLE.call_id, queue_id: QUEUE_ID, queue: 'support', sequence: 2 },
  }),
  'queue.left': defineEvent({
    subject: 'call_id',
    summary: 'A caller left a queue.',
    summaryAr: 'خرج متصل من قائمة الانتظار.',
    own: {
      ...queue,
      outcome: z.enum(VISIT_OUTCOMES),
      agent: z.string().nullable().describe('The extension of the agent who answered the call'),
      waited_seconds: z.int().min(0),
    },
    example: {
      call_id: CALL_EXAMPLE.call_id,
      queue_id: QUEUE_ID,
      queue: 'support',
      outcome: 'answered',
      agent: '1001',
      waited_seconds: 17,
      sequence: 4,
    },
  }),
  'queue.agent_logged_in': defineEvent({
    subject: 'project',
    summary: 'An agent logged in to a queue.',
    summaryAr: 'سجّل موظف دخوله إلى قائمة الانتظار.',
    own: { ...queue, agent: z.string() },
    example: { agent: '1001', queue: 'support', queue_id: QUEUE_ID },
  }),
  'queue.agent_logged_out': defineEvent({
    subject: 'project',
    summary: 'An agent logged out of a queue.',
    summaryAr: 'سجّل موظف خروجه من قائمة الانتظار.',
    own: { ...queue, agent: z.string() },
    example: { agent: '1001', queue: 'support', queue_id: QUEUE_ID },
  }),
  'queue.agent_paused': defineEvent({
    subject: 'project',
    summary: 'An agent paused: no queue offers the agent a caller.',
    summaryAr: 'أوقف موظف استقبال المكالمات مؤقتًا: لا تعرض عليه أي قائمة انتظار متصلًا.',
    own: { agent: z.string(), reason },
    example: { agent: '1001', reason: 'lunch' },
  }),
  'queue.agent_unpaused': defineEvent({
    subject: 'project',
    summary: 'An agent’s pause ended.',
    summaryAr: 'عاد موظف إلى استقبال المكالمات.',
    own: { agent: z.string(), reason, paused_seconds: z.int().min(0) },
    example: { agent: '1001', reason: 'lunch', paused_seconds: 1800 },
  }),
};
