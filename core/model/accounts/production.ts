/** The statuses of a request for production access. */
export const PRODUCTION_REQUEST_STATUSES = [
  'draft',
  'submitted',
  'in_review',
  'approved',
  'rejected',
  'withdrawn',
] as const;
export type ProductionRequestStatus = (typeof PRODUCTION_REQUEST_STATUSES)[number];

const STEPS: Readonly<Record<ProductionRequestStatus, readonly ProductionRequestStatus[]>> = {
  draft: ['submitted', 'withdrawn'],
  submitted: ['in_review', 'rejected', 'withdrawn'],
  in_review: ['approved', 'rejected', 'withdrawn'],
  approved: [],
  rejected: [],
  withdrawn: [],
};

/** Whether a request can move from one status to the other. */
export function isProductionStep(from: ProductionRequestStatus, to: ProductionRequestStatus): boolean {
  return STEPS[from].includes(to);
}

/** The kinds of documents of such a request. */
export const PRODUCTION_DOCUMENT_KINDS = ['commercial_registration', 'vat_certificate', 'identity', 'other'] as const;
export type ProductionDocumentKind = (typeof PRODUCTION_DOCUMENT_KINDS)[number];
