import type { CallRow, ChargeRow, EventRow, LegRow, RecordingRow } from '../../../core/data/rows.js';

/** A broken promise. */
export interface Loss {
  readonly kind: LossKind;
  /** The index of the call; null if the loss concerns none. */
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
  | 'changed hands'
  | 'wrong engine'
  | 'wrong answer'
  | 'journal';

/** What the database holds of one call. */
export interface CallRecord {
  readonly call: CallRow;
  readonly legs: readonly LegRow[];
  readonly charges: readonly ChargeRow[];
  readonly events: readonly EventRow[];
  readonly recordings: readonly RecordingRow[];
  /** When it was taken over after a restart, each time. */
  readonly adoptedAt: readonly Date[];
}

/** A loss that concerns no call. */
export function lossOf(kind: LossKind, text: string): Loss {
  return { kind, index: null, text };
}
