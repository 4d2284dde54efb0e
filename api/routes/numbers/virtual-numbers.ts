import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import type { VirtualNumberRow } from '../../../core/data/rows.js';
import { isoTime } from '../../../core/model/time.js';
import type { AllocateVirtualNumber } from '../../../core/services/virtual-numbers/allocate.js';
import type { GivenInstructions } from '../../../core/services/virtual-numbers/instructions.js';
import type { ManageVirtualNumbers } from '../../../core/services/virtual-numbers/manage.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idInput, idParam, LATER, phoneNumber } from '../../http/schema/schemas.js';
import { ownerOf, prefixInput } from './numbers.js';

const TAG = 'Virtual numbers';

export interface VirtualNumberRoutesServices {
  readonly allocate: Pick<AllocateVirtualNumber, 'allocate'>;
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
    text: z.string().trim().min(1).max(1000).nullish().describe('Said first'),
    audio_url: z
      .string()
      .max(2048)
      .nullish()
      .describe('Played then: https, a public address, WAV or MP3 of at most 10 MB. It is fetched now and kept.'),
    language: z
      .enum(['ar', 'en'])
      .nullish()
      .describe('Of the text; without it Arabic where the text has an Arabic letter, else English'),
    forward_to: phoneNumber().nullish().describe('Where the call goes on'),
  })
  .describe(
    'What calls to the number hear and where they go, in this order of what is set; with nothing set nobody answers',
  );

const externalUserId = z.string().min(1).max(255);

const allocateBody = z.strictObject({
  external_user_id: externalUserId.describe('Your own id of the end user, who has one number at a time'),
  display_name: z.string().trim().min(1).max(100).nullish(),
  prefix: prefixInput.nullish().describe('The beginning of the number; any number when absent'),
  contact_id: idInput.refine(() => false, LATER).nullish(),
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
  const writing = { ...reading, scope: 'virtual_numbers:write', keyKind: 'live' } as const;
  return [
    route({
      ...writing,
      method: 'POST',
      path: '/v1/virtual-numbers',
      operationId: 'allocateVirtualNumber',
      summary: 'Give an end user a number',
      summaryAr: 'تخصيص رقم لمستخدم نهائي',
      description:
        'Idempotent on `external_user_id`: a retry answers 200 with the number as it is, whatever else the body says. ' +
        'The number is one of the operator’s; numbers of other providers are ordered at `/v1/numbers`.',
      // The end user's id does what the key does elsewhere.
      idempotent: false,
      body: allocateBody,
      auditFields: ['external_user_id', 'prefix'],
      responses: {
        201: { schema: under, description: 'The new number' },
        200: { schema: under, description: 'The number that the end user has already' },
      },
      errors: [
        'NUMBER_NOT_AVAILABLE',
        'INVALID_PHONE_NUMBER',
        'INVALID_PLAY_URL',
        'CALLFLOW_AUDIO_SERVICE_UNAVAILABLE',
      ],
      handler: async ({ key, body }) => {
        const wanted = {
          externalUserId: body.external_user_id,
          displayName: body.display_name ?? null,
          prefix: body.prefix ?? null,
          instructions: given(body.instructions ?? {}),
        };
        const { row, isNew } = await allocate.allocate(wanted, ownerOf(key));
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
      description: 'The project’s, newest first, also those that were released.',
      query: z.strictObject({
        ...cursorQuery,
        status: z.enum(STATUSES).optional(),
        external_user_id: externalUserId.optional(),
      }),
      responses: { 200: { schema: cursorList(virtualNumberObject), description: 'One page of virtual numbers' } },
      errors: [],
      handler: async ({ key, query, cursors }) => {
        const filter = { status: query.status ?? null, externalUserId: query.external_user_id ?? null };
        const rows = await manage.list(key.projectId, filter, cursors.read(query.cursor), query.limit + 1);
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
      handler: async ({ key, params: { id } }) => ({
        status: 200,
        body: { data: view(await manage.get(key.projectId, id)) },
      }),
    }),
    route({
      ...writing,
      method: 'PUT',
      path: '/v1/virtual-numbers/:id/instructions',
      operationId: 'setVirtualNumberInstructions',
      summary: 'Say what calls to a virtual number hear',
      summaryAr: 'تحديد ما يسمعه المتصلون بالرقم الافتراضي',
      description: 'In place of all that was set before. Calls that run go on as they began.',
      params,
      body: instructions,
      auditFields: ['forward_to'],
      responses: { 200: { schema: under, description: 'The virtual number as it is now' } },
      errors: ['NUMBER_NOT_FOUND', 'INVALID_PHONE_NUMBER', 'INVALID_PLAY_URL', 'CALLFLOW_AUDIO_SERVICE_UNAVAILABLE'],
      handler: async ({ key, params: { id }, body }) => ({
        status: 200,
        body: { data: view(await manage.instruct(key.projectId, id, given(body))) },
      }),
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/virtual-numbers/:id',
      operationId: 'releaseVirtualNumber',
      summary: 'Release a virtual number',
      summaryAr: 'تحرير رقم افتراضي',
      description:
        'A repeat answers the same. The number is kept from others for a while; the end user can be given another one.',
      params,
      responses: { 200: { schema: under, description: 'The virtual number, released' } },
      errors: ['NUMBER_NOT_FOUND'],
      handler: async ({ key, params: { id } }) => ({
        status: 200,
        body: { data: view(await manage.release(key.projectId, id)) },
      }),
    }),
  ];
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
