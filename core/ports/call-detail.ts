import type { HangupCause } from '../model/call/hangup-cause.js';

/** What the engine itself noted of a leg, while the application was there or not. */
export interface LegDetail {
  readonly answeredAt: Date | null;
  /** Null while it lives, and for good when the engine died before it could note the end. */
  readonly end: { readonly at: Date; readonly cause: HangupCause } | null;
}

/** The engine's own record of its legs (call detail, channel event log). */
export interface CallDetail {
  /**
   * What is noted of these legs. One that is not in the answer the engine certainly never had; where the record is not sure to be whole, the
   * leg is there with nulls. Null when there is no record, or none that can be read.
   */
  of(
    legs: readonly { readonly id: string; readonly created_at: Date }[],
  ): Promise<ReadonlyMap<string, LegDetail> | null>;
}

/** An engine that keeps no record. */
export const NO_DETAIL: CallDetail = { of: () => Promise.resolve(null) };
