import { z } from 'zod';
import { EVENT_TYPES } from '../events/index.js';
import { NODES } from './nodes/index.js';
import type { NodeDescriptor } from './parts/descriptor.js';
import { variableName } from './parts/fields.js';

/** What the simulated caller does when the flow asks for input. */
const input = z.union([
  z.strictObject({ digits: z.string().regex(/^[0-9*#]{1,40}$/) }).describe('Keys, including `#`'),
  z.strictObject({ silence: z.literal(true) }),
  z.strictObject({ hang_up: z.literal(true) }),
]);

type Script = NonNullable<(typeof NODES)[number]['script']>;
type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (member: infer I) => void ? I : never;

/** What the node types add to a script: the outcomes of what their nodes do outside the flow. */
const scriptMembers = Object.assign({}, ...NODES.map(({ script }: NodeDescriptor) => script)) as Intersection<Script>;

/** The script of a simulated call: what the caller does, and the outcomes of everything outside the flow. */
export const flowScript = z.strictObject({
  caller_number: z.string().max(40).optional(),
  line_number: z.string().max(40).optional(),
  at: z.iso.datetime({ offset: true }).optional().describe('The time at the start; now by default'),
  variables: z.record(variableName, z.string().max(1000)).optional(),
  inputs: z.array(input).max(1000).optional().describe('The caller’s input at each question; silence after the last'),
  hang_up_after: z.int().min(0).max(1000).optional().describe('The caller hangs up during this prompt, counted from 0'),
  ...scriptMembers,
});
export type FlowScript = z.output<typeof flowScript>;

/** The record of a simulated call. */
export const simulationResult = z
  .strictObject({
    callflow_id: z.string(),
    version: z.int(),
    ending: z
      .enum(['hangup', 'caller_hung_up', 'queue', 'connect', 'talked', 'voicemail', 'conference', 'fault'])
      .describe('How the flow ended; `fault`: it could not continue, and a caller would have heard an apology'),
    reason: z.string().nullable().describe('The reason for a hang-up or fault'),
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
    unscripted: z
      .array(z.strictObject({ node: z.string(), member: z.string() }))
      .describe(
        'Nodes whose outcome the script does not give, and the member that would: the simulation continued as after a failure',
      ),
    variables: z.record(z.string(), z.string()),
    events: z.array(z.strictObject({ type: z.enum(EVENT_TYPES), data: z.record(z.string(), z.unknown()) })),
  })
  .meta({ id: 'CallFlowSimulation' });
export type SimulationResult = z.output<typeof simulationResult>;
