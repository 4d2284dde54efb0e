import {
  aliveAt,
  claimIdempotencyKey,
  findIdempotencyKey,
  storeIdempotentResponse,
  processOf,
  purgeIdempotencyKeys,
  releaseIdempotencyKey,
  renewIdempotencyKey,
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
import { PeriodicWork } from '../runtime/periodic-work.js';

export interface IdempotentRequest extends IdempotencyIdentity {
  /** The body and the query, normalized so that equal requests have equal fingerprints. */
  readonly fingerprint: string;
  readonly requestId: string;
}

/** How to proceed with a request that carries an idempotency key. */
export type IdempotencyDecision =
  | { readonly action: 'replay'; readonly answer: StoredResponse }
  /**
   * Run the request inside `running`, then call `keep` or `release`. `abandoned`: an earlier attempt died with its
   * process, and its effect is unknown.
   */
  | {
      readonly action: 'run';
      readonly claim: IdempotencyClaim;
      readonly abandoned: { readonly requestId: string; readonly startedAt: Date } | null;
    };

export interface IdempotencyOptions {
  readonly db: Queryable;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A request without an answer counts as dead if it was not renewed for this time. Default 120 s. */
  readonly abandonedAfterMs?: number;
  /** Lets another process take over a request sooner if the process that ran it is known to be dead. */
  readonly processes?: {
    readonly own: string;
    /** Whether it is certain that no process with this name is running. */
    readonly isDead: (name: string) => boolean;
  };
}

/**
 * After a process has been seen dead for this long, every statement that it sent to the database has either completed
 * or failed.
 */
const DEAD_GRACE_MS = 10_000;

/** A claim is renewed this often before it counts as dead, so that a failed renewal does no harm. */
const RENEWALS = 4;

const RETENTION_MS = 24 * 60 * 60 * 1000;
const PURGE_INTERVAL_MS = 10 * 60 * 1000;

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

/**
 * Makes a POST with an `Idempotency-Key` happen once: the first request runs, and for 24 hours a retry gets its answer.
 */
export class Idempotency {
  #purgedAtMs = -Infinity;
  /** Process name → time by the monotonic clock. */
  readonly #seenDeadAtMs = new Map<string, number>();

  constructor(private readonly options: IdempotencyOptions) {}

  /** @throws HatifError IDEMPOTENCY_KEY_CONFLICT; DatabaseUnavailable. */
  async begin(request: IdempotentRequest): Promise<IdempotencyDecision> {
    const now = this.options.clock.now();
    this.#purge(now);
    const claim: IdempotencyClaim = {
      ...request,
      process: this.options.processes?.own ?? null,
      bodyHmac: this.options.cipher.mac('idempotency', request.fingerprint),
      claimedAt: now,
      expiresAt: new Date(now.getTime() + RETENTION_MS),
    };
    if (await claimIdempotencyKey(this.options.db, claim)) return { action: 'run', claim, abandoned: null };
    const kept = await findIdempotencyKey(this.options.db, claim);
    // Released between the two statements: the first request has just failed with an answer that is not kept. The
    // client's retry will run.
    if (kept === null) throw conflict(claim, CONFLICTS.running);
    if (kept.body_hmac !== claim.bodyHmac) throw conflict(claim, CONFLICTS.changed);
    return kept.state === 'done' ? replay(kept) : this.#takeOver(claim, kept);
  }

  /** Runs the work of the claim, which does not count as dead while the work takes, however long that is. */
  async running<T>(claim: IdempotencyClaim, work: () => Promise<T>): Promise<T> {
    const { clock, logger } = this.options;
    const renewal = new PeriodicWork({
      work: () => this.#renew(claim),
      everyMs: this.#abandonedAfterMs / RENEWALS,
      clock,
      onFailure: (err) => logger.warn({ err, request_id: claim.requestId }, 'failed to renew an idempotency key'),
    });
    renewal.start();
    try {
      return await work();
    } finally {
      await renewal.stop();
    }
  }

  /** Keeps the answer for retries. A failure to keep it does not fail the request, which has already taken effect. */
  async keep(claim: IdempotencyClaim, answer: StoredResponse): Promise<void> {
    await this.#store(claim, storeIdempotentResponse(this.options.db, claim, answer));
  }

  /** Releases the key: the answer (401, 403, 429 or 5xx) is not one to repeat. */
  async release(claim: IdempotencyClaim): Promise<void> {
    await this.#store(claim, releaseIdempotencyKey(this.options.db, claim));
  }

  get #abandonedAfterMs(): number {
    return this.options.abandonedAfterMs ?? 120_000;
  }

  async #renew(claim: IdempotencyClaim): Promise<void> {
    const { db, clock, logger } = this.options;
    if (await renewIdempotencyKey(db, claim, clock.now())) return;
    logger.error({ request_id: claim.requestId }, 'a retry took over a request that was still running');
  }

  async #takeOver(claim: IdempotencyClaim, kept: IdempotencyRow): Promise<IdempotencyDecision> {
    const silentMs = claim.claimedAt.getTime() - aliveAt(kept).getTime();
    const dead = silentMs >= this.#abandonedAfterMs || this.#isDead(processOf(kept));
    if (!dead || !(await takeOverIdempotencyKey(this.options.db, claim, kept))) {
      throw conflict(claim, CONFLICTS.running);
    }
    return { action: 'run', claim, abandoned: { requestId: requestIdOf(kept), startedAt: kept.created_at } };
  }

  #isDead(process: string | null): boolean {
    const { processes, clock } = this.options;
    if (process === null || processes?.isDead(process) !== true) return false;
    const nowMs = clock.monotonicMs();
    const sinceMs = this.#seenDeadAtMs.get(process) ?? nowMs;
    this.#seenDeadAtMs.set(process, sinceMs);
    return nowMs - sinceMs >= DEAD_GRACE_MS;
  }

  async #store(claim: IdempotencyClaim, write: Promise<void>): Promise<void> {
    try {
      await write;
    } catch (error) {
      this.options.logger.error(
        { err: error, request_id: claim.requestId },
        'failed to store the outcome of an idempotent request',
      );
    }
  }

  #purge(now: Date): void {
    const nowMs = this.options.clock.monotonicMs();
    if (nowMs - this.#purgedAtMs < PURGE_INTERVAL_MS) return;
    this.#purgedAtMs = nowMs;
    purgeIdempotencyKeys(this.options.db, now).catch((error: unknown) => {
      this.options.logger.warn({ err: error }, 'failed to delete expired idempotency keys');
    });
  }
}

function replay(kept: IdempotencyRow): IdempotencyDecision {
  const { status_code: status, response: body, headers } = kept;
  return { action: 'replay', answer: { status: status ?? 200, body, headers } };
}

function conflict(claim: IdempotencyClaim, reason: Phrase): HatifError {
  return new HatifError('IDEMPOTENCY_KEY_CONFLICT', { idempotency_key: claim.idempotencyKey, reason });
}
