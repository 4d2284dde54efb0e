import type { ProductionDetails, ProductionRequests } from '../../../data/repositories/accounts/production-requests.js';
import type { NumberDocumentRow, ProductionRequestRow } from '../../../data/rows.js';
import type { ProductionDocumentKind, ProductionRequestStatus } from '../../../model/accounts/production.js';
import { HatifError } from '../../../model/errors/index.js';
import { newId } from '../../../model/ids.js';
import { arabic } from '../../../model/wording/wording.js';
import type { Clock } from '../../../ports/clock.js';
import { presentDocument, type DocumentFile, type DocumentObject, type Documents } from '../../numbers/documents.js';
import { invalidState, notFound, type ProductionSteps, type Requester } from './steps.js';

export interface ProductionAccessOptions {
  readonly requests: ProductionRequests;
  readonly documents: Documents;
  readonly steps: ProductionSteps;
  readonly clock: Clock;
}

/** A request for production access as the API shows it to the customer and the operator. */
export interface ProductionRequestObject extends ProductionDetails {
  readonly id: string;
  readonly organization_id: string;
  readonly status: ProductionRequestStatus;
  readonly identity_waived: boolean;
  readonly reason: string | null;
  readonly documents: readonly DocumentObject<ProductionDocumentKind>[];
  readonly created_at: string;
  readonly submitted_at: string | null;
  readonly ended_at: string | null;
}

/** Documents can be added until the operator has decided. */
const TAKES_DOCUMENTS: readonly ProductionRequestStatus[] = ['draft', 'submitted', 'in_review'];

/** Customers' operations on requests for production access. */
export class ProductionAccess {
  constructor(private readonly options: ProductionAccessOptions) {}

  /**
   * @throws HatifError EMAIL_NOT_CONFIRMED, PRODUCTION_REQUEST_EXISTS if there is a draft, PRODUCTION_ACCESS_ALREADY_REQUESTED if a request
   * was submitted, PRODUCTION_REQUEST_INVALID_STATE if the organization is a production account
   */
  async create(
    details: ProductionDetails,
    { id: userId, organizationId }: Requester,
  ): Promise<ProductionRequestObject> {
    const { requests, clock } = this.options;
    if (!(await requests.isConfirmed(userId))) throw new HatifError('EMAIL_NOT_CONFIRMED');
    const row: ProductionRequestRow = {
      ...details,
      id: newId(),
      organization_id: organizationId,
      status: 'draft',
      identity_waived: false,
      reason: null,
      created_by: userId,
      created_at: clock.now(),
      submitted_at: null,
      ended_at: null,
    };
    if (await requests.insert(row)) return present(row, []);
    const open = await requests.open(organizationId);
    if (open?.status === 'draft') throw new HatifError('PRODUCTION_REQUEST_EXISTS', { request: open.id });
    if (open) throw new HatifError('PRODUCTION_ACCESS_ALREADY_REQUESTED');
    throw invalidState('approved');
  }

  async list(
    organizationId: string,
    status: ProductionRequestStatus | null,
    beforeId: string | null,
    limit: number,
  ): Promise<ProductionRequestObject[]> {
    const rows = await this.options.requests.page(organizationId, status, beforeId, limit);
    return Promise.all(rows.map((row) => this.#present(row)));
  }

  /** @throws HatifError PRODUCTION_REQUEST_NOT_FOUND */
  async get(organizationId: string, id: string): Promise<ProductionRequestObject> {
    return this.#present(await this.#row(organizationId, id));
  }

  /** @throws HatifError PRODUCTION_REQUEST_NOT_FOUND, PRODUCTION_REQUEST_INVALID_STATE if it was submitted */
  async change(
    organizationId: string,
    id: string,
    details: Partial<ProductionDetails>,
  ): Promise<ProductionRequestObject> {
    await this.#row(organizationId, id);
    const row = await this.options.requests.change(id, details);
    if (!row) throw invalidState((await this.#row(organizationId, id)).status);
    return this.#present(row);
  }

  /** @throws HatifError PRODUCTION_REQUEST_NOT_FOUND, PRODUCTION_REQUEST_INVALID_STATE, VALIDATION_ERROR; StorageError */
  async addDocument(
    organizationId: string,
    id: string,
    kind: ProductionDocumentKind,
    file: DocumentFile,
  ): Promise<ProductionRequestObject> {
    const row = await this.#row(organizationId, id);
    if (!TAKES_DOCUMENTS.includes(row.status)) throw invalidState(row.status);
    await this.options.documents.add({ production_request_id: id }, kind, file);
    return this.#present(row);
  }

  /** @throws HatifError PRODUCTION_REQUEST_NOT_FOUND, NOT_FOUND, PRODUCTION_REQUEST_INVALID_STATE; StorageError */
  async removeDocument(organizationId: string, id: string, documentId: string): Promise<void> {
    const row = await this.#row(organizationId, id);
    const document = await findDocument(this.options.documents, id, documentId);
    if (row.status !== 'draft') throw invalidState(row.status);
    await this.options.documents.remove(document);
  }

  /** @throws HatifError: see {@link ProductionSteps} */
  async submit(who: Requester, id: string): Promise<ProductionRequestObject> {
    return this.#present(await this.options.steps.submit(id, who));
  }

  /** @throws HatifError: see {@link ProductionSteps} */
  async withdraw(organizationId: string, id: string): Promise<ProductionRequestObject> {
    return this.#present(await this.options.steps.withdraw(id, organizationId));
  }

  async #row(organizationId: string, id: string): Promise<ProductionRequestRow> {
    const row = await this.options.requests.get(organizationId, id);
    if (!row) throw notFound(id);
    return row;
  }

  #present(row: ProductionRequestRow): Promise<ProductionRequestObject> {
    return presentRequest(this.options.documents, row);
  }
}

export async function presentRequest(
  documents: Documents,
  row: ProductionRequestRow,
): Promise<ProductionRequestObject> {
  return present(row, await documents.of<ProductionDocumentKind>({ production_request_id: row.id }));
}

/** @throws HatifError NOT_FOUND */
export async function findDocument(
  documents: Documents,
  requestId: string,
  documentId: string,
): Promise<NumberDocumentRow<ProductionDocumentKind>> {
  const all = await documents.of<ProductionDocumentKind>({ production_request_id: requestId });
  const document = all.find(({ id }) => id === documentId);
  if (document) return document;
  throw new HatifError('NOT_FOUND', {
    what: { en: `the document ${documentId}`, ar: arabic`الوثيقة ${documentId}` },
  });
}

function present(
  row: ProductionRequestRow,
  documents: readonly NumberDocumentRow<ProductionDocumentKind>[],
): ProductionRequestObject {
  const time = (at: Date | null): string | null => at?.toISOString() ?? null;
  return {
    id: row.id,
    organization_id: row.organization_id,
    status: row.status,
    company: row.company,
    commercial_registration: row.commercial_registration,
    vat_number: row.vat_number,
    use: row.use,
    expected_calls: row.expected_calls,
    identity_waived: row.identity_waived,
    reason: row.reason,
    documents: documents.map(presentDocument),
    created_at: row.created_at.toISOString(),
    submitted_at: time(row.submitted_at),
    ended_at: time(row.ended_at),
  };
}
