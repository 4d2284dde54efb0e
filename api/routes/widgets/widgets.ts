import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import type { WidgetRow } from '../../../core/data/rows.js';
import { isoTime } from '../../../core/model/time.js';
import { HOME_COUNTRY } from '../../../core/model/number/country.js';
import {
  DEFAULT_REACH,
  DEFAULT_THEME,
  MAX_CALLS_PER_HOUR,
  type WidgetScope,
  type WidgetService,
} from '../../../core/services/widgets/manage.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { given } from '../../http/request/given.js';
import { route, type Route, type RouteContext } from '../../http/route.js';
import { cursorList, cursorQuery, destination, idParam } from '../../http/schema/schemas.js';

export interface WidgetRoutesServices {
  readonly widgets: WidgetService;
  /** Public URL of the platform, from which pages load the widget. */
  readonly publicUrl: () => string;
}

const TAG = 'Widgets';
const FLAG = 'widget';

const DESTINATIONS = ['queue', 'agent', 'number', 'sip', 'echo'] as const;

const COLOUR = bilingual('must be a colour such as #0b6b5d', 'يجب أن يكون لونًا مثل `#0b6b5d`');

export const widgetTheme = z.strictObject({
  accent: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, COLOUR)
    .nullable()
    .describe(
      'Colour of the button; its text is black or white, whichever is easier to read. Null for Hatif’s own colour',
    ),
  scheme: z.enum(['auto', 'light', 'dark']).describe('`auto` follows the visitor’s system'),
  position: z.enum(['start', 'end']).describe('Lower corner of the page, at the start or the end of the line'),
});

export const widgetObject = z
  .strictObject({
    id: idOutput,
    key: z
      .string()
      .meta({ examples: ['wk_4f9zQ0kSx1uVbN7cR2tYhE3MwLgA5d'] })
      .describe('Public key that appears in pages; not a secret'),
    name: z.string(),
    sandbox: z.boolean().describe('Whether its callbacks run in the simulator'),
    allowed_origins: z.array(z.string()),
    countries: z.array(z.string()),
    calls_per_hour: z.int().nullable(),
    destination: z.strictObject({ type: z.enum(DESTINATIONS), target: z.string().nullable() }).nullable(),
    language: z.enum(['ar', 'en']),
    otp: z.boolean(),
    captcha: z.boolean(),
    browser_calls: z.boolean(),
    chat: z.boolean(),
    theme: widgetTheme,
    script: z.string().describe('Markup to add to a page'),
    created_at: timeOutput,
    revoked_at: timeOutput.nullable(),
  })
  .meta({ id: 'Widget' });

const settable = {
  name: z.string().trim().min(1).max(100).describe('Name, also sent as `widget` in the metadata of its callbacks'),
  allowed_origins: z
    .array(z.string().max(255))
    .max(50)
    .describe(
      'Allowed origins: `https://www.example.com` or `https://*.example.com`. The platform’s own pages are always allowed',
    ),
  countries: z
    .array(z.string().max(8))
    .min(1)
    .max(50)
    .describe('Calling codes of the countries whose numbers it calls, with the plus: `+966`, `+971`')
    .meta({ examples: [[HOME_COUNTRY]] }),
  calls_per_hour: z
    .int()
    .min(1)
    .max(MAX_CALLS_PER_HOUR)
    .nullable()
    .describe(
      'Callbacks and codes in an hour; beyond it visitors read that calls are not available. Null for the operator’s default',
    ),
  destination: destination(DESTINATIONS)
    .nullable()
    .describe('Destination to which customers are connected; null for the project’s default destination'),
  language: z.enum(['ar', 'en']).describe('Default language; a page can choose another'),
  otp: z.boolean().describe('Whether visitors confirm their phone number with a code'),
  captcha: z.boolean().describe('Whether browsers must solve a proof of work, so that bots cannot ring phones at will'),
  browser_calls: z
    .boolean()
    .describe('Whether visitors may also call from the browser, if the destination is a queue or an agent'),
  chat: z
    .boolean()
    .describe('Whether visitors may also write: to the agents of the destination if it is a queue or an agent'),
};

const createBody = z.strictObject({
  name: settable.name,
  allowed_origins: settable.allowed_origins.default([]),
  countries: settable.countries.default([...DEFAULT_REACH.countries]),
  calls_per_hour: settable.calls_per_hour.default(DEFAULT_REACH.calls_per_hour),
  destination: settable.destination.default(null),
  language: settable.language.default('ar'),
  otp: settable.otp.default(false),
  captcha: settable.captcha.default(true),
  browser_calls: settable.browser_calls.default(false),
  chat: settable.chat.default(false),
  theme: widgetTheme.partial().default({}),
});

const changeBody = z.strictObject({ ...settable, theme: widgetTheme.partial() }).partial();

const params = z.strictObject({ id: idParam('NOT_FOUND') });

export function widgetRoutes({ widgets, publicUrl }: WidgetRoutesServices): Route[] {
  const common = { tag: TAG, flag: FLAG, keyKind: 'any' } as const;
  const writing = { ...common, scope: 'calls:write' } as const;
  const reading = { ...common, method: 'GET', scope: 'calls:read' } as const;
  const widgetScope = ({ caller }: RouteContext<'any'>): WidgetScope => scopeOf({ caller });
  const view = (row: WidgetRow): z.output<typeof widgetObject> => present(row, publicUrl());
  return [
    route({
      ...writing,
      method: 'POST',
      path: '/v1/widgets',
      operationId: 'createWidget',
      summary: 'Create a click-to-call widget',
      summaryAr: 'إنشاء أداة اتصال للمواقع',
      description:
        'A button for web pages: visitors enter their number and are called back. Its key is public and can only request callbacks, ' +
        'only from pages of the allowed origins. A widget created with a sandbox key rings no phones.',
      body: createBody,
      auditFields: ['name', 'allowed_origins'],
      responses: { 201: { schema: widgetObject, description: 'The widget' } },
      errors: ['INVALID_PHONE_NUMBER'],
      handler: async ({ caller, body }) => {
        const owner = { projectId: caller.projectId, organizationId: caller.organizationId, sandbox: caller.sandbox };
        const theme = { ...DEFAULT_THEME, ...given(body.theme) };
        return { status: 201, body: view(await widgets.create(owner, { ...body, theme })) };
      },
    }),
    route({
      ...reading,
      path: '/v1/widgets',
      operationId: 'listWidgets',
      summary: 'List click-to-call widgets',
      summaryAr: 'عرض أدوات الاتصال',
      description: 'The widgets of the project, including revoked ones, oldest first.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(widgetObject), description: 'One page of widgets' } },
      errors: [],
      handler: async (ctx) => {
        const { cursor, limit } = ctx.query;
        const rows = await widgets.page(widgetScope(ctx), ctx.cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, ctx.cursors, ({ id }) => id, view) };
      },
    }),
    route({
      ...reading,
      path: '/v1/widgets/:id',
      operationId: 'getWidget',
      summary: 'Read a click-to-call widget',
      summaryAr: 'قراءة أداة اتصال',
      params,
      responses: { 200: { schema: widgetObject, description: 'The widget' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => ({ status: 200, body: view(await widgets.get(widgetScope(ctx), ctx.params.id)) }),
    }),
    route({
      ...writing,
      method: 'PATCH',
      path: '/v1/widgets/:id',
      operationId: 'changeWidget',
      summary: 'Change a click-to-call widget',
      summaryAr: 'تعديل أداة اتصال',
      description:
        'The key does not change. The change applies to requests within seconds, and to pages when they are reloaded.',
      params,
      body: changeBody,
      auditFields: ['name', 'allowed_origins'],
      responses: { 200: { schema: widgetObject, description: 'The widget as it is now' } },
      errors: ['NOT_FOUND', 'INVALID_PHONE_NUMBER'],
      handler: async (ctx) => {
        const { theme, ...others } = ctx.body;
        const before = await widgets.get(widgetScope(ctx), ctx.params.id);
        const changes = { ...given(others), theme: { ...before.theme, ...given(theme ?? {}) } };
        return { status: 200, body: view(await widgets.change(widgetScope(ctx), ctx.params.id, changes)) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/widgets/:id',
      operationId: 'revokeWidget',
      summary: 'Revoke a click-to-call widget',
      summaryAr: 'إلغاء أداة اتصال',
      description:
        'Revocation is permanent: the key is refused within seconds, and pages loaded from then on do not show the button.',
      params,
      responses: { 204: { schema: null, description: 'Revoked' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        await widgets.revoke(widgetScope(ctx), ctx.params.id);
        return { status: 204 };
      },
    }),
  ];
}

function present(row: WidgetRow, publicUrl: string): z.output<typeof widgetObject> {
  const {
    organization_id,
    project_id,
    created_at,
    revoked_at,
    allowed_origins,
    countries,
    destination: to,
    ...shown
  } = row;
  return {
    ...shown,
    allowed_origins: [...allowed_origins],
    countries: [...countries],
    destination: to as z.output<typeof widgetObject>['destination'],
    script: `<script src="${publicUrl}/widget/v1.js" data-key="${row.key}" async></script>`,
    created_at: isoTime(created_at),
    revoked_at: isoTime(revoked_at),
  };
}
