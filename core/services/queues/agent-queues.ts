import type { QueueRow } from '../../data/rows.js';
import type { Dispatcher } from '../../model/queue/dispatcher.js';
import type { AgentState } from '../../model/queue/types.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import type { AgentService } from '../agents/agents.js';
import type { QueueCoordinator } from './coordinator.js';
import { onQueues, READING } from './failures.js';
import type { QueueService } from './manage.js';
import { placeIn, presentPause, type PauseObject } from './read.js';
import type { MemberStatus } from './sign-in.js';

/** A queue of the project, and the agent’s status in it. */
export interface AgentQueueObject {
  readonly queue_id: string;
  readonly queue: string;
  readonly dial_code: string | null;
  readonly status: MemberStatus;
  /** When `status` began; null if the agent has never signed in to the queue. */
  readonly since: string | null;
  /** Since the last sign-in. */
  readonly calls_taken: number;
  /** The number of waiting callers; null if the agent has never signed in to the queue. */
  readonly waiting: number | null;
}

/** An agent's state, in all queues of the project. */
export interface AgentQueuesObject {
  readonly agent: string;
  /** Null if the agent has never signed in to a queue. */
  readonly state: AgentState | null;
  readonly pause: PauseObject | null;
  /** The end of the time after a call; null outside of `wrap_up`. */
  readonly wrap_up_until: string | null;
  /** By name. */
  readonly queues: readonly AgentQueueObject[];
  /** When this was read. */
  readonly at: string;
}

export interface AgentQueuesOptions {
  readonly coordinator: Pick<QueueCoordinator, 'view'>;
  readonly queues: Pick<QueueService, 'list'>;
  readonly agents: Pick<AgentService, 'get'>;
  readonly clock: Clock;
}

/** Reads the state of agents in the queues of their project. */
export class AgentQueues {
  constructor(private readonly options: AgentQueuesOptions) {}

  /** @throws HatifError NOT_FOUND, QUEUE_SERVICE_UNAVAILABLE */
  of(projectId: string, extension: string): Promise<AgentQueuesObject> {
    return onQueues(READING, async () => {
      const { agent } = await this.options.agents.get(projectId, extension);
      return (await this.ofAll(projectId))(agent);
    });
  }

  /** Reads the project once. @returns the state of an agent at this moment @throws DatabaseUnavailable */
  async ofAll(projectId: string): Promise<(agent: string) => AgentQueuesObject> {
    const { queues, coordinator, clock } = this.options;
    const rows = await queues.list(projectId);
    const dispatcher = await coordinator.view(projectId);
    const at = isoTime(clock.now());
    const waiting = new Map<string, number>();
    for (const { queueId } of dispatcher.waiting()) waiting.set(queueId, (waiting.get(queueId) ?? 0) + 1);
    return (agent) => ({ ...present(agent, dispatcher, rows, waiting), at });
  }
}

function present(
  agent: string,
  dispatcher: Dispatcher,
  rows: readonly QueueRow[],
  waiting: ReadonlyMap<string, number>,
): Omit<AgentQueuesObject, 'at'> {
  const entry = dispatcher.agent(agent);
  const memberships = new Map((entry?.memberships ?? []).map((membership) => [membership.queueId, membership]));
  const wrapUpUntil = entry?.state === 'wrap_up' ? entry.wrapUpUntil : null;
  return {
    agent,
    state: entry?.state ?? null,
    pause: entry?.paused ? presentPause(entry.paused) : null,
    wrap_up_until: wrapUpUntil === null ? null : isoTime(new Date(wrapUpUntil)),
    queues: rows.map(({ id, name, dial_code }) => {
      const membership = memberships.get(id);
      const place = entry && membership ? placeIn(membership, entry) : NEVER_IN;
      return {
        ...{ queue_id: id, queue: name, dial_code, ...place },
        waiting: membership ? (waiting.get(id) ?? 0) : null,
      };
    }),
  };
}

const NEVER_IN = { status: 'logged_out', since: null, calls_taken: 0 } as const;
