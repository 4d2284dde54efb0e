import { transcriptSummary } from '../objects/transcript.js';
import { defineEvent } from './definition.js';
import { CALL_EXAMPLE } from './examples.js';

const VOICEMAIL_EXAMPLE = {
  id: '01934f76-4d5e-7f60-9b12-0c9d8e7f6a51',
  call_id: CALL_EXAMPLE.call_id,
  number: '+966112345678',
  from: '+966501234517',
  duration_seconds: 14,
  recording_available: true,
  transcription_status: 'pending',
  transcription_text: null,
  listened_at: null,
  created_at: '2026-01-31T06:00:20.000Z',
  sequence: 5,
} as const;

/** Events of voicemail messages. Each shows the caller's full number, which is needed to call back. */
export const VOICEMAIL_EVENTS = {
  'voicemail.received': defineEvent({
    subject: 'voicemail',
    summary: 'A caller left a message, and its audio can be played.',
    summaryAr: 'ترك متصل رسالة صوتية، ويمكن الاستماع إليها.',
    own: {},
    example: VOICEMAIL_EXAMPLE,
  }),
  'voicemail.transcribed': defineEvent({
    subject: 'voicemail',
    summary: 'The transcription of a message ended.',
    summaryAr: 'انتهى تحويل الرسالة الصوتية إلى نص.',
    own: { transcript: transcriptSummary },
    example: {
      ...VOICEMAIL_EXAMPLE,
      transcription_status: 'completed',
      transcription_text: 'السلام عليكم، أرجو الاتصال بي بخصوص الطلب.',
      transcript: {
        recording_id: VOICEMAIL_EXAMPLE.id,
        status: 'completed',
        language: 'ar',
        confidence: 0.88,
        engine: 'openai:whisper-1',
        created_at: '2026-01-31T06:00:36.000Z',
        finished_at: '2026-01-31T06:00:41.000Z',
      },
      sequence: 6,
    },
  }),
};
