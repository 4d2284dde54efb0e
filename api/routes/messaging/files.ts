import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import type { MessageFileTable } from '../../../core/data/repositories/messaging/files.js';
import type { Messages } from '../../../core/data/repositories/messaging/messages.js';
import type { MessageFileRow } from '../../../core/data/rows.js';
import { invalidField } from '../../../core/model/errors/index.js';
import { MEDIA_KINDS } from '../../../core/model/messaging/extra.js';
import { fileTypeNamed, LARGEST_FILE_BYTES } from '../../../core/model/messaging/file-types.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { FileOfMessage } from '../../../core/services/messaging/files/file-of-message.js';
import type { MessageFileService } from '../../../core/services/messaging/files/message-files.js';
import { unknownMessage } from '../../../core/services/messaging/unknown.js';
import type { MessageFile } from '../../../core/ports/messaging/message-files.js';
import { kindOf, scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { savedReply, type RawReply } from '../../http/reply.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

export interface FileRoutesServices {
  readonly files: MessageFileService;
  readonly fileTable: Pick<MessageFileTable, 'list' | 'createdBy'>;
  readonly fileOfMessage: FileOfMessage;
  readonly messages: Pick<Messages, 'get'>;
}

const fileObject = z
  .strictObject({
    media_id: idOutput.describe('What `media` of a message takes'),
    name: z.string(),
    media_type: z.string().meta({ examples: ['image/jpeg'] }),
    kinds: z.array(z.enum(MEDIA_KINDS)).describe('As what it can be sent'),
    bytes: z.int(),
    sandbox: z.boolean(),
    created_at: timeOutput,
    expires_at: timeOutput,
  })
  .meta({ id: 'MessageFile' });

const BINARY = 'application/octet-stream';
const content = {
  200: {
    schema: z.string(),
    contentType: BINARY,
    description: 'The file, in its own media type, to be saved and not shown',
    example: '…',
  },
} as const;
const params = z.strictObject({ media_id: idParam('NOT_FOUND') });

/** Files that messages are sent with, and those that came in. */
export function fileRoutes({ files, fileTable, fileOfMessage, messages }: FileRoutesServices): Route[] {
  const common = { tag: 'Messages', keyKind: 'any', flag: 'messages' } as const;
  const reading = { ...common, method: 'GET', scope: 'messages:read' } as const;
  return [
    route({
      ...common,
      method: 'POST',
      path: '/v1/messages/media',
      operationId: 'uploadMessageFile',
      summary: 'Upload a file for messages',
      summaryAr: 'رفع ملف لإرساله في الرسائل',
      description:
        'A JPEG, PNG or WebP picture, an MP3, M4A, OGG, AMR or WAV sound, an MP4 or 3GP video, a PDF, DOCX, XLSX or PPTX document, or a text, of at most 16 MB. The type is detected from the content, not from the name. The file is kept for 30 days. The files of a project may take 1 GB; live and sandbox files count apart.',
      scope: 'messages:write',
      ownRows: true,
      upload: { field: 'file', description: 'The file', maxBytes: LARGEST_FILE_BYTES },
      responses: { 201: { schema: fileObject, description: 'The file' } },
      errors: [],
      recover: async ({ requestId }, { caller }) => {
        const made = await fileTable.createdBy(caller.projectId, caller.id, requestId);
        return made && { status: 201, body: present(made) };
      },
      handler: async ({ caller, file, requestId }) => {
        if (!file) throw invalidField('file');
        const writer = { ...kindOf({ caller }), organizationId: caller.organizationId, keyId: caller.id, requestId };
        return { status: 201, body: present(await files.add(await readFile(file.path), file.name, writer)) };
      },
    }),
    route({
      ...reading,
      path: '/v1/messages/media',
      operationId: 'listMessageFiles',
      summary: 'List the files for messages, newest first',
      summaryAr: 'عرض ملفات الرسائل من الأحدث إلى الأقدم',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(fileObject), description: 'One page' } },
      errors: [],
      handler: async ({ caller, query, cursors }) => {
        const rows = await fileTable.list(kindOf({ caller }), cursors.read(query.cursor), query.limit + 1);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...reading,
      path: '/v1/messages/media/:media_id',
      operationId: 'getMessageFile',
      summary: 'Read name, type and size of a file for messages',
      summaryAr: 'قراءة بيانات ملف من ملفات الرسائل',
      params,
      responses: { 200: { schema: fileObject, description: 'The file' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { media_id } }) => ({
        status: 200,
        body: present(await files.get(kindOf({ caller }), media_id)),
      }),
    }),
    route({
      ...reading,
      path: '/v1/messages/media/:media_id/content',
      operationId: 'downloadMessageFile',
      summary: 'Download a file for messages',
      summaryAr: 'تنزيل ملف من ملفات الرسائل',
      params,
      responses: content,
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { media_id } }) => {
        const row = await files.get(kindOf({ caller }), media_id);
        return saved({ bytes: await buffer(await files.open(row)), mediaType: row.media_type, name: row.name });
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/v1/messages/media/:media_id',
      operationId: 'deleteMessageFile',
      summary: 'Delete a file for messages',
      summaryAr: 'حذف ملف من ملفات الرسائل',
      description: 'Messages that wait and have it fail with `content_refused`.',
      scope: 'messages:write',
      params,
      responses: { 204: { schema: null, description: 'Deleted' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { media_id } }) => {
        await files.remove(await files.get(kindOf({ caller }), media_id));
        return { status: 204 };
      },
    }),
    route({
      ...reading,
      ownRows: true,
      path: '/v1/messages/:message_id/media',
      operationId: 'downloadMedia',
      summary: 'Download the file of a message',
      summaryAr: 'تنزيل ملف رسالة',
      description:
        'Of an e-mail with several, the first one. A file that came in is fetched from its provider, who keeps it for some weeks (WhatsApp: 30 days). Save it: it was made by a stranger.',
      params: z.strictObject({ message_id: idParam('NOT_FOUND') }),
      responses: content,
      errors: ['NOT_FOUND', 'INTERNAL_ERROR'],
      handler: async (ctx) => {
        const row = await messages.get(scopeOf(ctx), ctx.params.message_id);
        if (!row) throw unknownMessage(ctx.params.message_id);
        return saved(await fileOfMessage.read(row));
      },
    }),
  ];
}

function saved(file: MessageFile): RawReply {
  const { mediaType } = file;
  return savedReply(file, /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : BINARY);
}

function present(row: MessageFileRow): z.output<typeof fileObject> {
  const { id, name, media_type, bytes, sandbox, created_at, expires_at } = row;
  return {
    ...{ media_id: id, name, media_type, kinds: [...(fileTypeNamed(media_type)?.kinds ?? [])], bytes, sandbox },
    ...{ created_at: isoTime(created_at), expires_at: isoTime(expires_at) },
  };
}
