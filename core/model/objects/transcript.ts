import { z } from 'zod';
import { SPEAKERS, TRANSCRIPT_STATUSES } from '../transcript.js';
import { idOutput, timeOutput } from './fields.js';

const confidence = z.number().min(0).max(1).nullable().describe('How sure the engine is; null where it does not tell');
const seconds = z.number().describe('From the beginning of the recording');

/** A transcript with its words. */
export const transcriptObject = z
  .strictObject({
    recording_id: idOutput,
    call_id: idOutput,
    status: z
      .enum(TRANSCRIPT_STATUSES)
      .describe('`disabled`: nobody asked for it, or nothing in this installation writes down what is said'),
    language: z
      .string()
      .nullable()
      .describe('ISO 639-1: the one in which most was said')
      .meta({ examples: ['ar'] }),
    confidence,
    engine: z
      .string()
      .nullable()
      .describe('What made the text')
      .meta({ examples: ['openai:whisper-1', 'pocketsphinx'] }),
    created_at: timeOutput.nullable(),
    finished_at: timeOutput.nullable(),
    text: z.string().nullable().describe('A line for each turn'),
    turns: z
      .array(
        z.strictObject({
          speaker: z.enum(SPEAKERS).nullable().describe('Null where the recording has one channel'),
          start_seconds: seconds,
          end_seconds: seconds,
          text: z.string(),
          confidence,
        }),
      )
      .nullable(),
  })
  .meta({ id: 'Transcript' });

/** A transcript without its words: events carry these facts, and the words are deleted with their recording. */
export const transcriptSummary = transcriptObject
  .omit({ call_id: true, text: true, turns: true })
  .meta({ id: 'TranscriptSummary' });

export type TranscriptObject = z.output<typeof transcriptObject>;
export type TranscriptSummary = z.output<typeof transcriptSummary>;
