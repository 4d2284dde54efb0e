import type { KnownChange, SipContacts } from '../../core/data/repositories/sip/contacts.js';
import { Batcher } from '../../core/services/runtime/batcher.js';

/** More phones than this wait for the statement after the next one. */
const MAX_CHANGES = 100;
/** A phone can wait this long for others: a statement costs as much as five phones in it. */
const GATHER_MS = 5;

/** Writes changes of contacts that are made at the same time in one statement. */
export class ContactWrites {
  readonly #batches: Batcher<KnownChange, boolean>;

  constructor(private readonly contacts: Pick<SipContacts, 'write'>) {
    const options = { maxItems: MAX_CHANGES, gatherMs: GATHER_MS, isolates: true };
    this.#batches = new Batcher((changes) => this.#write(changes), options);
  }

  /** @returns false if the contacts are others than those that the change was decided from */
  add(change: KnownChange): Promise<boolean> {
    return this.#batches.add(change);
  }

  async #write(changes: readonly KnownChange[]): Promise<readonly boolean[]> {
    // A second change of a softphone was decided before the first one was written.
    const firsts = [...new Map([...changes].reverse().map((change) => [change.aor, change])).values()];
    const written = await this.contacts.write(firsts);
    const isWritten = new Map(firsts.map((change, place) => [change, written[place] === true]));
    return changes.map((change) => isWritten.get(change) ?? false);
  }
}
