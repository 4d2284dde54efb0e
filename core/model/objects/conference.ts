import { z } from 'zod';
import { CONFERENCE_STATUSES, PARTICIPANT_LEGS } from '../call/conference.js';
import { idOutput, timeOutput } from './fields.js';

export const participantObject = z
  .strictObject({
    participant_id: idOutput,
    call_id: idOutput,
    leg: z.enum(PARTICIPANT_LEGS),
    muted: z.boolean(),
    on_hold: z.boolean(),
    joined_at: timeOutput,
    left_at: timeOutput.nullable(),
  })
  .meta({ id: 'Participant' });

export const conferenceObject = z
  .strictObject({
    conference_id: idOutput,
    name: z.string(),
    status: z.enum(CONFERENCE_STATUSES),
    recording: z.boolean().describe('Whether the conference is being recorded'),
    participants: z.array(participantObject).describe('Current and past participants, in order of joining'),
    created_at: timeOutput,
    ended_at: timeOutput.nullable(),
  })
  .meta({ id: 'Conference' });

export type ParticipantObject = z.output<typeof participantObject>;
export type ConferenceObject = z.output<typeof conferenceObject>;
