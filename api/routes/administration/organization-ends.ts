import { z } from 'zod';
import type { OrganizationEndingRow } from '../../../core/data/rows.js';
import { idOutput } from '../../../core/model/objects/fields.js';
import type { EndOrganizations } from '../../../core/services/organization-end/end.js';
import { route, type Route } from '../../http/route.js';
import { idParam } from '../../http/schema/schemas.js';
import {
  ARCHIVE_ERRORS,
  ARCHIVE_RESPONSES,
  archiveReply,
  partQuery,
  presentWork,
  workFields,
} from '../privacy/work-fields.js';
import { byAdministrator, reading } from './administrator.js';

const endingObject = z
  .strictObject({
    ...workFields,
    organization_id: idOutput,
    organization_name: z.string(),
    step: z.string().describe('What is done now, or what waits until `kept_until`'),
  })
  .meta({ id: 'OrganizationDeletion' });

const params = z.strictObject({ organization_id: idParam('NOT_FOUND') });

/** How administrators end an organization. */
export function organizationEndRoutes({ ends }: { readonly ends: EndOrganizations }): Route[] {
  return [
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: '/v1/admin/organizations/:organization_id',
      operationId: 'deleteOrganization',
      summary: 'Delete an organization',
      summaryAr: 'حذف مؤسسة',
      description:
        'It cannot be taken back: the body must repeat the name of the organization. Its keys, sessions, softphones and webhooks stop at once, and its live calls end. Then an archive of everything is stored, files and rows are deleted, and its numbers are released. Call detail records, invoices and the ledger stay for the years of `KEEP_CDR_YEARS` and `KEEP_INVOICES_YEARS`. A repeat returns the same deletion.',
      params,
      body: z.strictObject({ name: z.string().min(1).max(100).describe('The name of the organization, exactly') }),
      responses: { 202: { schema: endingObject, description: 'The deletion, which takes some time' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { organization_id: id }, body: { name }, administrator, requestId, note }) => {
        note({ organizationId: id });
        const ending = await ends.end(id, name, { administratorId: administrator.id, requestId });
        return { status: 202, body: present(ending) };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/organizations/:organization_id/deletion',
      operationId: 'getOrganizationDeletion',
      summary: 'Read the deletion of an organization',
      summaryAr: 'قراءة حذف مؤسسة',
      description: 'Also after the last row of the organization is gone.',
      params,
      responses: { 200: { schema: endingObject, description: 'The deletion as it is now' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { organization_id: id } }) => ({ status: 200, body: present(await ends.get(id)) }),
    }),
    route({
      ...reading,
      path: '/v1/admin/organizations/:organization_id/deletion/archive',
      operationId: 'downloadOrganizationArchive',
      summary: 'Download the archive of a deleted organization',
      summaryAr: 'تنزيل ملف مؤسسة محذوفة',
      description:
        'A `.tar.gz` with JSON files, recordings, documents and audio; a large one has several files. Each download is in the audit log. A `Range` header with a single range and `HEAD` are supported.',
      isAudited: true,
      params,
      query: partQuery,
      responses: ARCHIVE_RESPONSES,
      errors: ARCHIVE_ERRORS,
      handler: async ({ params: { organization_id: id }, query: { part }, note }) => {
        note({ organizationId: id });
        return archiveReply(`organization-${id}`, await ends.open(id, part));
      },
    }),
  ];
}

function present(row: OrganizationEndingRow): z.output<typeof endingObject> {
  const { organization_id, organization_name, step } = row;
  return { ...presentWork(row), organization_id, organization_name, step };
}
