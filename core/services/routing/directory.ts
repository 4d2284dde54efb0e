import { LRUCache } from 'lru-cache';
import { DatabaseUnavailable } from '../../data/errors.js';
import type { Agents } from '../../data/repositories/accounts/agents.js';
import type { Callflows } from '../../data/repositories/calls/callflows.js';
import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { Projects } from '../../data/repositories/accounts/projects.js';
import type { Queues } from '../../data/repositories/queues/queues.js';
import type { Registrations, SoftphonePlace } from '../../data/repositories/engines/registrations.js';
import type { Trunks } from '../../data/repositories/engines/trunks.js';
import type { VirtualNumbers } from '../../data/repositories/numbers/virtual-numbers.js';
import type {
  AgentRow,
  CallflowRow,
  NumberRow,
  ProjectRow,
  QueueRow,
  TrunkRow,
  VirtualNumberRow,
} from '../../data/rows.js';

/** A look-up is believed for this long, unless a change is announced before. */
const BELIEVED_MS = 2_000;
/** While the database is away, what was last seen is better than no call at all. */
const BELIEVED_IN_NEED_MS = 600_000;
const MOST_ENTRIES = 50_000;

/**
 * Numbers, agents and trunks as calls are routed by them. Look-ups are kept for a moment: a busy line's calls ask for the same row
 * hundreds of times a second. While the database is away they are believed for longer.
 */
export class CachedDirectory {
  // Objects, because a cache cannot hold null.
  readonly #known = new LRUCache<string, { readonly row: unknown; readonly seenMs: number }>({
    max: MOST_ENTRIES,
    ttl: BELIEVED_IN_NEED_MS,
  });

  #changedMs = -Infinity;

  constructor(
    private readonly numbers: Numbers,
    private readonly agents: Agents,
    private readonly trunks: Trunks,
    private readonly projects: Projects,
    private readonly registrations: Registrations,
    private readonly queues: Pick<Queues, 'findByDialCode' | 'getIncludingRemoved'>,
    private readonly virtualNumbers: Pick<VirtualNumbers, 'assigned'>,
    private readonly callflows: Pick<Callflows, 'findActive'>,
  ) {}

  /** Something was changed: look everything up anew. What was seen before is still there to be believed in need. */
  forget(): void {
    this.#changedMs = performance.now();
  }

  numberByE164(e164: string): Promise<NumberRow | null> {
    return this.#once(`number ${e164}`, () => this.numbers.findByE164(e164));
  }

  numberOfAgent(projectId: string, agent: string): Promise<NumberRow | null> {
    return this.#once(`number of ${projectId} ${agent}`, () => this.numbers.findByAgent(projectId, agent));
  }

  /** Null where nobody has it any more. */
  virtualNumber(id: string): Promise<VirtualNumberRow | null> {
    return this.#once(`virtual number ${id}`, () => this.virtualNumbers.assigned(id));
  }

  agentByAor(aor: string): Promise<AgentRow | null> {
    return this.#once(`aor ${aor}`, () => this.agents.findByAor(aor));
  }

  agentByExtension(projectId: string, agent: string): Promise<AgentRow | null> {
    return this.#once(`agent ${projectId} ${agent}`, () => this.agents.findByExtension(projectId, agent));
  }

  project(projectId: string): Promise<ProjectRow | null> {
    return this.#once(`project ${projectId}`, () => this.projects.get(projectId));
  }

  queueByDialCode(projectId: string, dialCode: string): Promise<QueueRow | null> {
    return this.#once(`queue of ${projectId} ${dialCode}`, () => this.queues.findByDialCode(projectId, dialCode));
  }

  activeFlow(callflowId: string): Promise<Pick<CallflowRow, 'id' | 'project_id' | 'version'> | null> {
    return this.#once(`callflow ${callflowId}`, () => this.callflows.findActive(null, callflowId));
  }

  /** Also one that was removed. */
  queue(queueId: string): Promise<QueueRow | null> {
    return this.#once(`queue ${queueId}`, () => this.queues.getIncludingRemoved(queueId));
  }

  /** Where the softphone is registered. */
  placesOf(aor: string): Promise<readonly SoftphonePlace[]> {
    return this.#once(`places of ${aor}`, () => this.registrations.placesOf(aor));
  }

  defaultTrunk(): Promise<TrunkRow | null> {
    return this.#once('default trunk', () => this.trunks.findDefault());
  }

  async #once<T>(key: string, lookUp: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key);
    const now = performance.now();
    if (known && known.seenMs > this.#changedMs && now - known.seenMs < BELIEVED_MS) return known.row as T;
    try {
      const row = await lookUp();
      // As of its beginning: what was changed meanwhile may not be in it.
      this.#known.set(key, { row, seenMs: now });
      return row;
    } catch (error) {
      if (known && error instanceof DatabaseUnavailable) return known.row as T;
      throw error;
    }
  }
}
