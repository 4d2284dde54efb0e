import type { Codes } from '../../data/repositories/verification/codes.js';
import type { Verifications } from '../../data/repositories/verification/verifications.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';
import { completeVerifications, VERIFY } from './verify.js';

export interface VerifyExpiryOptions {
  readonly codes: Codes;
  readonly verifications: Verifications;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onLanes: (lanes: readonly string[]) => void;
}

const INTERVAL_MS = 1_000;
const BATCH_SIZE = 200;

/** Closes expired verifications and records their `verify.completed` events. */
export class VerifyExpiry {
  readonly #regular: PeriodicWork;

  constructor(private readonly options: VerifyExpiryOptions) {
    const { clock, log } = options;
    this.#regular = new PeriodicWork({
      work: () => this.run(),
      everyMs: INTERVAL_MS,
      restFactor: 10,
      clock,
      onFailure: (err) => log.warn({ err }, 'failed to close expired verifications'),
    });
  }

  start(): void {
    this.#regular.start();
  }

  stop(): Promise<void> {
    return this.#regular.stop();
  }

  async run(): Promise<void> {
    const { codes, verifications, clock, onLanes } = this.options;
    let closed: number;
    do {
      const now = clock.now();
      const [count, lanes] = await codes.transaction(async (tx) => {
        const rows = await codes.expire(tx, VERIFY, now, BATCH_SIZE);
        const ids = rows.map(({ id }) => id);
        return [ids.length, ids.length === 0 ? [] : await completeVerifications(verifications, tx, ids, now)] as const;
      });
      onLanes(lanes);
      closed = count;
    } while (closed === BATCH_SIZE && !this.#regular.isStopped);
  }
}
