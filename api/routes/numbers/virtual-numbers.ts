import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import type { VirtualNumberRow } from '../../../core/data/rows.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { isoTime } from '../../../core/model/time.js';
import type { Caller } from '../../../core/services/access/caller.js';
import type { AllocateVirtualNumber } from '../../../core/services/virtual-numbers/allocate.js';
import type { GivenInstructions } from '../../../core/services/virtual-numbers/instructions.js';
import type { ManageVirtualNumbers } from '../../../core/services/virtual-numbers/manage.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idInput, idParam, phoneNumber } from '../../http/schema/schemas.js';
import { ownerOf, prefixInput } from './numbers.js';

const TAG = 'Virtual numbers';

export interface VirtualNumberRoutesServices {
  readonly allocate: Pick<AllocateVirtualNumber, 'allocate' | 'known'>;
  readonly manage: ManageVirtualNumbers;
}

const STATUSES = ['assigned', 'released'] as const;

const virtualNumberObject = z
  .strictObject({
    id: idOutput,
    e164: z.string().meta({ examples: ['+966115551234'] }),
    status: z.enum(STATUSES),
    external_user_id: z.string(),
    display_name: z.string().nullable(),
    contact_id: idOutput.nullable(),
    instructions: z.strictObject({
      text: z.string().nullable(),
      audio_url: z.string().nullable(),
      language: z.enum(['ar', 'en']).nullable(),
      forward_to: z.string().nullable(),
    }),
    assigned_at: timeOutput,
    released_at: timeOutput.nullable(),
  })
  .meta({ id: 'VirtualNumber' });

const under = z.strictObject({ data: virtualNumberObject });

const instructions = z
  .strictObject({
    text: z.string().trim().min(1).max(1000).nullish().describe('Text spoken first'),
    audio_url: z
      .string()
      .max(2048)
      .nullish()
      .describe('Audio played next: public HTTPS URL of a WAV or MP3 file of at most 10 MB, fetched and stored now.'),
    language: z
      .enum(['ar', 'en'])
      .nullish()
      .describe('Language of the text; by default Arabic if the text has an Arabic letter, otherwise English'),
    forward_to: phoneNumber().nullish().describe('Number to which the call is forwarded'),
  })
  .describe('What callers hear and where they are forwarded, in this order; calls are not answered if nothing is set');

const externalUserId = z.string().min(1).max(255);

const endUser = z.looseObject({ external_user_id: externalUserId });

const allocateBody = z.strictObject({
  external_user_id: externalUserId.describe('Your own ID of the end user, who has at most one number'),
  display_name: z.string().trim().min(1).max(100).nullish(),
  prefix: prefixInput.nullish().describe('Number prefix; any number if absent'),
  contact_id: idInput.nullish().describe('The contact of the end user'),
  instructions: instructions.nullish(),
});

const params = z.strictObject({ id: idParam('NUMBER_NOT_FOUND') });

export function virtualNumberRoutes({ allocate, manage }: VirtualNumberRoutesServices): Route[] {
  const reading = {
    tag: TAG,
    scope: 'virtual_numbers:read',
    keyKind: 'any',
    flag: 'virtual_numbers',
    method: 'GET',
  } as const;
  const writing = { ...reading, scope: 'virtual_numbers:write' } as const;
  return [
    route({
      ...writing,
      keyKind: 'live',
      method: 'POST',
      path: '/v1/virtual-numbers',
      operationId: 'allocateVirtualNumber',
      summary: 'Assign a number to an end user',
      summaryAr: 'تخصيص رقم لمستخدم نهائي',
      description:
        'Idempotent on `external_user_id`: a retry answers 200 with the current number, whatever the rest of the body. ' +
        'The number comes from the operator’s stock; order numbers of other providers at `/v1/numbers`.',
      // external_user_id takes the place of the idempotency key.
      idempotent: false,
      body: allocateBody,
      auditFields: ['external_user_id', 'prefix'],
      repeated: async (body, { caller }) => {
        const { data } = endUser.safeParse(body);
        const known = data ? await allocate.known(caller.projectId, data.external_user_id) : null;
        return known && { status: 200, body: { data: view(known) } };
      },
      responses: {
        201: { schema: under, description: 'The new number' },
        200: { schema: under, description: 'The number that the end user already has' },
      },
      errors: [
        'NUMBER_NOT_AVAILABLE',
        'INVALID_PHONE_NUMBER',
        'INVALID_PLAY_URL',
        'CALLFLOW_AUDIO_SERVICE_UNAVAILABLE',
      ],
      handler: async ({ caller, body }) => {
        const wanted = {
          externalUserId: body.external_user_id,
          displayName: body.display_name ?? null,
          prefix: body.prefix ?? null,
          contactId: body.contact_id ?? null,
          instructions: given(body.instructions ?? {}),
        };
        const { row, isNew } = await allocate.allocate(wanted, ownerOf(caller));
        const answer = { data: view(row) };
        return isNew ? { status: 201, body: answer } : { status: 200, body: answer };
      },
    }),
    route({
      ...reading,
      path: '/v1/virtual-numbers',
      operationId: 'listVirtualNumbers',
      summary: 'List virtual numbers',
      summaryAr: 'عرض الأرقام الافتراضية',
      description:
        'The virtual numbers of the project, newest first, including released ones. They are allocated with production keys only: a sandbox key sees none.',
      query: z.strictObject({
        ...cursorQuery,
        status: z.enum(STATUSES).optional(),
        external_user_id: externalUserId.optional(),
      }),
      responses: { 200: { schema: cursorList(virtualNumberObject), description: 'One page of virtual numbers' } },
      errors: [],
      handler: async ({ caller, query, cursors }) => {
        const filter = { status: query.status ?? null, externalUserId: query.external_user_id ?? null };
        const before = cursors.read(query.cursor);
        const rows = caller.sandbox ? [] : await manage.list(caller.projectId, filter, before, query.limit + 1);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, ({ id }) => id, view) };
      },
    }),
    route({
      ...reading,
      path: '/v1/virtual-numbers/:id',
      operationId: 'getVirtualNumber',
      summary: 'Read a virtual number',
      summaryAr: 'قراءة رقم افتراضي',
      params,
      responses: { 200: { schema: under, description: 'The virtual number' } },
      errors: ['NUMBER_NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => {
        assertLive(caller, id);
        return { status: 200, body: { data: view(await manage.get(caller.projectId, id)) } };
      },
    }),
    route({
      ...writing,
      method: 'PUT',
      path: '/v1/virtual-numbers/:id/instructions',
      operationId: 'setVirtualNumberInstructions',
      summary: 'Set the call handling of a virtual number',
      summaryAr: 'تحديد ما يسمعه المتصلون بالرقم الافتراضي',
      description: 'Replaces all earlier settings. Live calls are not affected.',
      params,
      body: instructions,
      auditFields: ['forward_to'],
      responses: { 200: { schema: under, description: 'The virtual number as it is now' } },
      errors: ['NUMBER_NOT_FOUND', 'INVALID_PHONE_NUMBER', 'INVALID_PLAY_URL', 'CALLFLOW_AUDIO_SERVICE_UNAVAILABLE'],
      handler: async ({ caller, params: { id }, body }) => {
        assertLive(caller, id);
        return { status: 200, body: { data: view(await manage.instruct(caller.projectId, id, given(body))) } };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/virtual-numbers/:id',
      operationId: 'releaseVirtualNumber',
      summary: 'Release a virtual number',
      summaryAr: 'تحرير رقم افتراضي',
      description:
        'Repeating the request has no effect. The number is quarantined; the end user can be assigned another one.',
      params,
      responses: { 200: { schema: under, description: 'The virtual number, released' } },
      errors: ['NUMBER_NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => {
        assertLive(caller, id);
        return { status: 200, body: { data: view(await manage.release(caller.projectId, id)) } };
      },
    }),
  ];
}

/** The sandbox has no virtual numbers. @throws HatifError NUMBER_NOT_FOUND */
function assertLive({ sandbox }: Caller, id: string): void {
  if (sandbox) throw new HatifError('NUMBER_NOT_FOUND', { id });
}

function given(body: z.output<typeof instructions>): GivenInstructions {
  return {
    text: body.text ?? null,
    audioUrl: body.audio_url ?? null,
    language: body.language ?? null,
    forwardTo: body.forward_to ?? null,
  };
}

function view(row: VirtualNumberRow): z.output<typeof virtualNumberObject> {
  return {
    id: row.id,
    e164: row.e164,
    status: row.status,
    external_user_id: row.external_user_id,
    display_name: row.display_name,
    contact_id: row.contact_id,
    instructions: row.instructions,
    assigned_at: isoTime(row.assigned_at),
    released_at: row.released_at === null ? null : isoTime(row.released_at),
  };
}
