import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import type { ProjectRow } from '../../../core/data/rows.js';
import { isoTime } from '../../../core/model/time.js';
import type { ProjectService } from '../../../core/services/accounts/projects.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

const TAG = 'Projects';

const projectObject = z
  .strictObject({
    id: idOutput.describe('The value of `X-Hatif-Project`'),
    name: z.string(),
    main_number: z.string().nullable().describe('Default caller ID of calls'),
    allowed_origins: z.array(z.string()).describe('Web pages whose browsers may call: origins of web calling'),
    created_at: timeOutput,
  })
  .meta({ id: 'Project' });

const name = z.string().trim().min(1).max(100);
const params = z.strictObject({ project_id: idParam('PROJECT_NOT_FOUND') });

export function projectRoutes({ projects }: { readonly projects: ProjectService }): Route[] {
  const shared = { tag: TAG, keyKind: 'user' } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/v1/projects',
      operationId: 'listProjects',
      summary: 'List projects',
      summaryAr: 'عرض المشاريع',
      description: 'The projects that you have, oldest first.',
      permission: null,
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(projectObject), description: 'One page of projects' } },
      errors: [],
      handler: async ({ user, query, cursors }) => {
        const rows = await projects.page(user, cursors.read(query.cursor), query.limit + 1);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/v1/projects',
      operationId: 'createProject',
      summary: 'Add a project',
      summaryAr: 'إضافة مشروع',
      description: 'For members of all projects. The project has no keys, numbers or agents yet.',
      permission: 'projects:write',
      body: z.strictObject({ name }),
      auditFields: ['name'],
      responses: { 201: { schema: projectObject, description: 'The project' } },
      errors: [],
      handler: async ({ user, body }) => ({ status: 201, body: present(await projects.add(user, body.name)) }),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/projects/:project_id',
      operationId: 'getProject',
      summary: 'Read a project',
      summaryAr: 'قراءة مشروع',
      permission: null,
      params,
      responses: { 200: { schema: projectObject, description: 'The project' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ user, params: { project_id } }) => ({
        status: 200,
        body: present(await projects.get(user, project_id)),
      }),
    }),
    route({
      ...shared,
      method: 'PATCH',
      path: '/v1/projects/:project_id',
      operationId: 'changeProject',
      summary: 'Change a project',
      summaryAr: 'تعديل مشروع',
      description:
        'Absent members stay unchanged. `allowed_origins` are the pages whose browsers may connect for web calling: origins such as ' +
        '`https://www.example.com`, or `https://*.example.com` for all subdomains.',
      permission: 'projects:write',
      params,
      body: z.strictObject({ name: name.optional(), allowed_origins: z.array(z.string().max(300)).max(50).optional() }),
      auditFields: ['name', 'allowed_origins'],
      responses: { 200: { schema: projectObject, description: 'The project as it is now' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ user, params: { project_id }, body }) => ({
        status: 200,
        body: present(await projects.change(user, project_id, body)),
      }),
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/v1/projects/:project_id',
      operationId: 'deleteProject',
      summary: 'Remove a project',
      summaryAr: 'حذف مشروع',
      description:
        'For good. Its keys and widgets stop working; its agents, queues, webhook endpoints and invitations are deleted. Nobody can ' +
        'read its calls, recordings and voicemail any more; they, its charges and its invoices stay in the database for as long as the ' +
        'operator keeps them. A project that has numbers, awaits numbers, has live calls or a balance is refused with `PROJECT_IN_USE`. ' +
        'A call that begins at the same moment continues.',
      permission: 'projects:write',
      params,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['PROJECT_NOT_FOUND', 'PROJECT_IN_USE'],
      handler: async ({ user, params: { project_id } }) => {
        await projects.remove(user, project_id);
        return { status: 204 };
      },
    }),
  ];
}

function present(row: ProjectRow): z.output<typeof projectObject> {
  const { id, name, main_number, allowed_origins, created_at } = row;
  return { id, name, main_number, allowed_origins: [...allowed_origins], created_at: isoTime(created_at) };
}
