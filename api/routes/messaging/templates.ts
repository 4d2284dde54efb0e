import { z } from 'zod';
import type { TemplateKey } from '../../../core/data/repositories/messaging/templates.js';
import type { MessageTemplateRow } from '../../../core/data/rows.js';
import { TEMPLATE_STATUSES } from '../../../core/model/messaging/template.js';
import { detailOf, validationError, type ErrorDetail } from '../../../core/model/errors/index.js';
import { readPosition, writePosition } from '../../../core/services/calls/read.js';
import type { ChannelUser } from '../../../core/services/messaging/channel-access.js';
import type { TemplateService } from '../../../core/services/messaging/templates.js';
import { kindOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route, type RouteContext } from '../../http/route.js';
import { cursorList, cursorQuery } from '../../http/schema/schemas.js';
import {
  channelName,
  contentOf,
  languageCode,
  newTemplate,
  presentTemplate,
  templateName,
  templateObject,
  templateReplacement,
  templateUpdate,
} from './template-fields.js';

export interface TemplateRoutesServices {
  readonly templates: TemplateService;
}

const channel = channelName.default('chatapp');
const params = z.strictObject({ name: templateName });
const variant = z.strictObject({ channel, language: languageCode });

const CHANNEL_CODES = ['CHANNEL_VERB_UNSUPPORTED', 'CHANNEL_NOT_CONFIGURED'] as const;
const AUDITED = ['channel', 'name', 'language', 'category'];

/** Routes for the templates of messages. */
export function templateRoutes({ templates }: TemplateRoutesServices): Route[] {
  const common = { tag: 'Message templates', keyKind: 'any', flag: 'messages' } as const;
  const writing = { ...common, scope: 'messages:write' } as const;
  const reading = { ...common, method: 'GET', scope: 'messages:read' } as const;
  return [
    route({
      ...writing,
      method: 'POST',
      path: '/v1/messages/templates',
      operationId: 'createTemplate',
      summary: 'Create a message template',
      summaryAr: 'إنشاء قالب رسائل',
      description:
        'Creates one language of a template. It is `pending` until it is approved or rejected: templates of `chatapp` by the messaging provider, those of `sms` and `email`, and all of the sandbox, without a provider within seconds.',
      query: z.strictObject({ channel: channelName.optional() }),
      body: newTemplate,
      auditFields: AUDITED,
      responses: { 201: { schema: templateObject, description: 'The template, which is pending' } },
      errors: ['INVALID_PHONE_NUMBER', ...CHANNEL_CODES, 'INTERNAL_ERROR'],
      recover: async ({ requestId }, { caller }) => {
        const made = await templates.createdBy(caller.projectId, caller.id, requestId);
        return made && { status: 201, body: presentTemplate(made) };
      },
      handler: async (ctx) => {
        const { caller, body, query, requestId } = ctx;
        assertSame([['channel', body.channel, query.channel]]);
        const { name, language, category, templateId = null } = body;
        const template = {
          ...contentOf(body),
          ...{ name, language, category, template_id: templateId },
          channel: body.channel ?? query.channel ?? 'chatapp',
        };
        const editor = {
          ...userOf(ctx),
          organizationId: caller.organizationId,
          keyId: caller.id,
          requestId,
        };
        return { status: 201, body: presentTemplate(await templates.create(template, editor)) };
      },
    }),
    route({
      ...reading,
      path: '/v1/messages/templates',
      operationId: 'listTemplates',
      summary: 'List message templates, newest first',
      summaryAr: 'عرض قوالب الرسائل من الأحدث إلى الأقدم',
      description: 'Without `channel`: those of every channel. Each language of a template is an entry of its own.',
      query: z.strictObject({
        ...cursorQuery,
        channel: channelName.optional(),
        status: z.enum(TEMPLATE_STATUSES).optional(),
        name: z.string().min(1).max(512).optional(),
        language: languageCode.optional(),
      }),
      responses: { 200: { schema: cursorList(templateObject), description: 'One page' } },
      errors: CHANNEL_CODES,
      handler: async (ctx) => {
        const { cursor, limit, ...filter } = ctx.query;
        if (filter.channel !== undefined) await templates.assertChannel(filter.channel, userOf(ctx));
        const position = ctx.cursors.read(cursor);
        const after = position === null ? null : readPosition(position);
        const rows = await templates.list(kindOf(ctx), filter, after, limit + 1);
        const at = ({ created_at, id }: MessageTemplateRow): string => writePosition({ created_at, id });
        return { status: 200, body: cursorPage(rows, limit, ctx.cursors, at, presentTemplate) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/messages/templates',
      operationId: 'deleteTemplates',
      summary: 'Delete a message template in every language',
      summaryAr: 'حذف قالب رسائل بكل لغاته',
      description: 'With `language`: in this one only. Messages that were made from it stay as they are.',
      query: z.strictObject({ name: templateName, channel, language: languageCode.optional() }),
      responses: { 204: { schema: null, description: 'Deleted' } },
      errors: [...CHANNEL_CODES, 'NOT_FOUND', 'INTERNAL_ERROR'],
      handler: async (ctx) => {
        const { language = null, ...query } = ctx.query;
        await templates.remove({ ...query, language }, userOf(ctx));
        return { status: 204 };
      },
    }),
    route({
      ...reading,
      path: '/v1/messages/templates/:name',
      operationId: 'getTemplate',
      summary: 'Read a message template',
      summaryAr: 'قراءة قالب رسائل',
      params,
      query: variant,
      responses: { 200: { schema: templateObject, description: 'The template in this language' } },
      errors: [...CHANNEL_CODES, 'NOT_FOUND'],
      handler: async (ctx) => ({
        status: 200,
        body: presentTemplate(await templates.get(keyOf(ctx), userOf(ctx))),
      }),
    }),
    route({
      ...writing,
      method: 'PUT',
      path: '/v1/messages/templates/:name',
      operationId: 'replaceTemplate',
      summary: 'Replace the content of a message template',
      summaryAr: 'استبدال محتوى قالب رسائل',
      description:
        'Submits the template for approval again: it is `pending`, and `template.updated` reports the decision. Members of the content that the body does not name are then empty.',
      params,
      query: variant,
      body: templateReplacement,
      auditFields: AUDITED,
      responses: { 200: { schema: templateUpdate, description: 'The template, which is pending' } },
      errors: ['INVALID_PHONE_NUMBER', ...CHANNEL_CODES, 'NOT_FOUND', 'INTERNAL_ERROR'],
      handler: async (ctx) => {
        const { body, query } = ctx;
        assertSame([
          ['name', body.name, ctx.params.name],
          ['language', body.language, query.language],
        ]);
        const change = {
          ...contentOf(body),
          category: body.category ?? null,
          template_id: body.templateId ?? null,
        };
        const { name, language, status, category, provider_id } = await templates.replace(
          keyOf(ctx),
          change,
          userOf(ctx),
        );
        return { status: 200, body: { name, language, status, category, providerId: provider_id } };
      },
    }),
  ];
}

type Variant = RouteContext<'any', z.output<typeof params>, z.output<typeof variant>>;

function keyOf({ params: { name }, query }: Pick<Variant, 'params' | 'query'>): TemplateKey {
  return { name, channel: query.channel, language: query.language };
}

function userOf({ caller }: Pick<RouteContext<'any'>, 'caller'>): ChannelUser {
  return { ...kindOf({ caller }), organization: caller.organization };
}

/** @throws HatifError VALIDATION_ERROR for members that differ from what the path or the query says */
function assertSame(given: readonly (readonly [path: string, body: string | undefined, other: string | undefined])[]) {
  const differing = given.filter(([, body, other]) => body !== undefined && other !== undefined && body !== other);
  const details = differing.map(([path]): ErrorDetail => detailOf(path, DIFFERS));
  const [first, ...others] = details;
  if (first) throw validationError([first, ...others]);
}

const DIFFERS = {
  en: 'differs from the path or the query',
  ar: 'يختلف عن قيمته في المسار أو معاملات الطلب',
};
