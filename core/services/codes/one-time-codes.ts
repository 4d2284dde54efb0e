import { randomInt } from 'node:crypto';
import type { Queryable } from '../../data/database.js';
import type { Codes } from '../../data/repositories/verification/codes.js';
import type { CodeRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { isSameSecret } from '../../model/access/secrets.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';

/** Wrong entries allowed per code, counted across resends. */
export const MAX_ATTEMPTS = 5;

/** Seconds to wait before the second, the third, and every further sending. */
export const RESEND_SECONDS = [30, 60, 120] as const;

export interface NewCode {
  /** What the code verifies; it can only be entered for the same purpose. */
  readonly purpose: string;
  readonly length: number;
  readonly lifetimeSeconds: number;
  /** Sandbox codes consist of zeros, so that tests know them. */
  readonly sandbox: boolean;
  /** Counts the code in the conversion of a widget's number block. */
  readonly target?: { readonly organizationId: string; readonly block: string };
}

/**
 * The result of entering a code. `correct`, `wrong`, `exhausted` (wrong, and no attempts are left) and `late` describe
 * this entry; `closed` means that the code could no longer be entered, and its state says why.
 */
export interface CodeEntryResult {
  readonly outcome: 'correct' | 'wrong' | 'exhausted' | 'late' | 'closed';
  readonly code: CodeRow;
}

/** Called in the transaction that closes a code. */
type OnClosed = (tx: Queryable, code: CodeRow) => Promise<void>;

export interface OneTimeCodesOptions {
  readonly codes: Codes;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

/**
 * Codes that a person receives and enters once. Digits exist only in memory, between generation and sending; the
 * database holds an HMAC that cannot be tested without the installation's secret. A code's digits may be generated
 * several times: only the newest are valid.
 */
export class OneTimeCodes {
  constructor(private readonly options: OneTimeCodesOptions) {}

  /** Records a code that is about to be sent. {@link make} generates its digits later. */
  async create({ purpose, length, lifetimeSeconds, sandbox, target }: NewCode, on?: Queryable): Promise<CodeRow> {
    const now = this.options.clock.now();
    const row: CodeRow = {
      id: newId(),
      purpose,
      organization_id: target?.organizationId ?? null,
      number_block: target?.block ?? null,
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

  /** Generates new digits and invalidates the previous ones. @returns null if the code is no longer pending */
  async make(id: string): Promise<string | null> {
    const { codes, clock } = this.options;
    const row = await codes.get(id);
    if (row?.state !== 'pending') return null;
    const digits = row.sandbox ? '0'.repeat(row.length) : randomDigits(row.length);
    return (await codes.arm(id, this.#hash(id, digits), clock.now())) && digits;
  }

  /** Enters well-formed digits. @returns null if no code with this id and purpose exists */
  async enter(id: string, purpose: string, digits: string, onClosed?: OnClosed): Promise<CodeEntryResult | null> {
    const { codes, clock } = this.options;
    for (;;) {
      const row = await codes.get(id);
      if (row?.purpose !== purpose) return null;
      if (row.state !== 'pending') return { outcome: (await this.#isFirstLate(row)) ? 'late' : 'closed', code: row };
      const right = row.hash !== null && isSameSecret(row.hash, this.#hash(id, digits));
      const entry = { id, hash: row.hash, right, now: clock.now() };
      const code = await codes.transaction(async (tx) => {
        const updated = await codes.enter(tx, entry);
        if (updated && updated.state !== 'pending') await onClosed?.(tx, updated);
        return updated;
      });
      if (code) return { outcome: OUTCOMES[code.state], code };
      // A concurrent entry or resend changed the code: read it again.
    }
  }

  /** Seconds until the code may be sent again; 0 means now. */
  waitSeconds({ sends, sent_at }: Pick<CodeRow, 'sends' | 'sent_at'>): number {
    const wait = RESEND_SECONDS[Math.min(sends, RESEND_SECONDS.length) - 1] ?? 0;
    const passedMs = this.options.clock.now().getTime() - sent_at.getTime();
    return Math.max(0, Math.ceil(wait - passedMs / 1000));
  }

  /**
   * Records one more sending and restarts the lifetime; wrong attempts still count. @returns null if it is too early or
   * too late
   */
  renew(id: string): Promise<CodeRow | null> {
    return this.options.codes.renew(id, RESEND_SECONDS, this.options.clock.now());
  }

  /** Begins the lifetime of a pending code again: it is sent over another channel. Counts no sending. */
  restart(id: string): Promise<void> {
    return this.options.codes.restart(id, this.options.clock.now());
  }

  /** Makes the code invalid. @returns whether it was pending */
  revoke(id: string, onClosed?: OnClosed): Promise<boolean> {
    const { codes, clock } = this.options;
    return codes.transaction(async (tx) => {
      const row = await codes.close(tx, id, 'revoked', clock.now());
      if (row) await onClosed?.(tx, row);
      return row !== null;
    });
  }

  /** Deletes a code that could not be sent. */
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

const OUTCOMES = { pending: 'wrong', used: 'correct', spent: 'exhausted', expired: 'late', revoked: 'closed' } as const;

function randomDigits(length: number): string {
  return Array.from({ length }, () => randomInt(10)).join('');
}
