import { z } from 'zod';
import type { WidgetRow } from '../../../../core/data/rows.js';
import { idOutput } from '../../../../core/model/objects/fields.js';
import { toWire } from '../../../../core/model/wire.js';
import type { WidgetService } from '../../../../core/services/widgets/manage.js';
import { cursorPage } from '../../../http/paging.js';
import { route, type Route } from '../../../http/route.js';
import { cursorList, cursorQuery } from '../../../http/schema/schemas.js';
import { widgetObject, widgetTheme } from '../../widgets/widgets.js';
import { byAdministrator, reading, writing } from '../administrator.js';
import { bindingInput } from './binding.js';
import { noteOn, paramsOf, PROJECT, projectParams, type FindProject } from './project.js';

const widget = widgetObject
  .omit({ script: true })
  .extend({ organization_id: idOutput, project_id: idOutput })
  .meta({ id: 'AdministeredWidget' });

const params = paramsOf({ widget_id: z.string() });

export interface AdministeredWidgetsServices {
  readonly find: FindProject;
  readonly widgets: WidgetService;
}

/** The click-to-call widgets of projects. */
export function administeredWidgetRoutes({ find, widgets }: AdministeredWidgetsServices): Route[] {
  return [
    route({
      ...reading,
      path: `${PROJECT}/widgets`,
      operationId: 'listWidgetsOfProject',
      summary: 'List the widgets of a project',
      summaryAr: 'عرض أدوات الاتصال لمشروع',
      description: 'Oldest first, with revoked ones and those of the sandbox.',
      params: projectParams,
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(widget), description: 'One page' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id }, query: { cursor, limit }, cursors }) => {
        const { id: projectId } = await find.get(project_id);
        const rows = await widgets.page({ projectId, sandboxOnly: false }, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...writing,
      path: `${PROJECT}/widgets`,
      operationId: 'createWidgetOfProject',
      summary: 'Create a widget for a project',
      summaryAr: 'إنشاء أداة اتصال لمشروع',
      params: projectParams,
      body: z.strictObject({
        name: z.string().max(200),
        allowed_origins: z.array(z.string().max(300)).max(1000),
        countries: z.array(z.string().max(20)).max(1000).describe('Calling codes: `+966`'),
        calls_per_hour: z.number().nullable().default(null).describe('Null: the default of the settings'),
        destination: bindingInput(['queue', 'agent', 'number', 'sip', 'echo'])
          .default(null)
          .describe('Null: the default destination of the project'),
        language: z.enum(['ar', 'en']).default('ar'),
        otp: z.boolean().default(false),
        captcha: z.boolean().default(true),
        browser_calls: z.boolean().default(false).describe('Whether visitors may also call from the browser'),
        chat: z.boolean().default(false).describe('Whether visitors may also write'),
        theme: widgetTheme,
        sandbox: z.boolean().default(false).describe('Whether its callbacks run in the simulator'),
      }),
      auditFields: ['name', 'allowed_origins', 'countries', 'destination', 'sandbox'],
      responses: { 201: { schema: widget, description: 'The widget' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id }, body: { sandbox, ...settings }, note }) => {
        const project = await find.get(project_id);
        const owner = { projectId: project.id, organizationId: project.organization_id, sandbox };
        const row = await widgets.create(owner, settings);
        note(noteOn(project, { widget_id: row.id }));
        return { status: 201, body: present(row) };
      },
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: `${PROJECT}/widgets/:widget_id`,
      operationId: 'revokeWidgetOfProject',
      summary: 'Revoke a widget of a project',
      summaryAr: 'إلغاء أداة اتصال لمشروع',
      description: 'For good: pages that use it lose it within seconds.',
      params,
      responses: { 200: { schema: widget, description: 'The widget as it is now' } },
      errors: ['PROJECT_NOT_FOUND', 'NOT_FOUND'],
      handler: async ({ params: { project_id, widget_id }, note }) => {
        const project = await find.get(project_id);
        const row = await widgets.revoke({ projectId: project.id, sandboxOnly: false }, widget_id);
        note(noteOn(project, { widget_id: row.id, name: row.name }));
        return { status: 200, body: present(row) };
      },
    }),
  ];
}

function present(row: WidgetRow): z.input<typeof widget> {
  // The type of a destination is text in the table.
  return toWire(row) as z.input<typeof widget>;
}
