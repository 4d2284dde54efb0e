import { isInScope, type CallScope } from '../../data/repositories/calls/calls.js';
import type { CallRow } from '../../data/rows.js';
import type { CallFinder } from './find-call.js';

/** Works on the live calls of one engine in this process. */
export interface CallOwner {
  /** The call as it is now; null for one that this owner does not have, or may not command at the moment. */
  live(callId: string): CallRow | null;
}

/**
 * Finds calls for control: those that this process owns in its memory, all others in the database. The owner's row is
 * the newest that there is, so a request about it needs no statement.
 */
export class OwnCalls implements CallFinder {
  readonly #owners = new Set<CallOwner>();

  constructor(private readonly stored: CallFinder) {}

  /** @returns removes the owner */
  attach(owner: CallOwner): () => void {
    this.#owners.add(owner);
    return () => this.#owners.delete(owner);
  }

  async get(scope: CallScope, callId: string): Promise<CallRow | null> {
    for (const owner of this.#owners) {
      const call = owner.live(callId);
      if (call !== null && isInScope(scope, call)) return call;
    }
    return this.stored.get(scope, callId);
  }
}
