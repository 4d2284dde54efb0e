import { z } from 'zod';
import { CALL_DIRECTIONS, CALL_KINDS, CALL_STATUSES, DISPOSITIONS, LEG_ROLES, LEG_STATUSES } from '../call/call.js';
import { customerNumber, idOutput, maskedNumber, timeOutput } from './fields.js';

const legQuality = z
  .strictObject({
    mos: z.number().min(1).max(4.5).nullable().describe('Estimated mean opinion score (ITU-T G.107), 1 to 4.5.'),
    packets_sent: z.int().describe('Packets sent to the phone.'),
    packets_received: z.int(),
    packets_lost: z.int().describe('Lost packets of the phone, as of the last RTCP report.'),
    loss_share: z.number().min(0).max(1).nullable(),
    jitter_ms: z.number().nullable(),
    round_trip_ms: z.number().nullable(),
    codec: z
      .string()
      .nullable()
      .meta({ examples: ['alaw', 'opus'] }),
  })
  .meta({ id: 'LegQuality' });

/**
 * A call as the API and webhooks show it: the customer's number is masked, and every member but `customer_number` is
 * always present.
 */
export const callObject = z
  .strictObject({
    call_id: idOutput,
    kind: z.enum(CALL_KINDS),
    direction: z.enum(CALL_DIRECTIONS),
    status: z.enum(CALL_STATUSES),
    customer_number_masked: maskedNumber,
    customer_number: customerNumber,
    line_number: z.string().nullable(),
    queue_id: z.string().nullable(),
    agent: z.string().nullable(),
    callflow_id: z.string().nullable(),
    conference_id: z.string().nullable(),
    sandbox: z.boolean(),
    on_hold: z.boolean(),
    muted: z.boolean(),
    legs: z.array(
      z.strictObject({
        leg: z.enum(LEG_ROLES),
        status: z.enum(LEG_STATUSES),
        on_hold: z.boolean(),
        muted: z.boolean(),
        quality: legQuality.nullable().describe('Set when the leg has ended, if the engine measured it.'),
      }),
    ),
    recording: z.boolean(),
    recording_available: z.boolean(),
    disposition: z.enum(DISPOSITIONS).nullable(),
    hangup_cause: z.strictObject({ q850: z.int(), sip_code: z.int().nullable(), text: z.string() }).nullable(),
    queued_seconds: z.int().nullable(),
    duration_seconds: z.int().nullable(),
    metadata: z
      .record(z.string(), z.string())
      .describe(
        'Of the request that placed the call, or of the web calling session that called. Of a call from a browser or softphone also ' +
          'its `X-Hatif-…` headers, which say what the page or phone says: `X-Hatif-Order-Id` is `web_order_id`.',
      )
      .meta({ examples: [{ ticket: '4711' }, { ticket: '4711', web_order_id: 'A-17' }] }),
    created_at: timeOutput,
    ringing_at: timeOutput.nullable(),
    answered_at: timeOutput.nullable(),
    ended_at: timeOutput.nullable(),
    served_queue_id: z.string().nullable(),
  })
  .meta({ id: 'Call' });

export type CallObject = z.output<typeof callObject>;
