import { z } from 'zod';
import { LEG_ROLES } from '../call/call.js';
import { recordingObject } from '../objects/recording.js';
import { transcriptSummary } from '../objects/transcript.js';
import { transferObject } from '../objects/transfer.js';
import { defineEvent } from './definition.js';
import { CALL_EXAMPLE, ENDED_CALL_EXAMPLE, UNANSWERED_CALL_EXAMPLE } from './examples.js';

const leg = { leg: z.enum(LEG_ROLES).describe('The leg that changed') };

/** Events of one call. Each carries the whole call. */
export const CALL_EVENTS = {
  'call.initiated': defineEvent({
    subject: 'call',
    summary: 'A call was placed or came in.',
    summaryAr: 'أُجريت مكالمة أو وردت مكالمة.',
    own: {},
    example: {
      ...CALL_EXAMPLE,
      status: 'initiated',
      agent: null,
      legs: [],
      ringing_at: null,
      answered_at: null,
      sequence: 1,
    },
  }),
  'call.ringing': defineEvent({
    subject: 'call',
    summary: 'The customer’s telephone rings.',
    summaryAr: 'هاتف العميل يرن.',
    own: {},
    example: {
      ...CALL_EXAMPLE,
      status: 'ringing',
      agent: null,
      legs: [{ leg: 'customer', status: 'ringing', on_hold: false, muted: false, quality: null }],
      answered_at: null,
      sequence: 2,
    },
  }),
  'call.answered': defineEvent({
    subject: 'call',
    summary: 'The customer answered, or the customer’s call was answered.',
    summaryAr: 'ردّ العميل، أو رُدّ على مكالمته.',
    own: {},
    example: CALL_EXAMPLE,
  }),
  'call.ended': defineEvent({
    subject: 'call',
    summary: 'An answered call ended.',
    summaryAr: 'انتهت مكالمة جرى الرد عليها.',
    own: {},
    example: ENDED_CALL_EXAMPLE,
  }),
  'call.missed': defineEvent({
    subject: 'call',
    summary: 'The call was not answered: nobody picked up, or the line was busy or rejected it.',
    summaryAr: 'لم يُرَدّ على المكالمة: لم يجب أحد، أو كان الخط مشغولًا، أو رُفضت المكالمة.',
    own: {},
    example: {
      ...UNANSWERED_CALL_EXAMPLE,
      status: 'missed',
      disposition: 'no_answer',
      hangup_cause: { q850: 19, sip_code: 480, text: 'No answer from user' },
    },
  }),
  'call.failed': defineEvent({
    subject: 'call',
    summary: 'The call could not be set up, or an engine or a carrier failed.',
    summaryAr: 'تعذّر إجراء المكالمة، أو تعطّل محرّك الصوت أو شركة الاتصالات.',
    own: {},
    example: {
      ...UNANSWERED_CALL_EXAMPLE,
      status: 'failed',
      disposition: 'failed',
      hangup_cause: { q850: 34, sip_code: 503, text: 'No circuit available' },
    },
  }),
  'call.timeout': defineEvent({
    subject: 'call',
    summary: 'The call was given up before it could ring.',
    summaryAr: 'أُلغيت المحاولة قبل أن يرن الهاتف.',
    own: {},
    example: {
      ...UNANSWERED_CALL_EXAMPLE,
      status: 'timeout',
      disposition: 'failed',
      ringing_at: null,
      hangup_cause: { q850: 102, sip_code: null, text: 'Recovery on timer expiry' },
      sequence: 2,
    },
  }),
  'call.cancelled': defineEvent({
    subject: 'call',
    summary: 'A request cancelled the call before it was answered.',
    summaryAr: 'أُلغيت المكالمة بطلب قبل الرد عليها.',
    own: {},
    example: {
      ...UNANSWERED_CALL_EXAMPLE,
      status: 'cancelled',
      disposition: 'cancelled',
      hangup_cause: { q850: 16, sip_code: null, text: 'Normal call clearing' },
    },
  }),
  'call.held': defineEvent({
    subject: 'call',
    summary: 'A leg was put on hold, by the API or by its telephone.',
    summaryAr: 'عُلّق أحد طرفي المكالمة، عبر API أو من هاتفه.',
    own: leg,
    example: { ...CALL_EXAMPLE, on_hold: true, leg: 'customer', sequence: 4 },
  }),
  'call.resumed': defineEvent({
    subject: 'call',
    summary: 'A leg was taken off hold.',
    summaryAr: 'استؤنف طرف كان معلّقًا.',
    own: leg,
    example: { ...CALL_EXAMPLE, leg: 'customer', sequence: 5 },
  }),
  'call.muted': defineEvent({
    subject: 'call',
    summary: 'A leg was muted.',
    summaryAr: 'كُتم صوت أحد طرفي المكالمة.',
    own: leg,
    example: { ...CALL_EXAMPLE, muted: true, leg: 'customer', sequence: 4 },
  }),
  'call.unmuted': defineEvent({
    subject: 'call',
    summary: 'A leg was unmuted.',
    summaryAr: 'أُلغي كتم صوت أحد طرفي المكالمة.',
    own: leg,
    example: { ...CALL_EXAMPLE, leg: 'customer', sequence: 5 },
  }),
  'call.transferred': defineEvent({
    subject: 'call',
    summary: 'A transfer was completed.',
    summaryAr: 'اكتمل تحويل المكالمة.',
    own: { transfer: transferObject },
    example: {
      ...CALL_EXAMPLE,
      transfer: {
        transfer_id: '01934f70-11aa-7b0c-9d53-5c1f6a0e2b77',
        call_id: CALL_EXAMPLE.call_id,
        type: 'blind',
        to: { type: 'agent', target: '1002' },
        status: 'completed',
        created_at: '2026-01-31T06:00:30.000Z',
        ended_at: '2026-01-31T06:00:34.120Z',
      },
      sequence: 4,
    },
  }),
  'call.input': defineEvent({
    subject: 'call',
    summary: 'The caller chose an option of an authentication menu.',
    summaryAr: 'اختار المتصل خيارًا من القائمة الصوتية للمصادقة.',
    own: {
      input: z.strictObject({
        node: z.string().describe('The id of the node in the call flow'),
        choice: z.string(),
        digits_count: z.int().min(0),
      }),
    },
    example: { ...CALL_EXAMPLE, input: { node: 'menu', choice: '1', digits_count: 1 }, sequence: 4 },
  }),
  'call.dtmf': defineEvent({
    subject: 'call',
    summary: 'A key was pressed. The event never says which.',
    summaryAr: 'ضُغط مفتاح على الهاتف. ولا يذكر الحدث أي مفتاح.',
    own: { dtmf: z.strictObject({ leg: z.enum(LEG_ROLES), digits_count: z.int().min(1) }) },
    example: { ...CALL_EXAMPLE, dtmf: { leg: 'customer', digits_count: 1 }, sequence: 4 },
  }),
  'call.recording_ready': defineEvent({
    subject: 'call',
    summary: 'The audio of a recording can be downloaded.',
    summaryAr: 'يمكن تنزيل صوت التسجيل.',
    own: { recording: recordingObject },
    example: {
      ...ENDED_CALL_EXAMPLE,
      recording_available: true,
      recording: {
        recording_id: '01934f71-55d0-7f3e-8a11-90be4c2d7f05',
        call_id: CALL_EXAMPLE.call_id,
        leg: 'customer',
        status: 'available',
        channels: 2,
        format: 'wav',
        duration_seconds: 61.4,
        bytes: 1_964_844,
        legal_hold: false,
        started_at: '2026-01-31T06:00:06.490Z',
        ended_at: '2026-01-31T06:01:07.510Z',
      },
      sequence: 5,
    },
  }),
  'call.transcribed': defineEvent({
    subject: 'call',
    summary: 'The transcription of a recording ended. The text is available from the API.',
    summaryAr: 'انتهى تحويل التسجيل إلى نص. ويُقرأ النص عبر API.',
    own: { transcript: transcriptSummary },
    example: {
      ...ENDED_CALL_EXAMPLE,
      recording_available: true,
      transcript: {
        recording_id: '01934f71-55d0-7f3e-8a11-90be4c2d7f05',
        status: 'completed',
        language: 'ar',
        confidence: 0.91,
        engine: 'openai:whisper-1',
        created_at: '2026-01-31T06:01:08.000Z',
        finished_at: '2026-01-31T06:01:19.300Z',
      },
      sequence: 6,
    },
  }),
};
