import { z } from 'zod';
import { EVENT_TYPES } from '../events/index.js';
import { variableName } from './parts.js';

/** What a caller of the simulator does when the flow asks for something; one after another. */
const input = z.union([
  z.strictObject({ digits: z.string().regex(/^[0-9*#]{1,40}$/) }).describe('Keys, `#` among them'),
  z.strictObject({ silence: z.literal(true) }),
  z.strictObject({ hang_up: z.literal(true) }),
]);

/** A caller that follows a script, and a world that answers as the script says. */
export const flowScript = z.strictObject({
  caller_number: z.string().max(40).optional(),
  line_number: z.string().max(40).optional(),
  at: z.iso.datetime({ offset: true }).optional().describe('The clock at the beginning; now by default'),
  variables: z.record(variableName, z.string().max(1000)).optional(),
  inputs: z.array(input).max(1000).optional().describe('What the caller does at each question; silence after the last'),
  hang_up_after: z.int().min(0).max(1000).optional().describe('Hang up during this prompt, counted from 0'),
  http: z
    .array(
      z.union([
        z.strictObject({ status: z.int().min(100).max(599), body: z.unknown().optional() }),
        z.strictObject({ failure: z.literal('timeout') }),
      ]),
    )
    .max(100)
    .optional()
    .describe('Answers to the requests of `http` nodes; a failure after the last'),
  dials: z
    .array(z.enum(['answered', 'busy', 'no_answer', 'failed']))
    .max(100)
    .optional()
    .describe('`answered` after the last'),
  queues: z
    .array(z.enum(['answered', 'not_served']))
    .max(100)
    .optional()
    .describe('`answered` after the last'),
  conferences: z
    .array(z.enum(['joined', 'refused']))
    .max(100)
    .optional()
    .describe('`joined` after the last'),
  verifications: z
    .array(
      z.strictObject({
        sent: z.boolean().optional(),
        code: z
          .string()
          .regex(/^[0-9]{4,10}$/)
          .optional(),
      }),
    )
    .max(20)
    .optional()
    .describe('Whether each code could be sent, and which one is right'),
});
export type FlowScript = z.output<typeof flowScript>;

/** What a simulated call went through. */
export const simulationResult = z
  .strictObject({
    callflow_id: z.string(),
    version: z.int(),
    ending: z
      .enum(['hangup', 'caller_hung_up', 'queue', 'connect', 'talked', 'voicemail', 'conference', 'fault'])
      .describe('How the flow ended; `fault`: a caller would have been told that it cannot go on'),
    reason: z.string().nullable().describe('Of a hang-up or fault'),
    handed_to: z.strictObject({ type: z.string(), target: z.string().nullable() }).nullable(),
    steps: z.int(),
    path: z.array(z.strictObject({ callflow_id: z.string(), version: z.int(), node: z.string(), type: z.string() })),
    prompts: z.array(
      z.strictObject({
        node: z.string(),
        text: z.string().nullable(),
        language: z.string().nullable(),
        audio_id: z.string().nullable(),
      }),
    ),
    requests: z.array(
      z.strictObject({
        node: z.string(),
        url: z.string(),
        headers: z.record(z.string(), z.string()),
        data: z.record(z.string(), z.unknown()),
      }),
    ),
    variables: z.record(z.string(), z.string()),
    events: z.array(z.strictObject({ type: z.enum(EVENT_TYPES), data: z.record(z.string(), z.unknown()) })),
  })
  .meta({ id: 'CallFlowSimulation' });
export type SimulationResult = z.output<typeof simulationResult>;
