import type { ContactChange, SipContacts } from '../../core/data/repositories/sip/contacts.js';
import type { SipContactRow } from '../../core/data/rows.js';
import type { Clock } from '../../core/ports/clock.js';
import type { SipMemory } from '../../core/ports/sip/memory.js';
import { ContactWrites } from './contact-writes.js';

/** How long a copy in the fast store is used; a process that could not renew it there does no harm for longer. */
const COPY_MS = 30_000;

type Decide = (contacts: readonly SipContactRow[]) => ContactChange;

interface Changed {
  readonly before: readonly SipContactRow[];
  readonly after: readonly SipContactRow[];
}

export interface LocationOptions {
  readonly contacts: Pick<SipContacts, 'of' | 'write' | 'removeExpired'>;
  readonly memory: Pick<SipMemory, 'read' | 'write' | 'writeIfAbsent' | 'remove' | 'announce'>;
  readonly clock: Clock;
}

/** Where the phones of softphones are: in the database, with a copy in the fast store for calls. */
export class Location {
  /** Phones that register while a statement is running are written together by the next one. */
  readonly #writes: ContactWrites;

  constructor(private readonly options: LocationOptions) {
    this.#writes = new ContactWrites(options.contacts);
  }

  /** The valid contacts, the last refreshed one first. */
  async of(aor: string): Promise<readonly SipContactRow[]> {
    const { contacts, memory } = this.options;
    const copy = await memory.read(keyOf(aor));
    const rows = copy === null ? await contacts.of(aor) : parseCopy(copy);
    // A change that was made during the look-up has written its own copy.
    if (copy === null) await memory.writeIfAbsent(keyOf(aor), JSON.stringify(rows), COPY_MS);
    return this.#valid(rows);
  }

  #valid(rows: readonly SipContactRow[]): readonly SipContactRow[] {
    const now = this.options.clock.now().getTime();
    return rows.filter(({ expires_at: until }) => until.getTime() > now);
  }

  /**
   * Changes the contacts of a softphone, one request after another.
   * @param decide computes the change from the valid contacts, without side effects; what it throws changes nothing
   * @returns the contacts after the change
   */
  async change(aor: string, decide: Decide): Promise<readonly SipContactRow[]> {
    const { memory } = this.options;
    const { before, after } = (await this.#guessed(aor, decide)) ?? (await this.#decided(aor, decide));
    await memory.write(keyOf(aor), JSON.stringify(after), COPY_MS);
    if (before.length > 0 !== after.length > 0) await this.#announce(aor, after.length > 0);
    return after;
  }

  /** From the copy, which saves a look-up if it is right. @returns null if it is not */
  async #guessed(aor: string, decide: Decide): Promise<Changed | null> {
    const copy = await this.options.memory.read(keyOf(aor));
    if (copy === null) return null;
    const known = this.#valid(parseCopy(copy));
    let change: ContactChange;
    try {
      change = decide(known);
    } catch {
      // What a wrong copy makes of a request says nothing about the request.
      return null;
    }
    return (await this.#writes.add({ aor, known, change })) ? { before: known, after: applied(known, change) } : null;
  }

  async #decided(aor: string, decide: Decide): Promise<Changed> {
    for (;;) {
      const before = await this.options.contacts.of(aor);
      const change = decide(before);
      // Otherwise another request was faster.
      if (await this.#writes.add({ aor, known: before, change })) return { before, after: applied(before, change) };
    }
  }

  /** Deletes a contact whose phone is gone, unless it has registered again since. */
  async drop({ aor, key, refreshed_at: since }: SipContactRow): Promise<void> {
    const isSame = (row: SipContactRow): boolean => row.key === key && row.refreshed_at.getTime() === since.getTime();
    await this.change(aor, (known) => ({ put: [], remove: known.some(isSame) ? [key] : [] }));
  }

  /** Deletes contacts whose time has passed. */
  async sweep(): Promise<void> {
    for (const aor of await this.options.contacts.removeExpired()) {
      await this.options.memory.remove(keyOf(aor));
      await this.#announce(aor, false);
    }
  }

  #announce(aor: string, registered: boolean): Promise<void> {
    return this.options.memory.announce({ type: 'registration', aor, registered });
  }
}

function keyOf(aor: string): string {
  return `contacts:${aor}`;
}

function parseCopy(text: string): readonly SipContactRow[] {
  const rows = JSON.parse(text) as (Omit<SipContactRow, 'refreshed_at' | 'expires_at'> &
    Record<'refreshed_at' | 'expires_at', string>)[];
  return rows.map((row) => ({
    ...row,
    refreshed_at: new Date(row.refreshed_at),
    expires_at: new Date(row.expires_at),
  }));
}

/** The contacts after a change, in the order of `SipContacts.of`. */
function applied(known: readonly SipContactRow[], { put, remove }: ContactChange): readonly SipContactRow[] {
  const gone = new Set([...remove, ...put.map(({ key }) => key)]);
  const kept = known.filter(({ key }) => !gone.has(key));
  return [...put, ...kept].sort(
    (a, b) => b.refreshed_at.getTime() - a.refreshed_at.getTime() || (a.key < b.key ? -1 : 1),
  );
}
