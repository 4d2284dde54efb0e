import { z } from 'zod';
import { SPEAKERS, TRANSCRIPT_STATUSES } from '../../../core/model/transcript.js';
import type { ReadTranscripts } from '../../../core/services/transcription/read.js';
import { scopeOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { callParams, idInput, idOutput, timeOutput } from '../../http/schema/schemas.js';

const confidence = z.number().min(0).max(1).nullable().describe('How sure the engine is; null where it does not tell');
const seconds = z.number().describe('From the beginning of the recording');

const transcript = z
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

export function transcriptRoutes({ read }: { readonly read: ReadTranscripts }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/calls/:call_id/transcript',
      operationId: 'getCallTranscript',
      summary: 'Get what was said in a call',
      summaryAr: 'الحصول على نص ما قيل في مكالمة',
      description:
        'Of a recording for which `transcribe` was asked. Recordings of two channels come out as turns of customer and agent. `call.transcribed` is sent when it is completed or failed; it is gone with its recording.',
      tag: 'Recordings',
      scope: 'calls:read',
      keyKind: 'live',
      params: callParams,
      query: z.strictObject({
        recording_id: idInput.optional().describe('One recording; the newest that has or waits for one when absent'),
      }),
      responses: { 200: { schema: transcript, description: 'The transcript' } },
      errors: ['CALL_NOT_FOUND', 'RECORDING_NOT_FOUND'],
      handler: async ({ key, params, query }) => {
        const body = await read.get(scopeOf({ key }), params.call_id, query.recording_id ?? null);
        return { status: 200, body: { ...body, turns: body.turns && [...body.turns] } };
      },
    }),
  ];
}
