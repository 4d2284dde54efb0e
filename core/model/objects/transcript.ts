import { z } from 'zod';
import { SPEAKERS, TRANSCRIPT_STATUSES } from '../transcript.js';
import { idOutput, timeOutput } from './fields.js';

const confidence = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .describe('Confidence of the engine; null if it does not report one');
const seconds = z.number().describe('From the start of the recording');

/** A transcript with its text. */
export const transcriptObject = z
  .strictObject({
    recording_id: idOutput,
    call_id: idOutput,
    status: z
      .enum(TRANSCRIPT_STATUSES)
      .describe('`disabled`: not requested, or this installation has no transcription'),
    language: z
      .string()
      .nullable()
      .describe('ISO 639-1: the predominant language')
      .meta({ examples: ['ar'] }),
    confidence,
    engine: z
      .string()
      .nullable()
      .describe('The engine that made the text')
      .meta({ examples: ['openai:whisper-1', 'pocketsphinx'] }),
    created_at: timeOutput.nullable(),
    finished_at: timeOutput.nullable(),
    text: z.string().nullable().describe('One line per turn'),
    turns: z
      .array(
        z.strictObject({
          speaker: z.enum(SPEAKERS).nullable().describe('Null if the recording has one channel'),
          start_seconds: seconds,
          end_seconds: seconds,
          text: z.string(),
          confidence,
        }),
      )
      .nullable(),
  })
  .meta({ id: 'Transcript' });

/** A transcript without its text, as in events; the text is deleted with its recording. */
export const transcriptSummary = transcriptObject
  .omit({ call_id: true, text: true, turns: true })
  .meta({ id: 'TranscriptSummary' });

export type TranscriptObject = z.output<typeof transcriptObject>;
export type TranscriptSummary = z.output<typeof transcriptSummary>;
