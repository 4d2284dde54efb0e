import type { FraudGuardTable } from '../../data/repositories/calls/fraud-guard.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { CommandBus } from '../../ports/command-bus.js';
import type { Logger } from '../../ports/logger.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import { endCall } from './end-call.js';

export interface EndBlockedCallsOptions {
  readonly table: Pick<FraudGuardTable, 'callsToEnd' | 'callsEnded'>;
  readonly bus: Pick<CommandBus, 'send'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const BATCH = 200;
/** A leg that was admitted before the block may be stored and dialled as late as this. */
const SETTLED_MS = 60_000;

/**
 * Ends the live calls to the outside of agents and projects that were blocked against toll fraud, where the operator
 * wants that. PostgreSQL says what is to be ended, so that a process that dies leaves it to the next one. Calls to
 * emergency numbers are not counted, and therefore never ended.
 */
export class EndBlockedCalls implements PeriodicTask {
  readonly name = 'end blocked calls';
  readonly everyMs = 2_000;
  readonly startsAtOnce = true;

  constructor(private readonly options: EndBlockedCallsOptions) {}

  /** @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { table, bus, clock, log } = this.options;
    const calls = await table.callsToEnd(BATCH);
    const requestId = newId();
    for (const call of calls) {
      if (isStopping()) return;
      await endCall(call, { bus, log, requestId });
    }
    const now = clock.now();
    if (calls.length === 0) await table.callsEnded(new Date(now.getTime() - SETTLED_MS), now);
  }
}
