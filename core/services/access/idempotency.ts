import {
  claimIdempotencyKey,
  findIdempotencyKey,
  storeIdempotentResponse,
  processOf,
  purgeIdempotencyKeys,
  releaseIdempotencyKey,
  requestIdOf,
  takeOverIdempotencyKey,
  type IdempotencyClaim,
  type IdempotencyIdentity,
  type StoredResponse,
} from '../../data/repositories/accounts/idempotency.js';
import type { Queryable } from '../../data/database.js';
import type { IdempotencyRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';

export interface IdempotentRequest extends IdempotencyIdentity {
  /** The body, and the query if there is one, in a form in which equal requests are equal. */
  readonly fingerprint: string;
  readonly requestId: string;
}

/** How to go on with a request that carries an idempotency key. */
export type Idempotent =
  | { readonly todo: 'replay'; readonly answer: StoredResponse }
  /** Run it, then `keep` or `release`. `abandoned`: an earlier attempt died with its process, its effect is unknown. */
  | {
      readonly todo: 'run';
      readonly claim: IdempotencyClaim;
      readonly abandoned: { readonly requestId: string; readonly startedAt: Date } | null;
    };

export interface IdempotencyOptions {
  readonly db: Queryable;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly logger: Logger;
  /** After this time a request without an answer counts as dead; longer than any request may take. Default 120 s. */
  readonly abandonedAfterMs?: number;
  /** Lets a request whose process is known to be dead be taken over sooner. */
  readonly processes?: {
    readonly own: string;
    /** Whether it is certain that no such process runs any more. */
    readonly isDead: (name: string) => boolean;
  };
}

/** What a dead process had sent to the database is done, or never will be, when it has been seen dead for so long. */
const SETTLED_MS = 10_000;

const KEPT_MS = 24 * 60 * 60 * 1000;
const PURGE_EVERY_MS = 10 * 60 * 1000;

const CONFLICTS = {
  running: {
    en: 'the first request with this key is still running',
    ar: 'الطلب الأول بهذه القيمة ما زال قيد التنفيذ',
  },
  changed: {
    en: 'it was used with a different body',
    ar: 'سبق استخدامها مع محتوى مختلف',
  },
} as const satisfies Record<string, Phrase>;

/** Lets a POST with an `Idempotency-Key` happen once: the first runs, a retry gets the first's answer for 24 hours. */
export class Idempotency {
  #purgedAtMs = -Infinity;
  /** By the monotonic clock. */
  readonly #seenDeadAtMs = new Map<string, number>();

  constructor(private readonly options: IdempotencyOptions) {}

  /** @throws HatifError IDEMPOTENCY_KEY_CONFLICT; DatabaseUnavailable. */
  async begin(request: IdempotentRequest): Promise<Idempotent> {
    const now = this.options.clock.now();
    this.#purge(now);
    const claim: IdempotencyClaim = {
      ...request,
      process: this.options.processes?.own ?? null,
      bodyHmac: this.options.cipher.mac('idempotency', request.fingerprint),
      claimedAt: now,
      expiresAt: new Date(now.getTime() + KEPT_MS),
    };
    if (await claimIdempotencyKey(this.options.db, claim)) return { todo: 'run', claim, abandoned: null };
    const kept = await findIdempotencyKey(this.options.db, claim);
    // Released between the two statements: the first has just failed in a way that is not kept. The client's retry runs.
    if (kept === null) throw conflict(claim, CONFLICTS.running);
    if (kept.body_hmac !== claim.bodyHmac) throw conflict(claim, CONFLICTS.changed);
    return kept.state === 'done' ? replay(kept) : this.#takeOver(claim, kept);
  }

  /** Keeps the answer for retries. A failure to keep it does not fail the request, which is done. */
  async keep(claim: IdempotencyClaim, answer: StoredResponse): Promise<void> {
    await this.#settle(claim, storeIdempotentResponse(this.options.db, claim, answer));
  }

  /** Forgets the request: its answer (401, 403, 429, 5xx) is not one to repeat. */
  async release(claim: IdempotencyClaim): Promise<void> {
    await this.#settle(claim, releaseIdempotencyKey(this.options.db, claim));
  }

  async #takeOver(claim: IdempotencyClaim, kept: IdempotencyRow): Promise<Idempotent> {
    const ageMs = claim.claimedAt.getTime() - kept.created_at.getTime();
    const dead = ageMs >= (this.options.abandonedAfterMs ?? 120_000) || this.#isDead(processOf(kept));
    if (!dead || !(await takeOverIdempotencyKey(this.options.db, claim, kept.created_at))) {
      throw conflict(claim, CONFLICTS.running);
    }
    return { todo: 'run', claim, abandoned: { requestId: requestIdOf(kept), startedAt: kept.created_at } };
  }

  #isDead(process: string | null): boolean {
    const { processes, clock } = this.options;
    if (process === null || processes?.isDead(process) !== true) return false;
    const nowMs = clock.monotonicMs();
    const sinceMs = this.#seenDeadAtMs.get(process) ?? nowMs;
    this.#seenDeadAtMs.set(process, sinceMs);
    return nowMs - sinceMs >= SETTLED_MS;
  }

  async #settle(claim: IdempotencyClaim, write: Promise<void>): Promise<void> {
    try {
      await write;
    } catch (error) {
      this.options.logger.error({ err: error, request_id: claim.requestId }, 'an idempotent answer could not be kept');
    }
  }

  #purge(now: Date): void {
    const nowMs = this.options.clock.monotonicMs();
    if (nowMs - this.#purgedAtMs < PURGE_EVERY_MS) return;
    this.#purgedAtMs = nowMs;
    purgeIdempotencyKeys(this.options.db, now).catch((error: unknown) => {
      this.options.logger.warn({ err: error }, 'expired idempotency keys could not be deleted');
    });
  }
}

function replay(kept: IdempotencyRow): Idempotent {
  const { status_code: status, response: body, headers } = kept;
  return { todo: 'replay', answer: { status: status ?? 200, body, headers } };
}

function conflict(claim: IdempotencyClaim, reason: Phrase): HatifError {
  return new HatifError('IDEMPOTENCY_KEY_CONFLICT', { idempotency_key: claim.idempotencyKey, reason });
}
