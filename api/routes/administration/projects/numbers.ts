import { z } from 'zod';
import { NUMBER_SOURCES, NUMBER_STATES } from '../../../../core/model/number/states.js';
import { OWNABLE_KINDS } from '../../../../core/model/number/search.js';
import { idOutput, timeOutput } from '../../../../core/model/objects/fields.js';
import { toWire } from '../../../../core/model/wire.js';
import type { NumberService } from '../../../../core/services/numbers/numbers.js';
import type { Removal } from '../../../../core/services/removal/removal.js';
import type { VoicemailPins } from '../../../../core/services/voicemail/pins.js';
import { cursorPage } from '../../../http/paging.js';
import { route, type Route } from '../../../http/route.js';
import { cursorList, cursorQuery } from '../../../http/schema/schemas.js';
import { byAdministrator, reading, writing } from '../administrator.js';
import { bindingInput, bindingOutput } from './binding.js';
import { noteOn, paramsOf, PROJECT, projectParams, type FindProject } from './project.js';

const numberObject = z
  .strictObject({
    id: idOutput,
    organization_id: idOutput,
    project_id: idOutput,
    sandbox: z.boolean(),
    e164: z.string().meta({ examples: ['+966115551234'] }),
    kind: z.enum(OWNABLE_KINDS),
    state: z.enum(NUMBER_STATES),
    source: z.enum(NUMBER_SOURCES),
    provider: z.string().nullable().describe('Name of the provider that it was ordered from'),
    label: z.string().nullable(),
    binding: bindingOutput.describe('Destination of calls to the number; null: none'),
    order_id: idOutput.nullable(),
    due_at: timeOutput
      .nullable()
      .describe('When the platform handles it next: at the end of quarantine, or for an order'),
    assigned_at: timeOutput.nullable(),
    created_at: timeOutput,
  })
  .meta({ id: 'AdministeredNumber' });

const binding = bindingInput(['callflow', 'queue', 'agent', 'number', 'sip', 'voicemail', 'echo']).describe(
  'Null: none',
);
/** As a person writes it: the service reads it. */
const written = z.string().max(40);
const params = paramsOf({ number: z.string() });

export interface AdministeredProjectNumbersServices {
  readonly find: FindProject;
  readonly numbers: NumberService;
  readonly removal: Pick<Removal, 'number'>;
  readonly voicemailPins: Pick<VoicemailPins, 'set'>;
}

/** The numbers of projects, and where calls to them go. */
export function administeredProjectNumberRoutes(services: AdministeredProjectNumbersServices): Route[] {
  const { find, numbers, removal, voicemailPins } = services;
  const answer = { 200: { schema: numberObject, description: 'The number as it is now' } };
  return [
    route({
      ...reading,
      path: `${PROJECT}/numbers`,
      operationId: 'listNumbersOfProject',
      summary: 'List the numbers of a project',
      summaryAr: 'عرض أرقام مشروع',
      description: 'Oldest first, without those of its sandbox.',
      params: projectParams,
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(numberObject), description: 'One page' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id }, query: { cursor, limit }, cursors }) => {
        const { id: projectId } = await find.get(project_id);
        const rows = await numbers.page(projectId, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, toWire) };
      },
    }),
    route({
      ...writing,
      path: `${PROJECT}/numbers`,
      operationId: 'addNumberToProject',
      summary: 'Add a number whose calls arrive by a trunk',
      summaryAr: 'إضافة رقم تصل مكالماته عبر خط ربط',
      description: 'The first number of a project becomes its main number.',
      params: projectParams,
      body: z.strictObject({
        number: written.describe('E.164, or Saudi national form'),
        binding: binding.default(null),
      }),
      auditFields: ['number', 'binding'],
      responses: { 201: { schema: numberObject, description: 'The number' } },
      errors: ['PROJECT_NOT_FOUND', 'INVALID_PHONE_NUMBER', 'NUMBER_ALREADY_ASSIGNED', 'NUMBER_NOT_AVAILABLE'],
      handler: async ({ params: { project_id }, body: { number, binding: to }, note }) => {
        const project = await find.get(project_id);
        const row = await numbers.add(project, number, to);
        note(noteOn(project, { number: row.e164 }));
        return { status: 201, body: toWire(row) };
      },
    }),
    route({
      ...byAdministrator,
      method: 'PUT',
      path: `${PROJECT}/numbers/:number/binding`,
      operationId: 'bindNumberOfProject',
      summary: 'Set where calls to a number of a project go',
      summaryAr: 'تحديد وجهة المكالمات إلى رقم لمشروع',
      description: 'Live calls continue.',
      params,
      body: z.strictObject({ binding }),
      auditFields: ['binding'],
      responses: answer,
      errors: ['PROJECT_NOT_FOUND', 'INVALID_PHONE_NUMBER', 'NUMBER_NOT_FOUND'],
      handler: async ({ params: { project_id, number }, body: { binding: to }, note }) => {
        const project = await find.get(project_id);
        const row = await numbers.bind(project.id, number, to);
        note(noteOn(project, { number: row.e164 }));
        return { status: 200, body: toWire(row) };
      },
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: `${PROJECT}/numbers/:number`,
      operationId: 'removeNumberOfProject',
      summary: 'Release a number of a project',
      summaryAr: 'تحرير رقم من مشروع',
      description: 'Only one that nothing uses: it has no destination, live call or end user.',
      params,
      responses: { 200: { schema: numberObject, description: 'The number as it was' } },
      errors: [
        'PROJECT_NOT_FOUND',
        'INVALID_PHONE_NUMBER',
        'NUMBER_NOT_FOUND',
        'NUMBER_ALREADY_ASSIGNED',
        'PORTING_INVALID_STATE',
      ],
      handler: async ({ params: { project_id, number }, note }) => {
        const project = await find.get(project_id);
        const row = await removal.number(project.id, number);
        note(noteOn(project, { number: row.e164 }));
        return { status: 200, body: toWire(row) };
      },
    }),
    route({
      ...byAdministrator,
      method: 'PUT',
      path: `${PROJECT}/default-destination`,
      operationId: 'setDefaultDestinationOfProject',
      summary: 'Set the destination of callbacks without a queue',
      summaryAr: 'تحديد الوجهة التلقائية لمعاودة الاتصال في مشروع',
      params: projectParams,
      body: z.strictObject({ destination: binding }),
      auditFields: ['destination'],
      responses: {
        200: { schema: z.strictObject({ default_destination: bindingOutput }), description: 'The destination' },
      },
      errors: ['PROJECT_NOT_FOUND', 'INVALID_PHONE_NUMBER'],
      handler: async ({ params: { project_id }, body: { destination }, note }) => {
        const project = await find.get(project_id);
        const after = await numbers.setDefaultDestination(project.id, destination);
        note(noteOn(project, { before: project.default_destination, after }));
        return { status: 200, body: { default_destination: after } };
      },
    }),
    route({
      ...byAdministrator,
      method: 'PUT',
      path: `${PROJECT}/voicemail-pins/:number`,
      operationId: 'setVoicemailPin',
      summary: 'Set or remove the PIN of a number’s voicemail box',
      summaryAr: 'تعيين الرقم السري للبريد الصوتي لرقم أو إزالته',
      description: 'With the PIN, the box is used by phone (`*98`).',
      params,
      body: z.strictObject({ pin: z.string().max(100).nullable().describe('4 to 10 digits; null removes it') }),
      responses: { 204: { schema: null, description: 'Set' } },
      errors: ['PROJECT_NOT_FOUND', 'INVALID_PHONE_NUMBER', 'NUMBER_NOT_FOUND'],
      handler: async ({ params: { project_id, number }, body: { pin }, note }) => {
        const project = await find.get(project_id);
        await voicemailPins.set(project.id, number, pin);
        note(noteOn(project, { has_pin: pin !== null }));
        return { status: 204 };
      },
    }),
  ];
}
