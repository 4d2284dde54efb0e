import { pause, type Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { Waker } from '../runtime/waker.js';
import type { AgentQueues, AgentQueuesObject } from './agent-queues.js';
import type { QueueCoordinator } from './coordinator.js';

export interface FollowAgentQueuesOptions {
  readonly reading: Pick<AgentQueues, 'ofAll'>;
  readonly coordinator: Pick<QueueCoordinator, 'onChange'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Follower {
  readonly agent: string;
  /** What it got last, see {@link textOf}. */
  shown: string;
  /** What it has not taken yet. */
  next: AgentQueuesObject | null;
  readonly waker: Waker;
}

/** A project whose agents are followed in this process. */
interface Followed {
  readonly followers: Set<Follower>;
  /** Something has changed since the last look began. */
  isStale: boolean;
  wake: () => void;
}

/** Changes come in groups: the project is read once for all that happen in this time. */
const REST_MS = 200;
/** What reports no change is found at this interval: another process changed it, or a queue was renamed. */
const LOOK_EVERY_MS = 2_000;

/**
 * Reports the state of agents in their queues while it changes. A follower always gets the whole state, so the first
 * message of each connection is true. A project is read once for all its followers.
 */
export class FollowAgentQueues {
  readonly #projects = new Map<string, Followed>();

  constructor(private readonly options: FollowAgentQueuesOptions) {
    options.coordinator.onChange((projectId) => {
      const project = this.#projects.get(projectId);
      if (project) touch(project);
    });
  }

  /**
   * Yields `first`, and the state after each change since it was read, until `end` is aborted. Yields nothing while the
   * database is unavailable.
   */
  async *follow(projectId: string, first: AgentQueuesObject, end: AbortSignal): AsyncGenerator<AgentQueuesObject> {
    const follower: Follower = { agent: first.agent, shown: textOf(first), next: first, waker: new Waker(end) };
    const project = this.#join(projectId, follower);
    try {
      while (!end.aborted) {
        const { next } = follower;
        follower.next = null;
        if (next === null) await follower.waker.sleep();
        else yield next;
      }
    } finally {
      project.followers.delete(follower);
      project.wake();
    }
  }

  #join(projectId: string, follower: Follower): Followed {
    const known = this.#projects.get(projectId);
    const project: Followed = known ?? { followers: new Set(), isStale: false, wake: () => undefined };
    project.followers.add(follower);
    // Something may have changed since the follower's first state was read.
    touch(project);
    if (!known) {
      this.#projects.set(projectId, project);
      void this.#watch(projectId, project);
    }
    return project;
  }

  async #watch(projectId: string, project: Followed): Promise<void> {
    const { clock } = this.options;
    for (;;) {
      await pause(clock, REST_MS);
      await changeIn(project, clock);
      if (project.followers.size === 0) break;
      await this.#look(projectId, project);
    }
    this.#projects.delete(projectId);
  }

  async #look(projectId: string, project: Followed): Promise<void> {
    project.isStale = false;
    try {
      const stateOf = await this.options.reading.ofAll(projectId);
      for (const follower of project.followers) show(follower, stateOf(follower.agent));
    } catch (error) {
      this.options.logger.debug({ err: error, projectId }, 'failed to read the queues of agents; will retry');
    }
  }
}

function touch(project: Followed): void {
  project.isStale = true;
  project.wake();
}

/** Resolves when something has changed, after a while, and when nobody follows any more. */
function changeIn(project: Followed, clock: Clock): Promise<void> {
  if (project.isStale || project.followers.size === 0) return Promise.resolve();
  return pause(clock, LOOK_EVERY_MS, (end) => (project.wake = end));
}

function show(follower: Follower, state: AgentQueuesObject): void {
  const text = textOf(state);
  if (text === follower.shown) return;
  follower.shown = text;
  follower.next = state;
  follower.waker.wake();
}

/** All that makes a state another one. */
function textOf(state: AgentQueuesObject): string {
  return JSON.stringify({ ...state, at: null });
}
