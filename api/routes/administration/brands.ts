import { z } from 'zod';
import type { BrandRow } from '../../../core/data/rows.js';
import { idOutput } from '../../../core/model/objects/fields.js';
import type { Brands } from '../../../core/services/brands/brands.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';
import { brandObject, presentBrand } from '../verification/voice-auth-brands.js';
import { reading, writing } from './administrator.js';
import { noteOf, ownerFields, ownerIn } from './owned.js';

const brand = brandObject
  .extend({ ...ownerFields, created_by_key: idOutput, request_id: z.string() })
  .meta({ id: 'AdministeredBrand' });
const params = z.strictObject({ brand_id: idParam('VOICE_AUTH_BRAND_NOT_FOUND') });
const ERRORS = ['VOICE_AUTH_BRAND_NOT_FOUND', 'VOICE_AUTH_BRAND_INVALID_STATE'] as const;

/** The review of the names that authentication calls say. */
export function administeredBrandRoutes({ brands }: { readonly brands: Brands }): Route[] {
  return [
    route({
      ...reading,
      path: '/v1/admin/brands',
      operationId: 'listAdministeredBrands',
      summary: 'List the brands of all organizations',
      summaryAr: 'عرض العلامات التجارية لجميع المؤسسات',
      description: 'Newest first, without those of sandboxes.',
      query: z.strictObject({ ...cursorQuery, status: brandObject.shape.status.optional() }),
      responses: { 200: { schema: cursorList(brand), description: 'One page' } },
      errors: [],
      handler: async ({ query: { cursor, limit, status = null }, cursors }) => {
        const rows = await brands.page(status, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/brands/:brand_id/approve',
      operationId: 'approveBrand',
      summary: 'Approve a brand',
      summaryAr: 'اعتماد علامة تجارية',
      description: 'Calls may say its name from now on.',
      params,
      responses: { 200: { schema: brand, description: 'The brand as it is now' } },
      errors: ERRORS,
      handler: async ({ params: { brand_id }, note }) => {
        const row = await brands.approve(brand_id);
        note(noteOf(row, { status: row.status }));
        return { status: 200, body: present(row) };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/brands/:brand_id/reject',
      operationId: 'rejectBrand',
      summary: 'Reject a brand',
      summaryAr: 'رفض علامة تجارية',
      description: 'The organization sees the reason, and may submit the brand again.',
      params,
      body: z.strictObject({ reason: z.string().trim().min(1).max(500).nullable().default(null) }),
      auditFields: ['reason'],
      responses: { 200: { schema: brand, description: 'The brand as it is now' } },
      errors: ERRORS,
      handler: async ({ params: { brand_id }, body: { reason }, note }) => {
        const row = await brands.reject(brand_id, reason);
        note(noteOf(row, { status: row.status }));
        return { status: 200, body: present(row) };
      },
    }),
  ];
}

function present(row: BrandRow): z.output<typeof brand> {
  const { created_by_key, request_id } = row;
  return { ...presentBrand(row), ...ownerIn(row), created_by_key, request_id };
}
