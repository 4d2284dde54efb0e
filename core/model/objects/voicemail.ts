import { z } from 'zod';
import { idOutput, timeOutput } from './fields.js';

/** A voicemail message. It shows the caller's whole number, because somebody must call back. */
export const voicemailObject = z
  .strictObject({
    id: idOutput,
    call_id: idOutput,
    number: z.string().describe('The number whose box it is in'),
    from: z.string().describe('The caller, not masked: somebody has to call back'),
    duration_seconds: z.int(),
    recording_available: z.boolean(),
    transcription_status: z.enum(['pending', 'completed', 'failed', 'disabled']),
    transcription_text: z.string().nullable(),
    listened_at: timeOutput.nullable().describe('When it was first heard, by phone or by a request'),
    created_at: timeOutput,
  })
  .meta({ id: 'Voicemail' });

export type VoicemailObject = z.output<typeof voicemailObject>;
