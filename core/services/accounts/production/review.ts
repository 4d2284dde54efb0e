import type { Readable } from 'node:stream';
import type { ProductionRequests } from '../../../data/repositories/accounts/production-requests.js';
import type { NumberDocumentRow, ProductionRequestRow } from '../../../data/rows.js';
import type { ProductionDocumentKind, ProductionRequestStatus } from '../../../model/accounts/production.js';
import type { Documents } from '../../numbers/documents.js';
import { findDocument, presentRequest, type ProductionRequestObject } from './requests.js';
import { notFound, type ProductionSteps } from './steps.js';

export interface ProductionReviewOptions {
  readonly requests: ProductionRequests;
  readonly documents: Documents;
  readonly steps: ProductionSteps;
}

/** The administrators' operations on requests for production access. */
export class ProductionReview {
  constructor(private readonly options: ProductionReviewOptions) {}

  /** Of all organizations. */
  async list(
    status: ProductionRequestStatus | null,
    beforeId: string | null,
    limit: number,
  ): Promise<ProductionRequestObject[]> {
    const rows = await this.options.requests.page(null, status, beforeId, limit);
    return Promise.all(rows.map((row) => this.#present(row)));
  }

  /** @throws HatifError PRODUCTION_REQUEST_NOT_FOUND */
  async get(id: string): Promise<ProductionRequestObject> {
    return this.#present(await this.#row(id));
  }

  /** @throws HatifError PRODUCTION_REQUEST_NOT_FOUND, NOT_FOUND */
  async document(id: string, documentId: string): Promise<NumberDocumentRow<ProductionDocumentKind>> {
    return findDocument(this.options.documents, (await this.#row(id)).id, documentId);
  }

  /** @throws StorageError */
  read(document: NumberDocumentRow<ProductionDocumentKind>): Promise<Readable> {
    return this.options.documents.read(document);
  }

  /** @throws HatifError: see {@link ProductionSteps} */
  async review(id: string): Promise<ProductionRequestObject> {
    return this.#present(await this.options.steps.review(id));
  }

  /** @throws HatifError: see {@link ProductionSteps} */
  async approve(id: string): Promise<ProductionRequestObject> {
    return this.#present(await this.options.steps.approve(id));
  }

  /** @throws HatifError: see {@link ProductionSteps} */
  async reject(id: string, reason: string): Promise<ProductionRequestObject> {
    return this.#present(await this.options.steps.reject(id, reason));
  }

  /** @throws HatifError: see {@link ProductionSteps} */
  async waiveIdentity(id: string): Promise<ProductionRequestObject> {
    return this.#present(await this.options.steps.waiveIdentity(id));
  }

  async #row(id: string): Promise<ProductionRequestRow> {
    const row = await this.options.requests.get(null, id);
    if (!row) throw notFound(id);
    return row;
  }

  #present(row: ProductionRequestRow): Promise<ProductionRequestObject> {
    return presentRequest(this.options.documents, row);
  }
}
