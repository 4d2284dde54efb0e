import { z } from 'zod';
import { CHAT_STATUSES } from '../messaging/webchat.js';
import { idOutput, timeOutput } from './fields.js';

/** What a conversation of the channel webchat has beside its messages. */
export const chatState = z
  .strictObject({
    status: z
      .enum(CHAT_STATUSES)
      .describe(
        '`waiting`: nobody answers yet; `offered`: to `agent`, until `offered_until`; `assigned`: `agent` has it; `closed`: over until the visitor writes again',
      ),
    widget_id: idOutput,
    queue_id: idOutput.nullable().describe('The queue whose agents it is offered to'),
    visitor_name: z.string().nullable(),
    language: z.enum(['ar', 'en']).describe('Of the visitor’s page'),
    waiting_since: timeOutput.nullable(),
    offered_until: timeOutput.nullable(),
    assigned_at: timeOutput.nullable(),
    closed_at: timeOutput.nullable(),
  })
  .meta({ id: 'Chat' });
export type ChatState = z.input<typeof chatState>;

/** A chat in events. */
export const eventedChat = z.strictObject({
  thread_id: idOutput,
  with: z.string().describe('The visitor'),
  agent: z.string().nullable().describe('The extension of the agent who has it, or is offered it'),
  ...chatState.shape,
  sandbox: z.boolean(),
});
