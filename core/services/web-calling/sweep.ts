import type { WebSessions } from '../../data/repositories/web-calling/sessions.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { CommandBus } from '../../ports/command-bus.js';
import type { Logger } from '../../ports/logger.js';
import { endCall } from '../calls/end-call.js';
import { inBatches } from '../runtime/batches.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';

export interface WebSessionSweepOptions {
  readonly sessions: Pick<WebSessions, 'expire' | 'callsToEnd' | 'callsEnded' | 'purge'>;
  readonly bus: Pick<CommandBus, 'send'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const BATCH = 200;
/** A leg that a browser began before the end may be stored as late as this. */
const SETTLED_MS = 60_000;
const KEPT_MS = 30 * 86_400_000;

/**
 * Ends sessions of web calling whose time is up, and the calls of those that were revoked. Deletes them after 30 days.
 * PostgreSQL says what is due, so that a process that dies leaves it to the next one.
 */
export class WebSessionSweep implements PeriodicTask {
  readonly name = 'web calling sessions';
  readonly everyMs = 2_000;
  readonly startsAtOnce = true;
  readonly restFactor = 10;

  constructor(private readonly options: WebSessionSweepOptions) {}

  /** @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { sessions, clock } = this.options;
    const now = clock.now();
    await inBatches(BATCH, (size) => sessions.expire(now, size), isStopping);
    await this.#endCalls(now, isStopping);
    await inBatches(BATCH, (size) => sessions.purge(new Date(now.getTime() - KEPT_MS), size), isStopping);
  }

  async #endCalls(now: Date, isStopping: IsStopping): Promise<void> {
    const { sessions, bus, log } = this.options;
    const calls = await sessions.callsToEnd(BATCH);
    const requestId = newId();
    for (const call of calls) {
      if (isStopping()) return;
      await endCall(call, { bus, log, requestId });
    }
    if (calls.length === 0) await sessions.callsEnded(new Date(now.getTime() - SETTLED_MS), now);
  }
}
