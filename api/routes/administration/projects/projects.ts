import { z } from 'zod';
import type { ProjectRow } from '../../../../core/data/rows.js';
import { DESTINATION_CLASSES } from '../../../../core/model/number/destination-class.js';
import { invalidField } from '../../../../core/model/errors/index.js';
import { idOutput, timeOutput } from '../../../../core/model/objects/fields.js';
import { isoTime } from '../../../../core/model/time.js';
import type { ProjectLimits } from '../../../../core/services/dialling/project-limits.js';
import type { CreateProjects } from '../../../../core/services/projects/create.js';
import type { ManageRecordings } from '../../../../core/services/recordings/manage.js';
import { cursorPage } from '../../../http/paging.js';
import { given } from '../../../http/request/given.js';
import { route, type Route } from '../../../http/route.js';
import { cursorList, cursorQuery, idInput } from '../../../http/schema/schemas.js';
import { byAdministrator, reading, writing } from '../administrator.js';
import { noteOn, PROJECT, projectParams, type FindProject } from './project.js';

const destination = z.strictObject({ type: z.string(), target: z.string().nullable() });
const announcement = z.enum(['off', 'ar', 'en', 'both']);
const classes = z.array(z.enum(DESTINATION_CLASSES)).max(DESTINATION_CLASSES.length);

const projectObject = z
  .strictObject({
    id: idOutput,
    organization_id: idOutput,
    name: z.string(),
    main_number: z.string().nullable().describe('Default caller ID of calls'),
    default_destination: destination.nullable().describe('Destination of callbacks without a queue'),
    recording_retention_days: z.int().nullable().describe('Null: recordings are kept'),
    recording_announcement: announcement.describe('Language in which customers hear that they are recorded'),
    destination_classes: classes.describe('The classes of outside numbers that may be called'),
    max_calls: z.int().describe('Calls at once'),
    created_at: timeOutput,
  })
  .meta({ id: 'AdministeredProject' });

const organizationObject = z.strictObject({ id: idOutput, name: z.string() });

export interface AdministeredProjectsServices {
  readonly projects: { list(): Promise<readonly ProjectRow[]> };
  readonly find: FindProject;
  readonly createProjects: CreateProjects;
  readonly limits: ProjectLimits;
  readonly recordings: Pick<ManageRecordings, 'setPolicy' | 'checkPolicy'>;
}

/** The projects of all organizations. */
export function administeredProjectRoutes(services: AdministeredProjectsServices): Route[] {
  const { projects, find, createProjects, limits, recordings } = services;
  return [
    route({
      ...reading,
      path: '/v1/admin/projects',
      operationId: 'listAdministeredProjects',
      summary: 'List the projects of all organizations',
      summaryAr: 'عرض مشاريع جميع المؤسسات',
      description: 'Oldest first.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(projectObject), description: 'One page' } },
      errors: [],
      handler: async ({ query: { cursor, limit }, cursors }) => {
        const after = cursors.read(cursor);
        const rows = (await projects.list()).filter(({ id }) => after === null || id > after).slice(0, limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentProject) };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/projects',
      operationId: 'createAdministeredProject',
      summary: 'Create a project',
      summaryAr: 'إنشاء مشروع',
      description:
        'In an organization, or with a new one: exactly one of `organization_id` and `organization_name` is given. The project has a signing secret of its own and the limits of every new project.',
      body: z.strictObject({
        name: z.string().max(200),
        organization_id: idInput.optional(),
        organization_name: z.string().max(200).optional(),
      }),
      auditFields: ['name', 'organization_id', 'organization_name'],
      responses: {
        201: {
          schema: z.strictObject({ project: projectObject, organization: organizationObject }),
          description: 'The project and its organization',
        },
      },
      errors: ['NOT_FOUND'],
      handler: async ({ body: { name, organization_id: id, organization_name: title }, note }) => {
        const made = await createProjects.create(name, choiceOf(id, title));
        note(noteOn(made.project));
        const { id: organizationId, name: organizationName } = made.organization;
        const organization = { id: organizationId, name: organizationName };
        return { status: 201, body: { project: presentProject(made.project), organization } };
      },
    }),
    route({
      ...byAdministrator,
      method: 'PATCH',
      path: PROJECT,
      operationId: 'changeAdministeredProject',
      summary: 'Change settings of a project',
      summaryAr: 'تعديل إعدادات مشروع',
      description: 'Absent members stay unchanged. Live calls continue.',
      params: projectParams,
      body: z.strictObject({
        recording_retention_days: z.number().nullable().optional().describe('Null: recordings are kept'),
        recording_announcement: announcement.optional(),
        destination_classes: classes.optional(),
        max_calls: z.number().optional(),
      }),
      responses: { 200: { schema: projectObject, description: 'The project as it is now' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id }, body, note }) => {
        const before = await find.get(project_id);
        const { recording_retention_days, recording_announcement, ...calls } = body;
        const policy = given({ recording_retention_days, recording_announcement });
        const wanted = given(calls);
        // Both are checked before one changes anything.
        limits.check(wanted);
        recordings.checkPolicy(policy);
        if (Object.keys(wanted).length > 0) await limits.set(project_id, wanted);
        if (Object.keys(policy).length > 0) await recordings.setPolicy(project_id, policy);
        const after = { ...before, ...wanted, ...policy };
        note(noteOn(before, { before: settingsOf(before), after: settingsOf(after) }));
        return { status: 200, body: presentProject(after) };
      },
    }),
  ];
}

/** @throws HatifError VALIDATION_ERROR */
function choiceOf(
  id: string | undefined,
  name: string | undefined,
): { readonly id: string } | { readonly name: string } {
  if (id !== undefined && name === undefined) return { id };
  if (id === undefined && name !== undefined) return { name };
  throw invalidField('organization_id', {
    en: 'exactly one of organization_id and organization_name must be given',
    ar: 'أرسل `organization_id` أو `organization_name`، لا كليهما',
  });
}

function settingsOf(row: ProjectRow): Readonly<Record<string, unknown>> {
  const { recording_retention_days, recording_announcement, destination_classes, max_calls } = row;
  return { recording_retention_days, recording_announcement, destination_classes, max_calls };
}

function presentProject(row: ProjectRow): z.output<typeof projectObject> {
  const { id, organization_id, name, main_number, default_destination, created_at } = row;
  return {
    ...{ id, organization_id, name, main_number, default_destination },
    ...settingsIn(row),
    created_at: isoTime(created_at),
  };
}

function settingsIn({
  recording_retention_days,
  recording_announcement,
  destination_classes,
  max_calls,
}: ProjectRow): Pick<
  z.output<typeof projectObject>,
  'recording_retention_days' | 'recording_announcement' | 'destination_classes' | 'max_calls'
> {
  return { recording_retention_days, recording_announcement, destination_classes: [...destination_classes], max_calls };
}
