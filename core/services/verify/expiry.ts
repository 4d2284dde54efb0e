import type { Codes } from '../../data/repositories/verification/codes.js';
import type { Verifications } from '../../data/repositories/verification/verifications.js';
import type { Clock } from '../../ports/clock.js';
import { inBatches } from '../runtime/batches.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import { completeVerifications, VERIFY } from './verify.js';

export interface VerifyExpiryOptions {
  readonly codes: Codes;
  readonly verifications: Verifications;
  readonly clock: Clock;
  readonly onLanes: (lanes: readonly string[]) => void;
}

const INTERVAL_MS = 1_000;
const BATCH_SIZE = 200;

/** Closes expired verifications and records their `verify.completed` events. */
export class VerifyExpiry implements PeriodicTask {
  readonly name = 'verification expiry';
  readonly everyMs = INTERVAL_MS;
  readonly restFactor = 10;

  constructor(private readonly options: VerifyExpiryOptions) {}

  async run(isStopping: IsStopping = () => false): Promise<void> {
    await inBatches(BATCH_SIZE, (size) => this.#close(size), isStopping);
  }

  async #close(limit: number): Promise<number> {
    const { codes, verifications, clock, onLanes } = this.options;
    const now = clock.now();
    const [count, lanes] = await codes.transaction(async (tx) => {
      const rows = await codes.expire(tx, VERIFY, now, limit);
      const ids = rows.map(({ id }) => id);
      return [ids.length, ids.length === 0 ? [] : await completeVerifications(verifications, tx, ids, now)] as const;
    });
    onLanes(lanes);
    return count;
  }
}
