import { randomInt, timingSafeEqual } from 'node:crypto';
import type { Queryable } from '../../data/database.js';
import type { Codes } from '../../data/repositories/verification/codes.js';
import type { CodeRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';

/** Wrong entries of one code's life, over all its sendings. */
export const MAX_ATTEMPTS = 5;

/** How long after the first sending, the second, and each further one the next is possible. */
export const RESEND_SECONDS = [30, 60, 120] as const;

export interface NewCode {
  /** What it is for. */
  readonly purpose: string;
  readonly length: number;
  readonly lifetimeSeconds: number;
  /** Its digits are zeros, known to everybody. */
  readonly sandbox: boolean;
}

/**
 * What became of an entry. `right`, `wrong`, `last` (wrong, and the last one) and `late` are said of the entry itself; `closed`: the code could
 * not be entered any more, its state says why.
 */
export interface Entered {
  readonly what: 'right' | 'wrong' | 'last' | 'late' | 'closed';
  readonly code: CodeRow;
}

/** Runs in the transaction that closed a code. */
type OnClosed = (tx: Queryable, code: CodeRow) => Promise<void>;

export interface OneTimeCodesOptions {
  readonly codes: Codes;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

/**
 * Codes that a person is sent and enters once, for whatever purpose. Digits exist in memory only, between their making and their sending; what is
 * kept is a hash that nobody can try out without the installation's secret. Each may be made several times: the newest counts.
 */
export class OneTimeCodes {
  constructor(private readonly options: OneTimeCodesOptions) {}

  /** Note a code that is about to be sent. Its digits come later, by {@link make}. */
  async create({ purpose, length, lifetimeSeconds, sandbox }: NewCode, on?: Queryable): Promise<CodeRow> {
    const now = this.options.clock.now();
    const row: CodeRow = {
      id: newId(),
      purpose,
      sandbox,
      length,
      hash: null,
      state: 'pending',
      attempts: 0,
      max_attempts: MAX_ATTEMPTS,
      sends: 1,
      sent_at: now,
      lifetime_seconds: lifetimeSeconds,
      expires_at: new Date(now.getTime() + lifetimeSeconds * 1000),
      late_told: false,
      created_at: now,
      closed_at: null,
    };
    await this.options.codes.create(row, on);
    return row;
  }

  /** Its digits, new each time: those before count no more. @returns null where none are wanted any more */
  async make(id: string): Promise<string | null> {
    const { codes, clock } = this.options;
    const row = await codes.get(id);
    if (row?.state !== 'pending') return null;
    const digits = row.sandbox ? '0'.repeat(row.length) : randomDigits(row.length);
    return (await codes.arm(id, this.#hash(id, digits), clock.now())) && digits;
  }

  /** Enter digits, of the right form. @returns null where there is no such code of this purpose */
  async enter(id: string, purpose: string, digits: string, onClosed?: OnClosed): Promise<Entered | null> {
    const { codes, clock } = this.options;
    for (;;) {
      const row = await codes.get(id);
      if (row?.purpose !== purpose) return null;
      if (row.state !== 'pending') return { what: (await this.#isFirstLate(row)) ? 'late' : 'closed', code: row };
      const right = row.hash !== null && isEqual(row.hash, this.#hash(id, digits));
      const entry = { id, hash: row.hash, right, now: clock.now() };
      const code = await codes.transaction(async (tx) => {
        const after = await codes.enter(tx, entry);
        if (after && after.state !== 'pending') await onClosed?.(tx, after);
        return after;
      });
      if (code) return { what: WHAT[code.state], code };
      // Somebody else was faster, or a new one was made: it is looked at again.
    }
  }

  /** Seconds until it may be sent again; 0 for now. */
  waitSeconds({ sends, sent_at }: Pick<CodeRow, 'sends' | 'sent_at'>): number {
    const wait = RESEND_SECONDS[Math.min(sends, RESEND_SECONDS.length) - 1] ?? 0;
    const passedMs = this.options.clock.now().getTime() - sent_at.getTime();
    return Math.max(0, Math.ceil(wait - passedMs / 1000));
  }

  /** Note one more sending, with the whole time for it. Attempts stay spent. @returns null where it is too soon, or too late */
  renew(id: string): Promise<CodeRow | null> {
    return this.options.codes.renew(id, RESEND_SECONDS, this.options.clock.now());
  }

  /** It can be entered no more. @returns whether it could before */
  revoke(id: string, onClosed?: OnClosed): Promise<boolean> {
    const { codes, clock } = this.options;
    return codes.transaction(async (tx) => {
      const row = await codes.close(tx, id, 'revoked', clock.now());
      if (row) await onClosed?.(tx, row);
      return row !== null;
    });
  }

  /** As if it had never been: it could not be sent. */
  remove(id: string): Promise<void> {
    return this.options.codes.remove(id);
  }

  async #isFirstLate(row: CodeRow): Promise<boolean> {
    return row.state === 'expired' && !row.late_told && (await this.options.codes.recordExpiryReport(row.id));
  }

  #hash(id: string, digits: string): string {
    return this.options.cipher.mac('code', `${id}:${digits}`);
  }
}

const WHAT = { pending: 'wrong', used: 'right', spent: 'last', expired: 'late', revoked: 'closed' } as const;

function randomDigits(length: number): string {
  return Array.from({ length }, () => randomInt(10)).join('');
}

/** In a time that tells nothing of where they differ. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
