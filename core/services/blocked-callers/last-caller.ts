import type { Calls } from '../../data/repositories/calls/calls.js';
import { unlessUnavailable } from '../../data/errors.js';
import { entriesAgainst } from '../../model/number/blocked-caller.js';
import type { Clock } from '../../ports/clock.js';
import type { ManageBlockedCallers } from './manage.js';

export interface BlockLastCallerOptions {
  readonly calls: Pick<Calls, 'lastCallerOf'>;
  readonly blockedCallers: Pick<ManageBlockedCallers, 'add'>;
  readonly clock: Clock;
}

/** Older callers are not the last one that the agent remembers. */
const WITHIN_MS = 24 * 3_600_000;

/** Blocks, for the whole project, the last caller that an agent talked to. */
export class BlockLastCaller {
  constructor(private readonly options: BlockLastCallerOptions) {}

  /**
   * The note of the entry names the agent.
   * @returns `no_caller` if the agent took no call from outside within a day, or if the caller showed no number, or that
   * of an emergency centre; `failed` while the database is unavailable
   * @throws HatifError BLOCKED_CALLER_LIMIT_EXCEEDED
   */
  async block(projectId: string, agent: string): Promise<'blocked' | 'no_caller' | 'failed'> {
    return unlessUnavailable(this.#block(projectId, agent), () => 'failed' as const);
  }

  async #block(projectId: string, agent: string): Promise<'blocked' | 'no_caller'> {
    const { calls, blockedCallers, clock } = this.options;
    const since = new Date(clock.now().getTime() - WITHIN_MS);
    const caller = await calls.lastCallerOf(projectId, agent, since);
    const [entry] = caller === null ? [] : entriesAgainst(caller);
    // One agent does not block every caller without a number.
    if (entry?.kind !== 'exact') return 'no_caller';
    await blockedCallers.add({ projectId, sandbox: false }, entry, `feature code, agent ${agent}`);
    return 'blocked';
  }
}
