import type { LegDetail } from './call-detail.js';

/**
 * Ends of legs that engines reported over HTTP. All processes share them, so that the process that owns the engine, or
 * takes it over, finds an end whose event it missed, whichever process received the report.
 */
export interface LegEnds {
  /** Keeps the end for longer than an owner needs to reconnect or to be replaced. @throws if it cannot be kept */
  put(legId: string, detail: LegDetail): Promise<void>;
  /** Returns the reported ends, by leg id. @throws if they cannot be read */
  of(legIds: readonly string[]): Promise<ReadonlyMap<string, LegDetail>>;
}
