import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import type { BrandScope } from '../../../core/data/repositories/verification/brands.js';
import type { BrandRow } from '../../../core/data/rows.js';
import { isoTime } from '../../../core/model/time.js';
import { readPosition, writePosition } from '../../../core/services/calls/read.js';
import type { Brands } from '../../../core/services/brands/brands.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route, type RouteContext } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

const TAG = 'Voice authentication';
const STATUSES = ['draft', 'pending', 'approved', 'rejected'] as const;

export interface BrandRoutesServices {
  readonly brands: Brands;
}

export const brandObject = z
  .strictObject({
    id: idOutput,
    name_en: z.string(),
    name_ar: z.string(),
    status: z.enum(STATUSES),
    rejection_reason: z.string().nullable(),
    sandbox: z.boolean(),
    created_at: timeOutput,
    submitted_at: timeOutput.nullable(),
    decided_at: timeOutput.nullable(),
  })
  .meta({ id: 'VoiceAuthBrand' });

const LETTERS = {
  en: bilingual(
    'must be 2 to 18 Latin letters, digits, blanks or one of & . - and begin with a letter or digit',
    'يجب أن يكون من 2 إلى 18 حرفًا لاتينيًّا أو رقمًا أو مسافة أو أحد الرموز `& . -` وأن يبدأ بحرف أو رقم',
  ),
  ar: bilingual(
    'must be 2 to 18 Arabic letters, digits, blanks or one of & . - and begin with a letter or digit',
    'يجب أن يكون من 2 إلى 18 حرفًا عربيًّا أو رقمًا أو مسافة أو أحد الرموز `& . -` وأن يبدأ بحرف أو رقم',
  ),
};

/** What a voice says in a moment, and nothing that it would read out as punctuation. */
function spokenName(form: RegExp, message: string) {
  return z
    .string()
    .max(100)
    .transform((text) => text.normalize('NFC').trim().replace(/\s+/g, ' '))
    .refine((text) => form.test(text), message);
}

const createBody = z.strictObject({
  name_en: spokenName(/^(?=[\p{Script=Latin}\d])[\p{Script=Latin}\d &.-]{2,18}$/u, LETTERS.en).describe(
    'Said in English',
  ),
  name_ar: spokenName(/^(?=[\p{Script=Arabic}\d])[\p{Script=Arabic}\p{Mn}\d &.-]{2,18}$/u, LETTERS.ar).describe(
    'Said in Arabic',
  ),
});

const changeBody = createBody.partial();

const params = z.strictObject({ brand_id: idParam('VOICE_AUTH_BRAND_NOT_FOUND') });

export function brandRoutes({ brands }: BrandRoutesServices): Route[] {
  const common = { tag: TAG, keyKind: 'any', flag: 'voice_auth' } as const;
  const writing = { ...common, method: 'POST', scope: 'voice_auth:write' } as const;
  const reading = { ...common, method: 'GET', scope: 'voice_auth:read' } as const;
  const scopeOf = ({ caller }: Pick<RouteContext<'any'>, 'caller'>): BrandScope => ({
    projectId: caller.projectId,
    sandboxOnly: caller.sandbox,
  });
  return [
    route({
      ...writing,
      path: '/v1/voice-auth/brands',
      operationId: 'createBrand',
      summary: 'Create a brand',
      summaryAr: 'إنشاء علامة تجارية',
      description:
        'Creates a draft of a name with which calls introduce themselves. The name is spoken once the operator has approved it.',
      body: createBody,
      auditFields: ['name_en', 'name_ar'],
      responses: { 201: { schema: brandObject, description: 'The draft' } },
      errors: ['VOICE_AUTH_BRAND_DUPLICATE'],
      recover: async ({ requestId }, { caller }) => {
        const made = await brands.createdBy(caller.projectId, caller.id, requestId);
        return made && { status: 201, body: presentBrand(made) };
      },
      handler: async ({ caller, body, requestId }) => {
        const { organizationId, projectId, sandbox, id: keyId } = caller;
        return {
          status: 201,
          body: presentBrand(await brands.create(body, { organizationId, projectId, sandbox, keyId, requestId })),
        };
      },
    }),
    route({
      ...reading,
      path: '/v1/voice-auth/brands',
      operationId: 'listBrands',
      summary: 'List the project’s brands, newest first',
      summaryAr: 'عرض العلامات التجارية للمشروع من الأحدث إلى الأقدم',
      query: z.strictObject({ ...cursorQuery, status: z.enum(STATUSES).optional() }),
      responses: { 200: { schema: cursorList(brandObject), description: 'One page' } },
      errors: [],
      handler: async (ctx) => {
        const { cursor, limit, status } = ctx.query;
        const position = ctx.cursors.read(cursor);
        const after = position === null ? null : readPosition(position);
        const rows = await brands.list(scopeOf(ctx), status, after, limit + 1);
        const at = ({ created_at, id }: BrandRow): string => writePosition({ created_at, id });
        return { status: 200, body: cursorPage(rows, limit, ctx.cursors, at, presentBrand) };
      },
    }),
    route({
      ...reading,
      path: '/v1/voice-auth/brands/:brand_id',
      operationId: 'getBrand',
      summary: 'Read a brand',
      summaryAr: 'قراءة علامة تجارية',
      params,
      responses: { 200: { schema: brandObject, description: 'The brand as it is now' } },
      errors: ['VOICE_AUTH_BRAND_NOT_FOUND'],
      handler: async (ctx) => ({
        status: 200,
        body: presentBrand(await brands.get(scopeOf(ctx), ctx.params.brand_id)),
      }),
    }),
    route({
      ...writing,
      method: 'PATCH',
      path: '/v1/voice-auth/brands/:brand_id',
      operationId: 'changeBrand',
      summary: 'Change a brand',
      summaryAr: 'تعديل علامة تجارية',
      description:
        'A changed name makes the brand a draft again: calls do not say it until the operator has approved it. A `pending` brand cannot be changed.',
      params,
      body: changeBody,
      auditFields: ['name_en', 'name_ar'],
      responses: { 200: { schema: brandObject, description: 'The brand as it is now' } },
      errors: ['VOICE_AUTH_BRAND_NOT_FOUND', 'VOICE_AUTH_BRAND_INVALID_STATE', 'VOICE_AUTH_BRAND_DUPLICATE'],
      handler: async (ctx) => {
        const { name_en, name_ar } = ctx.body;
        const changes = { ...(name_en !== undefined && { name_en }), ...(name_ar !== undefined && { name_ar }) };
        return { status: 200, body: presentBrand(await brands.change(scopeOf(ctx), ctx.params.brand_id, changes)) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/voice-auth/brands/:brand_id',
      operationId: 'deleteBrand',
      summary: 'Delete a brand',
      summaryAr: 'حذف علامة تجارية',
      description: 'In any status. New calls and codes cannot name it, and its names can be used again.',
      params,
      responses: { 204: { schema: null, description: 'Deleted' } },
      errors: ['VOICE_AUTH_BRAND_NOT_FOUND'],
      handler: async (ctx) => {
        await brands.remove(scopeOf(ctx), ctx.params.brand_id);
        return { status: 204 };
      },
    }),
    route({
      ...writing,
      path: '/v1/voice-auth/brands/:brand_id/submit',
      operationId: 'submitBrand',
      summary: 'Submit a brand for approval',
      summaryAr: 'طلب اعتماد علامة تجارية',
      description:
        'A draft, or a rejected brand, becomes `pending` until the operator approves or rejects it; in the sandbox it is approved immediately.',
      params,
      responses: { 200: { schema: brandObject, description: 'The brand as it is now' } },
      errors: ['VOICE_AUTH_BRAND_NOT_FOUND', 'VOICE_AUTH_BRAND_INVALID_STATE', 'VOICE_AUTH_BRAND_DUPLICATE'],
      handler: async (ctx) => ({
        status: 200,
        body: presentBrand(await brands.submit(scopeOf(ctx), ctx.params.brand_id)),
      }),
    }),
  ];
}

export function presentBrand(row: BrandRow): z.output<typeof brandObject> {
  const { id, name_en, name_ar, status, rejection_reason, sandbox, created_at, submitted_at, decided_at } = row;
  return {
    id,
    name_en,
    name_ar,
    status,
    rejection_reason,
    sandbox,
    created_at: isoTime(created_at),
    submitted_at: isoTime(submitted_at),
    decided_at: isoTime(decided_at),
  };
}
