import { z } from 'zod';
import type { BroadcastRow } from '../../../core/data/rows.js';
import { invalidField } from '../../../core/model/errors/index.js';
import { BROADCAST_STATUSES } from '../../../core/model/broadcasts/broadcast.js';
import { broadcastObject, broadcastWithProgress } from '../../../core/model/objects/broadcast.js';
import type { ControlBroadcast } from '../../../core/services/broadcasts/control.js';
import type { BroadcastEditor, CreateBroadcast } from '../../../core/services/broadcasts/create.js';
import { presentBroadcast, presentProgress } from '../../../core/services/broadcasts/present.js';
import type { ReadBroadcasts } from '../../../core/services/broadcasts/read.js';
import type { UploadRecipients } from '../../../core/services/broadcasts/upload.js';
import { MAX_IMPORT_LINES } from '../../../core/services/contacts/import/read-file.js';
import { kindOf, scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route, type RouteContext } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';
import { newBroadcast, toNewBroadcast } from './broadcast-fields.js';
import { broadcastRecipientRoutes } from './broadcast-recipients.js';

export interface BroadcastRoutesServices {
  readonly broadcasts: {
    readonly create: CreateBroadcast;
    readonly upload: UploadRecipients;
    readonly control: ControlBroadcast;
    readonly read: ReadBroadcasts;
  };
}

const BROADCASTS = { tag: 'Broadcasts', keyKind: 'any', flag: 'messages' } as const;
const MAX_FILE_BYTES = 16 * 1024 * 1024;

const params = z.strictObject({ id: idParam('NOT_FOUND') });
const writing = { ...BROADCASTS, method: 'POST', scope: 'broadcasts:write' } as const;
const reading = { ...BROADCASTS, method: 'GET', scope: 'broadcasts:read' } as const;

const FORM = [
  `A CSV file (UTF-8) of at most ${MAX_IMPORT_LINES} lines. The first line names the columns: \`phone\` or \`email\`, and, if variables need them, \`name_en\`, \`name_ar\`, \`language\`, \`time_zone\` and \`custom.<name>\`.`,
  'Each line is a recipient; one whose address is not valid or came before is skipped. The lines make no contacts. Another file replaces the first one.',
].join(' ');

/** Broadcasts: messages from templates to many people. */
export function broadcastRoutes(services: BroadcastRoutesServices): Route[] {
  return [
    ...draftRoutes(services.broadcasts),
    ...stepRoutes(services.broadcasts),
    ...broadcastRecipientRoutes(services.broadcasts.read),
  ];
}

function draftRoutes({ create, upload, read }: BroadcastRoutesServices['broadcasts']): Route[] {
  return [
    route({
      ...writing,
      path: '/v1/broadcasts',
      operationId: 'createBroadcast',
      summary: 'Create a broadcast',
      summaryAr: 'إنشاء حملة',
      description:
        'Makes a draft. The recipients are the members of a contact group when the broadcast begins, or a file that you upload then. Nothing is sent before `POST …/start`.',
      body: newBroadcast,
      auditFields: ['name', 'channel', 'group_id'],
      responses: { 201: { schema: broadcastObject, description: 'The draft' } },
      errors: ['CHANNEL_VERB_UNSUPPORTED', 'CHANNEL_NOT_CONFIGURED', 'BROADCAST_LIMIT_EXCEEDED'],
      recover: async ({ requestId }, { caller }) => {
        const made = await create.createdBy(caller.projectId, caller.id, requestId);
        return made && { status: 201, body: presentBroadcast(made) };
      },
      handler: async (ctx) => {
        const row = await create.create(toNewBroadcast(ctx.body), editorOf(ctx));
        return { status: 201, body: presentBroadcast(row) };
      },
    }),
    route({
      ...reading,
      path: '/v1/broadcasts',
      operationId: 'listBroadcasts',
      summary: 'List broadcasts, newest first',
      summaryAr: 'عرض الحملات من الأحدث إلى الأقدم',
      query: z.strictObject({ ...cursorQuery, status: z.enum(BROADCAST_STATUSES).optional() }),
      responses: { 200: { schema: cursorList(broadcastObject), description: 'One page' } },
      errors: [],
      handler: async (ctx) => {
        const { cursor, limit, status } = ctx.query;
        const rows = await read.page(scopeOf(ctx), status ?? null, ctx.cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, ctx.cursors, ({ id }) => id, presentBroadcast) };
      },
    }),
    route({
      ...reading,
      path: '/v1/broadcasts/:id',
      operationId: 'getBroadcast',
      summary: 'Read how far a broadcast is',
      summaryAr: 'قراءة تقدّم حملة',
      description: 'The numbers are those of this moment, of the whole and of each variant.',
      params,
      responses: { 200: { schema: broadcastWithProgress, description: 'The broadcast with its numbers' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        const row = await read.get(scopeOf(ctx), ctx.params.id);
        return { status: 200, body: presentProgress(row, await read.counted(row)) };
      },
    }),
    route({
      ...writing,
      path: '/v1/broadcasts/:id/recipients',
      operationId: 'uploadBroadcastRecipients',
      summary: 'Give a draft its recipients from a CSV file',
      summaryAr: 'تحديد مستلمي مسودة من ملف CSV',
      description: FORM,
      params,
      upload: { field: 'file', description: 'The CSV file', maxBytes: MAX_FILE_BYTES },
      responses: {
        200: { schema: broadcastWithProgress, description: 'The draft with the numbers of its recipients' },
      },
      errors: ['NOT_FOUND', 'BROADCAST_INVALID_STATE'],
      handler: async (ctx) => {
        const { file } = ctx;
        if (!file) throw invalidField('file');
        const row = await upload.upload(editorOf(ctx), ctx.params.id, file);
        return { status: 200, body: presentProgress(row, await read.counted(row)) };
      },
    }),
  ];
}

function stepRoutes({ control, read }: BroadcastRoutesServices['broadcasts']): Route[] {
  const step = {
    ...writing,
    params,
    responses: { 200: { schema: broadcastWithProgress, description: 'The broadcast after that' } },
  } as const;
  const errors = ['NOT_FOUND', 'BROADCAST_INVALID_STATE'] as const;
  const answer = async (row: BroadcastRow) =>
    ({ status: 200, body: presentProgress(row, await read.counted(row)) }) as const;
  return [
    route({
      ...step,
      path: '/v1/broadcasts/:id/start',
      operationId: 'startBroadcast',
      summary: 'Start a broadcast',
      summaryAr: 'بدء حملة',
      description:
        'Sends a draft, now or at its time. The texts of its templates stay as they are now, also if the templates change. A broadcast that was started stays as it is.',
      errors: [...errors, 'CHANNEL_VERB_UNSUPPORTED', 'CHANNEL_NOT_CONFIGURED'],
      handler: async (ctx) => answer(await control.start(editorOf(ctx), ctx.params.id)),
    }),
    route({
      ...step,
      path: '/v1/broadcasts/:id/pause',
      operationId: 'pauseBroadcast',
      summary: 'Pause a broadcast that is running',
      summaryAr: 'إيقاف حملة مؤقتًا',
      description: 'Nothing more goes to the provider, except for what is on its way at this moment.',
      errors: [...errors],
      handler: async (ctx) => answer(await control.pause(kindOf(ctx), ctx.params.id)),
    }),
    route({
      ...step,
      path: '/v1/broadcasts/:id/resume',
      operationId: 'resumeBroadcast',
      summary: 'Resume a broadcast that is paused',
      summaryAr: 'استئناف حملة متوقفة مؤقتًا',
      description: 'Also one that the platform paused, once its `problem` is solved.',
      errors: [...errors],
      handler: async (ctx) => answer(await control.resume(kindOf(ctx), ctx.params.id)),
    }),
    route({
      ...step,
      path: '/v1/broadcasts/:id/cancel',
      operationId: 'cancelBroadcast',
      summary: 'Cancel a broadcast that is not completed',
      summaryAr: 'إلغاء حملة لم تكتمل',
      description: 'Nothing more goes to the provider, except for what is on its way at this moment.',
      errors: [...errors],
      handler: async (ctx) => answer(await control.cancel(kindOf(ctx), ctx.params.id)),
    }),
    route({
      ...step,
      path: '/v1/broadcasts/:id/retry',
      operationId: 'retryBroadcast',
      summary: 'Send again what failed',
      summaryAr: 'إعادة إرسال ما تعذّر',
      description:
        'For a broadcast that was started and not cancelled. Those whose message failed get another one; not those who may have got it (`outcome_unknown`), who do not exist (`invalid_recipient`), or who do not want it (`blocked`, `opted_out`).',
      errors: [...errors],
      handler: async (ctx) => answer(await control.retry(kindOf(ctx), ctx.params.id)),
    }),
  ];
}

function editorOf(ctx: Pick<RouteContext<'any'>, 'caller' | 'requestId'>): BroadcastEditor {
  const { organization, organizationId, id: keyId } = ctx.caller;
  return { ...kindOf(ctx), organization, organizationId, keyId, requestId: ctx.requestId };
}
