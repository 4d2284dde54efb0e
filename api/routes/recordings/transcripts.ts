import { z } from 'zod';
import { transcriptObject } from '../../../core/model/objects/transcript.js';
import type { ReadTranscripts } from '../../../core/services/transcription/read.js';
import { scopeOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { callParams, idInput } from '../../http/schema/schemas.js';

export function transcriptRoutes({ read }: { readonly read: ReadTranscripts }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/calls/:call_id/transcript',
      operationId: 'getCallTranscript',
      permission: 'recordings:read',
      ownRows: true,
      summary: 'Get the transcript of a call',
      summaryAr: 'الحصول على نص ما قيل في مكالمة',
      description:
        'Transcript of a recording that was made with `transcribe`. Two-channel recordings give turns of customer and agent. `call.transcribed` is sent when the transcript is completed or failed. It is deleted with its recording.',
      tag: 'Recordings',
      scope: 'calls:read',
      keyKind: 'live',
      params: callParams,
      query: z.strictObject({
        recording_id: idInput
          .optional()
          .describe('The recording; by default the newest that has a transcript or waits for one'),
      }),
      responses: { 200: { schema: transcriptObject, description: 'The transcript' } },
      errors: ['CALL_NOT_FOUND', 'RECORDING_NOT_FOUND'],
      handler: async ({ caller, params, query }) => {
        const body = await read.get(scopeOf({ caller }), params.call_id, query.recording_id ?? null);
        return { status: 200, body: { ...body, turns: body.turns && [...body.turns] } };
      },
    }),
  ];
}
