import type { ProductionRequestStatus } from '../../../core/model/accounts/production.js';
import { newId } from '../../../core/model/ids.js';
import type { Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';
import { documentForm } from './numbers.js';

/**
 * A request of the tenant's organization, in place of its open one. It is made in the database, because production
 * accounts make none.
 */
async function newRequest(tenant: Tenant, status: ProductionRequestStatus = 'draft'): Promise<string> {
  const { db } = tenant.world;
  const organizationId = tenant.ground.organizationId;
  await db.query(
    `UPDATE production_requests SET status = 'withdrawn' WHERE organization_id = $1 AND status IN ('draft', 'submitted', 'in_review')`,
    [organizationId],
  );
  const id = tenant.secret(newId());
  await db.query(
    `INSERT INTO production_requests
       (id, organization_id, status, company, commercial_registration, use, expected_calls, created_by, created_at)
     VALUES ($1, $2, $3, $4, '1010123456', 'Reminders', 10, $1, now())`,
    [id, organizationId, status, tenant.word('company')],
  );
  return id;
}

const on = (status: ProductionRequestStatus, body?: object) => async (tenant: Tenant) => ({
  params: { id: await newRequest(tenant, status) },
  ...(body && { body }),
});

/** A draft with a document. */
async function onDocument(tenant: Tenant) {
  const id = await newRequest(tenant);
  const bytes = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n');
  const { documents } = tenant.world.platform.management.numbering;
  const document = await documents.add({ production_request_id: id }, 'other', { bytes, name: 'registration.pdf' });
  return { params: { id, document_id: tenant.secret(document.id) } };
}

export const production: Samples = {
  listProductionRequests: () => ({}),
  getProductionRequest: on('submitted'),
  changeProductionRequest: on('draft', { expected_calls: 20 }),
  addProductionDocument: async (tenant) => ({
    params: { id: await newRequest(tenant) },
    form: () => documentForm({ kind: 'other' }),
  }),
  withdrawProductionRequest: on('submitted', {}),
  listNationalIdVerifications: () => ({}),

  listAdministeredProductionRequests: () => ({}),
  getAdministeredProductionRequest: on('submitted'),
  getAdministeredProductionDocument: onDocument,
  reviewProductionRequest: on('submitted', {}),
  approveProductionRequest: on('in_review', {}),
  rejectProductionRequest: on('submitted', { reason: 'The registration has expired.' }),
  waiveNationalIdentity: on('draft', {}),
};
