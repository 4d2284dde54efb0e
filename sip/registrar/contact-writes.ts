import { DatabaseUnavailable } from '../../core/data/errors.js';
import type { KnownChange, SipContacts } from '../../core/data/repositories/sip/contacts.js';
import { Batcher } from '../../core/services/runtime/batcher.js';

/** More phones than this wait for the statement after the next one. */
const MAX_CHANGES = 100;
/** A phone can wait this long for others: a statement costs as much as five phones in it. */
const GATHER_MS = 5;

type Outcome = { readonly isWritten: boolean } | { readonly error: unknown };

/** Writes changes of contacts that are made at the same time in one statement. */
export class ContactWrites {
  readonly #batches: Batcher<KnownChange, Outcome>;

  constructor(private readonly contacts: Pick<SipContacts, 'write'>) {
    this.#batches = new Batcher((changes) => this.#write(changes), MAX_CHANGES, GATHER_MS);
  }

  /** @returns false if the contacts are others than those that the change was decided from */
  async add(change: KnownChange): Promise<boolean> {
    const outcome = await this.#batches.add(change);
    if ('error' in outcome) throw outcome.error;
    return outcome.isWritten;
  }

  async #write(changes: readonly KnownChange[]): Promise<readonly Outcome[]> {
    // A second change of a softphone was decided before the first one was written.
    const firsts = [...new Map([...changes].reverse().map((change) => [change.aor, change])).values()];
    try {
      const written = await this.contacts.write(firsts);
      const isWritten = new Map(firsts.map((change, place) => [change, written[place] === true]));
      return changes.map((change) => ({ isWritten: isWritten.get(change) ?? false }));
    } catch (error) {
      if (error instanceof DatabaseUnavailable || changes.length === 1) return changes.map(() => ({ error }));
      // One phone that cannot be written keeps no other one from registering.
      return Promise.all(changes.map((change) => this.#writeAlone(change)));
    }
  }

  async #writeAlone(change: KnownChange): Promise<Outcome> {
    try {
      const [isWritten = false] = await this.contacts.write([change]);
      return { isWritten };
    } catch (error) {
      return { error };
    }
  }
}
