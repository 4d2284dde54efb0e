import type { Calls } from '../../data/repositories/calls/calls.js';
import { unlessUnavailable } from '../../data/errors.js';
import { entriesAgainst } from '../../model/number/blocked-caller.js';
import type { Clock } from '../../ports/clock.js';
import type { ManageBlockedCallers } from './manage.js';

export interface BlockingByPhoneOptions {
  readonly calls: Pick<Calls, 'lastCallerOf'>;
  readonly blockedCallers: Pick<ManageBlockedCallers, 'add' | 'removeEntry'>;
  readonly clock: Clock;
}

/** Whose list an agent changes by a code. */
export type BlockedFor = 'project' | 'agent';

/** Older callers are not the last one that the agent remembers. */
const WITHIN_MS = 24 * 3_600_000;
const ANONYMOUS = { kind: 'withheld', number: null } as const;

/** Blocks callers as agents say by their softphones. */
export class BlockingByPhone {
  constructor(private readonly options: BlockingByPhoneOptions) {}

  /**
   * Blocks the last caller that the agent talked to. The note of the entry names the agent.
   * @returns `no_caller` if the agent took no call from outside within a day, or if the caller showed no number, or that
   * of an emergency centre; `failed` while the database is unavailable
   * @throws HatifError BLOCKED_CALLER_LIMIT_EXCEEDED
   */
  async blockLast(projectId: string, agent: string, whose: BlockedFor): Promise<'blocked' | 'no_caller' | 'failed'> {
    return unlessUnavailable(this.#blockLast(projectId, agent, whose), () => 'failed' as const);
  }

  /**
   * Rejects callers who show no number, or takes them again, for the agent alone.
   * @returns false while the database is unavailable
   * @throws HatifError BLOCKED_CALLER_LIMIT_EXCEEDED
   */
  async rejectAnonymous(projectId: string, agent: string, isOn: boolean): Promise<boolean> {
    const owner = { projectId, sandbox: false, agent };
    const { blockedCallers } = this.options;
    const changed = isOn
      ? blockedCallers.add(owner, ANONYMOUS, noteOf(agent))
      : blockedCallers.removeEntry(owner, ANONYMOUS);
    return unlessUnavailable(
      changed.then(() => true),
      () => false,
    );
  }

  async #blockLast(projectId: string, agent: string, whose: BlockedFor): Promise<'blocked' | 'no_caller'> {
    const { calls, blockedCallers, clock } = this.options;
    const since = new Date(clock.now().getTime() - WITHIN_MS);
    const caller = await calls.lastCallerOf(projectId, agent, since);
    const [entry] = caller === null ? [] : entriesAgainst(caller);
    // Without a number, the caller cannot be distinguished from others.
    if (entry?.kind !== 'exact') return 'no_caller';
    const owner = { projectId, sandbox: false, agent: whose === 'agent' ? agent : null };
    await blockedCallers.add(owner, entry, noteOf(agent));
    return 'blocked';
  }
}

function noteOf(agent: string): string {
  return `feature code, agent ${agent}`;
}
