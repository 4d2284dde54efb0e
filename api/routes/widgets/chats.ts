import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CHAT_CLIENT_ID } from '../../../core/model/messaging/webchat.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { VisitorChats } from '../../../core/services/messaging/webchat/visitor-chats.js';
import { invalidField } from '../../../core/model/errors/index.js';
import { savedReply } from '../../http/reply.js';
import { route, type Route } from '../../http/route.js';
import { idParam } from '../../http/schema/schemas.js';
import { proofFields } from '../../http/schema/proof-of-work.js';

export interface WidgetChatServices {
  readonly visitorChats: VisitorChats;
}

const query = z.strictObject({ key: z.string().max(64).describe('The widget’s public key') });
const token = z.string().max(256).describe('The visitor’s token');
const params = z.strictObject({ chat_id: idParam('NOT_FOUND') });
const clientId = z.string().regex(CHAT_CLIENT_ID).describe('Chosen by the page: a repeat is not sent again');
const proof = z.strictObject(proofFields).meta({ id: 'WidgetProof' });

const begun = z
  .strictObject({
    chat_id: idOutput.describe('The visitor, for agents: `with` of the conversation'),
    token: z.string().describe('Opens the chat on pages of the widget. The page keeps it'),
    expires_at: timeOutput.describe('Each visit moves it'),
  })
  .meta({ id: 'WidgetChat' });

const BINARY = 'application/octet-stream';
const MAX_FILE_BYTES = 10 * 1024 * 1024;

const sentFile = z
  .strictObject({ message_id: idOutput, file_id: idOutput, name: z.string() })
  .meta({ id: 'WidgetChatFile' });

/** Chats of visitors, for pages with a widget. What is written goes over the WebSocket `/v1/widget/chats/socket`. */
export function widgetChatRoutes({ visitorChats }: WidgetChatServices): Route[] {
  const common = { tag: 'Widget', flag: 'widget', keyKind: 'widget', scope: null } as const;
  return [
    route({
      ...common,
      method: 'POST',
      path: '/v1/widget/chats',
      operationId: 'beginWidgetChat',
      summary: 'Begin a chat',
      summaryAr: 'بدء محادثة',
      description:
        'The token opens the chat for 30 days after the last visit. Messages go over the WebSocket `/v1/widget/chats/socket?key=…`, whose frames the reference of the channel describes. ' +
        'Chats are limited per IP address.',
      query,
      body: z.strictObject({
        name: z.string().trim().min(1).max(100).optional().describe('What agents call the visitor'),
        language: z.enum(['ar', 'en']).optional().describe('Of the page; default: the widget’s'),
        captcha: proof.optional().describe('The solved challenge, if the widget requires one'),
      }),
      secretFields: ['token'],
      responses: { 201: { schema: begun, description: 'The chat' } },
      errors: ['MESSAGES_DISABLED', 'CHANNEL_NOT_CONFIGURED', 'CAPTCHA_FAILED'],
      handler: async ({ widget, body: { name = null, language, captcha = null }, ip }) => {
        const asked = { name, language: language ?? widget.row.language, captcha };
        const { row, token } = await visitorChats.begin(widget, asked, ip);
        return { status: 201, body: { chat_id: row.id, token, expires_at: isoTime(row.expires_at) } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/widget/chats/:chat_id/transcript',
      operationId: 'getWidgetChatTranscript',
      summary: 'Read a visitor’s whole chat',
      summaryAr: 'قراءة محادثة الزائر كاملة',
      params,
      query: z.strictObject({ ...query.shape, token }),
      responses: {
        200: {
          ...{ schema: z.string(), contentType: 'text/plain; charset=utf-8', description: 'One message a line' },
          example: '2026-01-31 09:00 · Visitor: When do you open?\n',
        },
      },
      errors: ['MESSAGES_DISABLED', 'CHANNEL_NOT_CONFIGURED', 'NOT_FOUND'],
      handler: async ({ widget, params: { chat_id: chatId }, query: { token: given } }) => ({
        status: 200,
        raw: await visitorChats.transcript(widget, { chatId, token: given }),
        contentType: 'text/plain; charset=utf-8',
      }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/widget/chats/:chat_id/transcript',
      operationId: 'mailWidgetChatTranscript',
      summary: 'Mail a visitor’s chat to the visitor',
      summaryAr: 'إرسال محادثة الزائر إلى بريده',
      description:
        'Once somebody has answered, if the installation has a mail server: without one, 422 `CHANNEL_NOT_CONFIGURED`. Three a day.',
      params,
      query: z.strictObject({ ...query.shape, token }),
      body: z.strictObject({
        email: z
          .email()
          .max(254)
          .transform((text) => text.toLowerCase()),
      }),
      responses: { 204: { schema: null, description: 'The mail server has it' } },
      errors: ['MESSAGES_DISABLED', 'CHANNEL_NOT_CONFIGURED', 'NOT_FOUND'],
      handler: async ({ widget, params: { chat_id: chatId }, query: { token: given }, body: { email } }) => {
        await visitorChats.mailTranscript(widget, { chatId, token: given }, email);
        return { status: 204 };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/widget/chats/:chat_id/files',
      operationId: 'sendWidgetChatFile',
      summary: 'Send a file in a chat',
      summaryAr: 'إرسال ملف في محادثة',
      description: 'The file is a message of its own. A visitor can send 20 in an hour.',
      params,
      query: z.strictObject({ ...query.shape, token, id: clientId }),
      upload: { field: 'file', description: 'A file of 10 MiB at most', maxBytes: MAX_FILE_BYTES },
      responses: { 201: { schema: sentFile, description: 'The message' } },
      errors: ['MESSAGES_DISABLED', 'CHANNEL_NOT_CONFIGURED', 'NOT_FOUND'],
      handler: async ({ widget, params: { chat_id: chatId }, query: { token: given, id: client }, file }) => {
        if (!file) throw invalidField('file');
        const { id, media } = await visitorChats.upload(
          widget,
          { chatId, token: given },
          { clientId: client, file: { bytes: await readFile(file.path), name: file.name } },
        );
        return { status: 201, body: { message_id: id, file_id: media.media_id ?? '', name: media.file_name ?? '' } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/widget/chats/:chat_id/files/:file_id',
      operationId: 'getWidgetChatFile',
      summary: 'Download a file of a visitor’s chat',
      summaryAr: 'تنزيل ملف من محادثة الزائر',
      query: z.strictObject({ ...query.shape, token }),
      params: z.strictObject({ ...params.shape, file_id: idParam('NOT_FOUND') }),
      responses: {
        200: {
          schema: z.string(),
          contentType: BINARY,
          description: 'The file, to be saved and not shown',
          example: '…',
        },
      },
      errors: ['MESSAGES_DISABLED', 'CHANNEL_NOT_CONFIGURED', 'NOT_FOUND'],
      handler: async ({ widget, params: { chat_id: chatId, file_id }, query: { token: given } }) =>
        savedReply(await visitorChats.file(widget, { chatId, token: given }, file_id), BINARY, {
          'Cross-Origin-Resource-Policy': 'cross-origin',
        }),
    }),
  ];
}
