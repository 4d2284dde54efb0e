import { z } from 'zod';
import { callObject } from '../objects/call.js';
import { conferenceObject, participantObject } from '../objects/conference.js';
import { idOutput } from '../objects/fields.js';
import { voicemailObject } from '../objects/voicemail.js';

/** Members of every event that belongs to a call. */
const ofCall = {
  sequence: z.int().min(1).describe('The place of the event in the order of its call, from 1'),
  recovered: z.literal(true).optional().describe('The event was created after an outage from the engine’s own record'),
};

/** The members of a webhook message that an endpoint gets about a call's event, beside `type`, `timestamp` and `data`. */
const envelopeOfCall = {
  previous_sequence: z
    .int()
    .min(1)
    .nullable()
    .describe('The sequence of the previous event of this call that was sent to this receiver; null for its first'),
};

/** What `data` contains besides the event's own members, by the subject of the event. */
const SUBJECTS = {
  /** The whole call as it was when the event happened. */
  call: { ...callObject.shape, ...ofCall },
  conference: {
    ...conferenceObject.omit({ participants: true }).shape,
    participant_count: z.int().min(0).describe('Current number of participants'),
    participant: participantObject
      .nullable()
      .describe('The participant who joined or left; null for an event of the whole conference'),
    sandbox: z.boolean(),
    call_id: idOutput.describe('The call that caused the event'),
    ...ofCall,
  },
  voicemail: { ...voicemailObject.shape, ...ofCall },
  /** A call, named by its id only. */
  call_id: { call_id: idOutput, ...ofCall },
  /** Nothing: the event belongs to no call. */
  project: {},
} as const;

export type EventSubject = keyof typeof SUBJECTS;

/** One webhook event. */
export interface EventDefinition<Own extends z.ZodRawShape = z.ZodRawShape> {
  readonly subject: EventSubject;
  readonly summary: string;
  readonly summaryAr: string;
  /** The members of `data` that only this event has. */
  readonly own: Own;
  /** An example of the whole `data`. */
  readonly example: Readonly<Record<string, unknown>>;
  /** True if subscriptions may name the event although nothing emits it yet. */
  readonly reserved?: true;
}

/** Declares an event; the type of its own members is inferred. */
export function defineEvent<Own extends z.ZodRawShape>(definition: EventDefinition<Own>): EventDefinition<Own> {
  return definition;
}

/** The members that a webhook message with this event has beside `type`, `timestamp` and `data`. */
export function envelopeShape({ subject }: EventDefinition): z.ZodRawShape {
  return subject === 'project' ? {} : envelopeOfCall;
}

/** An example of a whole webhook message. */
export function exampleMessage(type: string, { subject, example }: EventDefinition): Readonly<Record<string, unknown>> {
  const sequence = Number(example.sequence);
  return {
    type,
    timestamp: '2026-01-31T06:01:20.000Z',
    ...(subject === 'project' ? {} : { previous_sequence: sequence > 1 ? sequence - 1 : null }),
    data: example,
  };
}

/** The schema of an event's `data`. */
export function dataSchema({ subject, own, summary }: EventDefinition): z.ZodObject {
  return z.strictObject({ ...SUBJECTS[subject], ...own }).describe(summary);
}
