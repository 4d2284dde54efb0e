import { z } from 'zod';
import { idOutput } from '../../../core/model/objects/fields.js';
import { voicemailObject } from '../../../core/model/objects/voicemail.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { PIN_PATTERN } from '../../../core/model/voicemail.js';
import type { VoicemailBoxService } from '../../../core/services/voicemail/boxes.js';
import { present, type VoicemailService } from '../../../core/services/voicemail/messages.js';
import { templateName } from '../messaging/template-fields.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { kindOf, scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idInput, idParam, phoneNumber, queryBoolean } from '../../http/schema/schemas.js';
import { presentLink, recordingLink } from './recordings.js';

export interface VoicemailRoutesServices {
  readonly boxes: VoicemailBoxService;
  readonly messages: VoicemailService;
  /** Where clients reach the API. */
  readonly publicUrl: () => string;
}

const TAG = 'Voicemail';
const NOTICE_CHANNELS = ['sms', 'chatapp'] as const;
const NEEDS_TEMPLATE = bilingual('needs template on chatapp', 'يتطلب `template` في القناة `chatapp`');

const languages = z.enum(['ar', 'en']);
const box = z
  .strictObject({
    number_id: idOutput,
    number: z.string(),
    enabled: z.boolean(),
    greeting: z
      .strictObject({
        text: z.string().nullable(),
        audio_id: idOutput.nullable(),
        audio_url: z.string().nullable(),
        language: languages.nullable(),
        recorded_by_phone: z.boolean(),
      })
      .nullable()
      .describe('`null`: the platform’s own, in Arabic and English'),
    max_seconds: z.int(),
    transcribe: z.boolean(),
    notify_email: z.string().nullable(),
    notify_audio: z.boolean(),
    notify_message: z
      .strictObject({
        channel: z.enum(NOTICE_CHANNELS),
        to: z.string(),
        language: languages,
        template: z.string().nullable(),
      })
      .nullable(),
    has_pin: z.boolean().describe('Without a PIN the box is not heard by phone'),
  })
  .meta({ id: 'VoicemailBox' });

const boxBody = z.strictObject({
  enabled: z.boolean(),
  greeting: z
    .strictObject({
      text: z.string().min(1).max(4000).optional(),
      audio_id: idInput.optional().describe('An uploaded audio file'),
      audio_url: z.string().max(2048).optional().describe('https, WAV or MP3 of at most 10 MB; fetched once and kept'),
      language: languages.optional().describe('Needed with `text`'),
    })
    .nullable()
    .default(null)
    .describe('One of `text`, `audio_id` and `audio_url`'),
  max_seconds: z.int().min(5).max(300).default(120),
  transcribe: z.boolean().default(false),
  notify_email: z.email().max(254).nullable().default(null).describe('Each message is mailed there'),
  notify_audio: z.boolean().default(true).describe('Whether the mail brings the audio along'),
  notify_message: z
    .strictObject({
      channel: z.enum(NOTICE_CHANNELS),
      to: phoneNumber(),
      language: languages.default('ar'),
      template: templateName
        .nullable()
        .default(null)
        .describe('Gets the caller, the duration and the transcript as its values; on `chatapp` required'),
    })
    .refine(({ channel, template }) => channel !== 'chatapp' || template !== null, NEEDS_TEMPLATE)
    .nullable()
    .default(null)
    .describe('Each message is announced there, with its transcript. Needs the scope `messages:write`, too'),
  pin: z
    .string()
    .regex(PIN_PATTERN, bilingual('must be 4 to 10 digits', 'يجب أن يتكوّن من 4 إلى 10 أرقام'))
    .nullable()
    .optional()
    .describe('For hearing the box by phone (`*98`); left out it stays as it is, `null` takes it away'),
});

const params = z.strictObject({ id: idParam('VOICEMAIL_NOT_FOUND') });
const numberParams = z.strictObject({ id: idParam('NUMBER_NOT_FOUND') });

export function voicemailRoutes(services: VoicemailRoutesServices): Route[] {
  return [...boxRoutes(services), ...messageRoutes(services)];
}

function boxRoutes({ boxes }: VoicemailRoutesServices): Route[] {
  const shared = { tag: TAG, flag: 'voicemail', path: '/v1/numbers/:id/voicemail', params: numberParams } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      operationId: 'getVoicemailBox',
      summary: 'Read the voicemail box of a number',
      summaryAr: 'قراءة إعداد البريد الصوتي لرقم',
      scope: 'numbers:read',
      keyKind: 'any',
      responses: { 200: { schema: box, description: 'The box; a box that was never set up is disabled' } },
      errors: ['NUMBER_NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => ({ status: 200, body: await boxes.get(kindOf({ caller }), id) }),
    }),
    route({
      ...shared,
      method: 'PUT',
      operationId: 'putVoicemailBox',
      summary: 'Set up the voicemail box of a number',
      summaryAr: 'ضبط البريد الصوتي لرقم',
      description:
        'Replaces all settings: omitted settings get their defaults, except `pin`. While the box is enabled, callers can leave a message if the number’s agent does not answer; if the number is bound to `voicemail`, callers reach the box immediately.',
      scope: 'numbers:write',
      keyKind: 'any',
      body: boxBody,
      auditFields: ['enabled', 'max_seconds', 'transcribe'],
      responses: { 200: { schema: box, description: 'The box as it is now' } },
      errors: [
        'NUMBER_NOT_FOUND',
        'INVALID_PHONE_NUMBER',
        'VOICEMAIL_GREETING_INVALID',
        'VOICEMAIL_SERVICE_UNAVAILABLE',
      ],
      handler: async ({ caller, params: { id }, body }) => {
        // Messages cost money: who may not send them may not have them sent either.
        if (body.notify_message !== null && !caller.scopes.has('messages:write'))
          throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: 'messages:write' });
        return { status: 200, body: await boxes.put(kindOf({ caller }), id, body) };
      },
    }),
  ];
}

function messageRoutes({ messages, publicUrl }: VoicemailRoutesServices): Route[] {
  const reading = { method: 'GET', tag: TAG, flag: 'voicemail', scope: 'voicemail:read', keyKind: 'any' } as const;
  const writing = { ...reading, scope: 'voicemail:write' } as const;
  return [
    route({
      ...reading,
      path: '/v1/voicemails',
      operationId: 'listVoicemails',
      ownRows: true,
      summary: 'List voicemail messages',
      summaryAr: 'عرض رسائل البريد الصوتي',
      description: 'Newest first.',
      query: z.strictObject({
        ...cursorQuery,
        number: phoneNumber().optional().describe('Of one number’s box'),
        listened: queryBoolean().optional().describe('`true`: only heard ones; `false`: only new ones'),
      }),
      responses: { 200: { schema: cursorList(voicemailObject), description: 'One page of messages' } },
      errors: ['INVALID_PHONE_NUMBER'],
      handler: async ({ caller, query, cursors }) => {
        const { number, listened, cursor, limit } = query;
        const rows = await messages.list(scopeOf({ caller }), { number, listened }, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...reading,
      path: '/v1/voicemails/:id',
      operationId: 'getVoicemail',
      ownRows: true,
      summary: 'Read a voicemail message',
      summaryAr: 'قراءة رسالة صوتية',
      params,
      responses: { 200: { schema: voicemailObject, description: 'The message' } },
      errors: ['VOICEMAIL_NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        body: await messages.get(scopeOf({ caller }), id),
      }),
    }),
    route({
      ...reading,
      path: '/v1/voicemails/:id/recording',
      operationId: 'getVoicemailRecording',
      ownRows: true,
      summary: 'Get a download link for a voicemail message',
      summaryAr: 'الحصول على رابط تنزيل رسالة صوتية',
      description:
        'The link works for 10 minutes, as often as wanted, and takes range requests. The message does not count as heard by it.',
      params,
      responses: { 200: { schema: recordingLink, description: 'The link' } },
      errors: ['VOICEMAIL_NOT_FOUND', 'VOICEMAIL_RECORDING_NOT_FOUND', 'VOICEMAIL_SERVICE_UNAVAILABLE'],
      handler: async ({ caller, params: { id } }) => {
        const made = await messages.link(scopeOf({ caller }), id);
        return { status: 200, body: presentLink(made, publicUrl()) };
      },
    }),
    route({
      ...writing,
      method: 'POST',
      path: '/v1/voicemails/:id/listened',
      operationId: 'markVoicemailListened',
      ownRows: true,
      summary: 'Mark a voicemail message as heard',
      summaryAr: 'تحديد رسالة صوتية بأنها مسموعة',
      description: 'Repeating the request does not change `listened_at`.',
      params,
      responses: { 200: { schema: voicemailObject, description: 'The message' } },
      errors: ['VOICEMAIL_NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        body: await messages.markListened(scopeOf({ caller }), id),
      }),
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/voicemails/:id',
      operationId: 'deleteVoicemail',
      ownRows: true,
      summary: 'Delete a voicemail message',
      summaryAr: 'حذف رسالة صوتية',
      description:
        'For good: the message and its transcription are gone, links stop working at once, and the audio is taken out of its storage. A message under legal hold is kept.',
      params,
      responses: { 204: { schema: null, description: 'Deleted' } },
      errors: ['VOICEMAIL_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
      handler: async ({ caller, params: { id } }) => {
        await messages.delete(scopeOf({ caller }), id);
        return { status: 204 };
      },
    }),
  ];
}
