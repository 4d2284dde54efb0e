import { z } from 'zod';
import { customerNumber, idOutput, timeOutput } from './fields.js';

/** A voicemail message. It shows the caller's full number, which is needed to call back. */
export const voicemailObject = z
  .strictObject({
    id: idOutput,
    call_id: idOutput,
    customer_number: customerNumber,
    number: z.string().describe('The number of its box'),
    from: z.string().describe('The caller’s full number, which is needed to call back'),
    duration_seconds: z.int(),
    recording_available: z.boolean(),
    transcription_status: z.enum(['pending', 'completed', 'failed', 'disabled']),
    transcription_text: z.string().nullable(),
    listened_at: timeOutput.nullable().describe('When it was first heard by phone or marked as heard'),
    created_at: timeOutput,
  })
  .meta({ id: 'Voicemail' });

export type VoicemailObject = z.output<typeof voicemailObject>;
