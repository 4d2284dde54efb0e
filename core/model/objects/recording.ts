import { z } from 'zod';
import { LEG_ROLES } from '../call/call.js';
import { customerNumber, idOutput, timeOutput } from './fields.js';

export const recordingChannels = z
  .union([z.literal(1), z.literal(2)])
  .describe('2: audio of the leg’s phone on the first channel and what it heard on the second; 1: both mixed');
export const recordingFormat = z.literal('wav').describe('16-bit PCM');
export const recordingSeconds = z
  .number()
  .describe('Includes pauses, which are silent')
  .meta({ examples: [61.4] });

const shared = {
  status: z
    .enum(['recording', 'paused', 'stopped', 'available', 'failed', 'deleted'])
    .describe('`stopped`: its audio is being stored; `failed`: nothing was recorded'),
  channels: recordingChannels,
  format: recordingFormat,
  duration_seconds: recordingSeconds.nullable(),
  bytes: z.int().nullable(),
  legal_hold: z.boolean().describe('Protects the recording from retention and from deletion'),
  started_at: timeOutput,
  ended_at: timeOutput.nullable(),
};

export const recordingObject = z
  .strictObject({
    recording_id: idOutput,
    call_id: idOutput,
    customer_number: customerNumber,
    leg: z.enum(LEG_ROLES).describe('The leg that was recorded'),
    ...shared,
  })
  .meta({ id: 'Recording' });

export const conferenceRecordingObject = z
  .strictObject({ recording_id: idOutput, conference_id: idOutput, ...shared })
  .meta({ id: 'ConferenceRecording' });

/** A recording of a call or of a conference, as operators see it. */
export const anyRecordingObject = z
  .strictObject({
    recording_id: idOutput,
    call_id: idOutput.nullable().describe('Null for one of a conference'),
    conference_id: idOutput.nullable().describe('Null for one of a call'),
    leg: z.enum(LEG_ROLES).nullable().describe('The leg that was recorded; null for a conference'),
    ...shared,
  })
  .meta({ id: 'AdministeredRecording' });

export type RecordingObject = z.output<typeof recordingObject>;
export type ConferenceRecordingObject = z.output<typeof conferenceRecordingObject>;
export type AnyRecordingObject = z.output<typeof anyRecordingObject>;
