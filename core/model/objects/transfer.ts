import { z } from 'zod';
import { TRANSFER_STATUSES, TRANSFER_TARGETS, TRANSFER_TYPES } from '../call/transfer.js';
import { idOutput, timeOutput } from './fields.js';

export const transferObject = z
  .strictObject({
    transfer_id: idOutput,
    call_id: idOutput,
    type: z.enum(TRANSFER_TYPES),
    to: z.strictObject({ type: z.enum(TRANSFER_TARGETS), target: z.string() }),
    status: z
      .enum(TRANSFER_STATUSES)
      .describe('`consulting`: the agent talks to the target while the customer hears music. The last three are final'),
    created_at: timeOutput,
    ended_at: timeOutput.nullable(),
  })
  .meta({ id: 'Transfer' });

export type TransferObject = z.output<typeof transferObject>;
