import type { Queryable } from '../../../data/database.js';
import type { ChatAttendances } from '../../../data/repositories/messaging/chat-attendance.js';
import type { OpenChat, Webchats } from '../../../data/repositories/messaging/webchats.js';
import type { Dispatcher } from '../../../model/queue/dispatcher.js';
import { canServe } from '../../../model/queue/requirement.js';
import { NO_SKILLS } from '../../../model/queue/skills.js';
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import type { PeriodicTask } from '../../runtime/periodic-task.js';
import type { ChatAssignment } from './assignment.js';

export interface RouteChatsOptions {
  readonly chats: Webchats;
  readonly attendances: Pick<ChatAttendances, 'away'>;
  readonly assignment: Pick<ChatAssignment, 'offer' | 'wait' | 'announce'>;
  /** The queues and agents of a project as they are now. */
  readonly queues: (projectId: string) => Promise<Pick<Dispatcher, 'agents' | 'queue'>>;
  /** How many chats an agent has at most, with those that are offered. */
  readonly chatsPerAgent: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly wake: (lanes: readonly string[]) => void;
}

const INTERVAL_MS = 1_000;
/** How long an agent has to accept a chat. */
export const OFFER_MS = 45_000;

/**
 * Offers waiting chats to the agents of their queues: to the one with the fewest chats who is signed in, not paused, and not
 * on a call. Who does not accept in time is asked again after all others. One process at a time does so for a project.
 */
export class RouteChats implements PeriodicTask {
  readonly name = 'chats for agents';
  readonly everyMs = INTERVAL_MS;
  readonly restFactor = 5;

  constructor(private readonly options: RouteChatsOptions) {}

  async run(): Promise<void> {
    const { chats, clock, log } = this.options;
    for (const projectId of await chats.projectsToServe(clock.now())) {
      await this.#serve(projectId).catch((err: unknown) => {
        log.warn({ err, projectId }, 'chats could not be offered; they are offered again');
      });
    }
  }

  async #serve(projectId: string): Promise<void> {
    const { chats, attendances, queues, assignment, clock, wake } = this.options;
    const dispatcher = await queues(projectId);
    const now = clock.now();
    const offered: string[] = [];
    const lanes = await chats.transaction(async (tx) => {
      await chats.lockDistribution(tx, projectId);
      const open = await chats.open(tx, projectId);
      const at = { dispatcher, load: loadOf(open), away: await attendances.away(tx, projectId, now) };
      const all: string[] = [];
      for (const chat of open) {
        const made = await this.#next(tx, chat, at);
        if (made === null) continue;
        offered.push(chat.id);
        all.push(...made);
      }
      return all;
    });
    wake(lanes);
    for (const id of offered) assignment.announce(id);
  }

  /** Offers one chat, if it waits. @returns null if nothing changed */
  async #next(tx: Queryable, chat: OpenChat, { dispatcher, load, away }: Agents): Promise<readonly string[] | null> {
    const { assignment, clock, chatsPerAgent } = this.options;
    const { queue_id: queueId, agent } = chat;
    const now = clock.now();
    const isOver = chat.status === 'offered' && chat.offered_until !== null && chat.offered_until <= now;
    if (queueId === null || (chat.status !== 'waiting' && !isOver)) return null;
    const declined = isOver && agent !== null ? [...chat.declined_by, agent] : chat.declined_by;
    if (isOver && agent !== null) load.set(agent, (load.get(agent) ?? 1) - 1);
    const free = freeAgents(dispatcher, queueId).filter((name) => (load.get(name) ?? 0) < chatsPerAgent);
    const unasked = free.filter((name) => !declined.includes(name));
    // Everybody was asked: the round begins again.
    const asked = unasked.length > 0 ? declined : [];
    const [next] = inOrder(unasked.length > 0 ? unasked : free, { load, away });
    if (next === undefined) return isOver ? assignment.wait(tx, chat, declined) : null;
    load.set(next, (load.get(next) ?? 0) + 1);
    return assignment.offer(tx, chat, next, { until: new Date(now.getTime() + OFFER_MS), declined: asked });
  }
}

/** Who can be asked. */
interface Agents {
  readonly dispatcher: Pick<Dispatcher, 'agents' | 'queue'>;
  /** How many chats agents have. */
  readonly load: Map<string, number>;
  /** Those who had a page for chats, and have none now. */
  readonly away: ReadonlySet<string>;
}

/** How many chats agents have. One that waits counts for nobody. */
function loadOf(open: readonly OpenChat[]): Map<string, number> {
  const load = new Map<string, number>();
  for (const { agent, status } of open) {
    if (agent !== null && status !== 'waiting') load.set(agent, (load.get(agent) ?? 0) + 1);
  }
  return load;
}

/** Agents of the queue who can take chats. They need no telephone for that. */
function freeAgents(dispatcher: Pick<Dispatcher, 'agents' | 'queue'>, queueId: string): readonly string[] {
  const required = dispatcher.queue(queueId)?.rules.requiredSkills ?? NO_SKILLS;
  return dispatcher.agents
    .filter((entry) => canServe(entry, queueId, required) && entry.paused === null)
    .filter(({ state }) => state === 'idle' || state === 'unavailable')
    .map(({ agent }) => agent);
}

/** Who has the fewest chats comes first, and who is away last. */
function inOrder(agents: readonly string[], { load, away }: Pick<Agents, 'load' | 'away'>): readonly string[] {
  const rank = (agent: string): number => (away.has(agent) ? 1_000_000 : 0) + (load.get(agent) ?? 0);
  return [...agents].sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}
