/** The statuses of a porting request. */
export const PORTING_STATUSES = [
  'draft',
  'submitted',
  'in_review',
  'scheduled',
  'completed',
  'rejected',
  'cancelled',
] as const;
export type PortingStatus = (typeof PORTING_STATUSES)[number];

const STEPS: Readonly<Record<PortingStatus, readonly PortingStatus[]>> = {
  draft: ['submitted', 'cancelled'],
  submitted: ['in_review', 'rejected', 'cancelled'],
  in_review: ['scheduled', 'rejected', 'cancelled'],
  scheduled: ['completed', 'rejected', 'cancelled'],
  completed: [],
  rejected: [],
  cancelled: [],
};

/** The statuses from which a request can move to `to`. */
export function portingStatusesBefore(to: PortingStatus): readonly PortingStatus[] {
  return PORTING_STATUSES.filter((from) => STEPS[from].includes(to));
}

/** The kinds of supporting documents. */
export const DOCUMENT_KINDS = ['authorization', 'invoice', 'identity', 'other'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];
