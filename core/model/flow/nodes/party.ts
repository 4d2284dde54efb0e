import { z } from 'zod';
import { link, shortTemplate } from '../parts.js';

export const queueNode = z.strictObject({
  type: z.literal('queue'),
  queue_id: z.string().min(1).max(64),
  next: link.optional().describe('Who was not answered; without it the queue’s own overflow'),
});

export const dialNode = z.strictObject({
  type: z.literal('dial'),
  to: z.strictObject({ type: z.enum(['number', 'agent', 'sip']), target: shortTemplate }),
  ring_timeout_seconds: z.int().min(5).max(120).optional(),
  next: link.optional().describe('The other party was not to be had; `dial_status` says why'),
  after: link.optional().describe('The other party hung up first; without it the call is over'),
});

export const DIAL_DEFAULTS = { ring_timeout_seconds: 30 } as const;

/** To another destination for good. */
export const transferNode = z.strictObject({
  type: z.literal('transfer'),
  to: z.strictObject({
    type: z.enum(['number', 'agent', 'sip', 'queue', 'callflow', 'voicemail']),
    target: shortTemplate.nullish(),
  }),
});

export const voicemailNode = z.strictObject({
  type: z.literal('voicemail'),
  number: z.string().min(1).max(40).optional().describe('Whose box; by default that of the number that was called'),
});

export const conferenceNode = z.strictObject({
  type: z.literal('conference'),
  name: shortTemplate,
  muted: z.boolean().optional(),
  beep: z.boolean().optional(),
  start_on_enter: z.boolean().optional(),
  end_on_exit: z.boolean().optional(),
  max_participants: z.int().min(2).max(250).optional(),
  next: link.optional().describe('The conference could not be joined'),
});

export const recordNode = z.strictObject({
  type: z.literal('record'),
  action: z.enum(['start', 'stop', 'pause', 'resume']),
  next: link.optional(),
});

export const hangupNode = z.strictObject({
  type: z.literal('hangup'),
  reason: z
    .enum(['normal', 'busy', 'rejected'])
    .optional()
    .describe('What a caller is told who was not answered yet; normal by default'),
});
