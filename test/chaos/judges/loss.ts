import type { CallRow, ChargeRow, EventRow, LegRow, RecordingRow } from '../../../core/data/rows.js';

/** A promise that the product broke. */
export interface Loss {
  readonly kind: LossKind;
  /** The index of the call; null if the loss concerns no call. */
  readonly index: number | null;
  readonly text: string;
}

export type LossKind =
  | 'call lost'
  | 'dropped'
  | 'rung twice'
  | 'wrong end'
  | 'wrong duration'
  | 'wrong charge'
  | 'audio gap'
  | 'not adopted'
  | 'not controllable'
  | 'webhooks'
  | 'left behind'
  | 'crash'
  | 'recording'
  | 'owned twice'
  | 'owner changed'
  | 'wrong engine'
  | 'wrong answer'
  | 'journal';

/** The rows of one call. */
export interface CallRecord {
  readonly call: CallRow;
  readonly legs: readonly LegRow[];
  readonly charges: readonly ChargeRow[];
  readonly events: readonly EventRow[];
  readonly recordings: readonly RecordingRow[];
  /** The times of its adoptions. */
  readonly adoptedAt: readonly Date[];
}

/** A loss that concerns no call. */
export function lossOf(kind: LossKind, text: string): Loss {
  return { kind, index: null, text };
}
