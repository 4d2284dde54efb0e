import type { QueueVisits } from '../../data/repositories/queues/queue-visits.js';
import type { QueueRow } from '../../data/rows.js';
import { maskNumber } from '../../model/access/masking.js';
import type { Skills } from '../../model/queue/skills.js';
import type { AgentEntry, AgentState, CallerEntry, Membership } from '../../model/queue/types.js';
import type { Dispatcher } from '../../model/queue/dispatcher.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import type { QueueCoordinator } from './coordinator.js';
import { onQueues, READING } from './failures.js';
import { figuresOf, type QueueFigures } from './figures.js';
import { unknownQueue, type QueueService } from './manage.js';
import type { MemberStatus } from './sign-in.js';

export interface MemberObject {
  readonly agent: string;
  readonly queue: string;
  readonly status: MemberStatus;
  readonly state: AgentState;
  /** The reason of the agent's pause; null if none was given, or if the agent is not paused. */
  readonly pause_reason: string | null;
  readonly registered: boolean;
  readonly since: string;
  readonly calls_taken: number;
}

/** An agent's pause, of all queues. */
export interface PauseObject {
  readonly reason: string | null;
  readonly since: string;
}

export interface WaitingObject {
  readonly call_id: string;
  readonly position: number;
  readonly status: 'waiting' | 'ringing';
  /** Agents who are being rung for the caller. */
  readonly agents: readonly string[];
  /** What an agent needs to be rung for the caller now. */
  readonly required_skills: Skills;
  readonly customer_number_masked: string;
  readonly entered_at: string;
  readonly waited_seconds: number;
}

export interface QueueStatsObject {
  readonly queue_id: string;
  readonly queue: string;
  readonly waiting: number;
  readonly longest_wait: number;
  readonly agents: Readonly<Record<AgentState | 'paused', number>>;
  /** The paused agents of `agents`, by the reason of their pause. */
  readonly pauses: QueueFigures['pauses'];
  readonly period: { readonly from: string | null; readonly to: string | null } | null;
  readonly offered: number;
  readonly answered: number;
  readonly abandoned: number;
  readonly overflowed: number;
  readonly service_level: number | null;
  readonly average_wait: number | null;
  readonly average_talk: number | null;
}

/** Whose queues are read. */
export interface QueueScope {
  readonly projectId: string;
  /** Only the queues that this agent is or was logged in to; absent or null: every queue. */
  readonly agent?: string | null;
}

/** Both ends are inclusive; null is open. */
interface Period {
  readonly from: Date | null;
  readonly to: Date | null;
}

export interface ReadQueuesOptions {
  readonly coordinator: Pick<QueueCoordinator, 'view'>;
  readonly queues: Pick<QueueService, 'list' | 'get'>;
  readonly visits: QueueVisits;
  readonly clock: Clock;
}

/** Reads queues' current state and their statistics. */
export class ReadQueues {
  constructor(private readonly options: ReadQueuesOptions) {}

  /** Sorted by name. */
  list(projectId: string): Promise<QueueRow[]> {
    return this.options.queues.list(projectId);
  }

  /** Returns the pauses of the project's agents, by extension. @throws HatifError QUEUE_SERVICE_UNAVAILABLE */
  pauses(projectId: string): Promise<ReadonlyMap<string, PauseObject>> {
    return onQueues(READING, async () => {
      const { agents } = await this.options.coordinator.view(projectId);
      return new Map(agents.flatMap(({ agent, paused }) => (paused ? [[agent, presentPause(paused)]] : [])));
    });
  }

  /** Returns the queues that the agent is or was logged in to, by name. @throws HatifError QUEUE_SERVICE_UNAVAILABLE */
  queuesOf(projectId: string, agent: string): Promise<QueueRow[]> {
    return onQueues(READING, async () => {
      const dispatcher = await this.options.coordinator.view(projectId);
      const entry = dispatcher.agents.find((each) => each.agent === agent);
      const own = new Set(entry?.memberships.map(({ queueId }) => queueId));
      return (await this.options.queues.list(projectId)).filter(({ id }) => own.has(id));
    });
  }

  /** @throws HatifError NOT_FOUND, also outside the scope; with an agent, QUEUE_SERVICE_UNAVAILABLE */
  async get({ projectId, agent = null }: QueueScope, id: string): Promise<QueueRow> {
    if (agent === null) return this.options.queues.get(projectId, id);
    const found = (await this.queuesOf(projectId, agent)).find((queue) => queue.id === id);
    if (found === undefined) throw unknownQueue(id);
    return found;
  }

  /** Returns agents who are or were logged in. @param queue name or id; an unknown one has no members */
  members(projectId: string, queue: string | undefined): Promise<MemberObject[]> {
    return onQueues(READING, () => this.#members(projectId, queue));
  }

  async #members(projectId: string, queue: string | undefined): Promise<MemberObject[]> {
    const { queues } = this.options;
    const all = await queues.list(projectId);
    const shown =
      queue === undefined ? all : all.filter(({ id, name }) => id === queue.toLowerCase() || name === queue);
    const dispatcher = await this.options.coordinator.view(projectId);
    return shown.flatMap((row) => membersOf(dispatcher, row));
  }

  /** Returns waiting callers in order. @throws HatifError NOT_FOUND, QUEUE_SERVICE_UNAVAILABLE */
  waiting(scope: QueueScope, queueId: string): Promise<WaitingObject[]> {
    return onQueues(READING, () => this.#waiting(scope, queueId));
  }

  async #waiting(scope: QueueScope, queueId: string): Promise<WaitingObject[]> {
    const { coordinator, visits } = this.options;
    await this.get(scope, queueId);
    const dispatcher = await coordinator.view(scope.projectId);
    const waiting = dispatcher.waiting(queueId);
    const customers = await visits.customers(waiting.map(({ callId }) => callId));
    return waiting.map((caller, index) => ({
      call_id: caller.callId,
      position: index + 1,
      status: caller.agents.length > 0 ? 'ringing' : 'waiting',
      agents: caller.agents,
      required_skills: dispatcher.requiredBy(caller),
      customer_number_masked: maskNumber(customers.get(caller.callId) ?? ''),
      entered_at: isoTime(new Date(caller.enteredAt)),
      waited_seconds: this.#waited(caller),
    }));
  }

  /** @throws HatifError NOT_FOUND, QUEUE_SERVICE_UNAVAILABLE */
  stats(scope: QueueScope, queueId: string, period: Period): Promise<QueueStatsObject> {
    return onQueues(READING, () => this.#stats(scope, queueId, period));
  }

  async #stats(scope: QueueScope, queueId: string, period: Period): Promise<QueueStatsObject> {
    const { coordinator, visits } = this.options;
    const row = await this.get(scope, queueId);
    const dispatcher = await coordinator.view(scope.projectId);
    const now = figuresOf(dispatcher, queueId, this.options.clock.now());
    const of = await visits.stats(queueId, row.service_level_seconds, period);
    const isAllTime = period.from === null && period.to === null;
    return {
      queue_id: row.id,
      queue: row.name,
      waiting: now.waiting,
      longest_wait: Math.round(now.longestWaitMs / 1000),
      agents: now.agents,
      pauses: now.pauses,
      period: isAllTime ? null : { from: isoTime(period.from), to: isoTime(period.to) },
      offered: of.offered,
      answered: of.answered,
      abandoned: of.abandoned,
      overflowed: of.overflowed,
      service_level: of.offered === 0 ? null : Math.round((of.in_time * 1000) / of.offered) / 10,
      average_wait: seconds(of.average_wait_ms),
      average_talk: seconds(of.average_talk_ms),
    };
  }

  #waited({ enteredAt }: CallerEntry): number {
    return Math.max(0, Math.round((this.options.clock.now().getTime() - enteredAt) / 1000));
  }
}

function membersOf(dispatcher: Dispatcher, { id, name }: QueueRow): MemberObject[] {
  return dispatcher.agents.flatMap((entry) => {
    const membership = entry.memberships.find(({ queueId }) => queueId === id);
    if (!membership) return [];
    const place = placeIn(membership, entry);
    return [
      {
        agent: entry.agent,
        queue: name,
        ...place,
        state: entry.state,
        pause_reason: place.status === 'paused' ? (entry.paused?.reason ?? null) : null,
        registered: entry.registered,
      },
    ];
  });
}

/** An agent’s status in a queue. */
export function placeIn(
  { isIn, since, calls }: Membership,
  { paused }: Pick<AgentEntry, 'paused'>,
): Pick<MemberObject, 'status' | 'since' | 'calls_taken'> {
  const status = !isIn ? 'logged_out' : paused ? 'paused' : 'logged_in';
  const begin = isIn && paused ? Math.max(paused.since, since) : since;
  return { status, since: isoTime(new Date(begin)), calls_taken: calls };
}

export function presentPause({ reason, since }: NonNullable<AgentEntry['paused']>): PauseObject {
  return { reason, since: isoTime(new Date(since)) };
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms / 100) / 10;
}
