import type { Agents } from '../../data/repositories/accounts/agents.js';
import type { QueueVisits } from '../../data/repositories/queues/queue-visits.js';
import type { Queues } from '../../data/repositories/queues/queues.js';
import type { AgentRow, QueueRow } from '../../data/rows.js';
import { invalidField } from '../../model/errors/index.js';
import type { Dispatcher } from '../../model/queue/dispatcher.js';
import type { QueueEvent } from '../../model/queue/types.js';
import { arabic } from '../../model/wording/wording.js';
import type { QueueCoordinator } from './coordinator.js';
import { agentFacts, queueFacts, type AgentFacts } from './facts.js';
import { onQueues } from './failures.js';

export interface SignInOptions {
  readonly coordinator: QueueCoordinator;
  readonly agents: Pick<Agents, 'findByExtension'>;
  readonly queues: Pick<Queues, 'get' | 'findByName' | 'findByDialCode'>;
  readonly visits: Pick<QueueVisits, 'liveLegs' | 'registered'>;
}

export type MemberStatus = 'logged_in' | 'logged_out' | 'paused';

/** An agent's status after a request; `queue` is null if the request concerned all queues. */
export interface QueueAgentResult {
  readonly agent: string;
  readonly queue: string | null;
  readonly status: MemberStatus;
  /** The reason of the agent's pause; null if none was given, or if the agent is not paused. */
  readonly reason: string | null;
}

const PHRASES = {
  logged_in: { en: 'the login', ar: 'تسجيل الدخول' },
  logged_out: { en: 'the logout', ar: 'تسجيل الخروج' },
  paused: { en: 'the pause', ar: 'إيقاف استقبال المكالمات مؤقتًا' },
  unpaused: { en: 'the end of the pause', ar: 'العودة إلى استقبال المكالمات' },
} as const;

/** Signs agents in to and out of queues, and pauses them. A repeat changes nothing. */
export class SignIn {
  constructor(private readonly options: SignInOptions) {}

  /** @param queue name or id. @throws HatifError VALIDATION_ERROR, QUEUE_SERVICE_UNAVAILABLE, QUEUE_CONTROL_FAILED */
  async login(projectId: string, agent: string, queue: string): Promise<QueueAgentResult> {
    return onQueues(PHRASES.logged_in, async () =>
      this.#member(projectId, agent, 'logged_in', await this.#queue(projectId, queue)),
    );
  }

  /** As {@link login}. */
  async logout(projectId: string, agent: string, queue: string): Promise<QueueAgentResult> {
    return onQueues(PHRASES.logged_out, async () =>
      this.#member(projectId, agent, 'logged_out', await this.#queue(projectId, queue)),
    );
  }

  /** Signs in or out by a dialled code. @returns null if no queue has this code */
  async byDialCode(
    projectId: string,
    agent: string,
    dialCode: string,
    to: 'logged_in' | 'logged_out',
  ): Promise<QueueAgentResult | null> {
    return onQueues(PHRASES[to], async () => {
      const queue = await this.options.queues.findByDialCode(projectId, dialCode);
      return queue && this.#member(projectId, agent, to, queue);
    });
  }

  /** @throws HatifError VALIDATION_ERROR, QUEUE_SERVICE_UNAVAILABLE, QUEUE_CONTROL_FAILED */
  pause(projectId: string, agent: string, reason: string | null): Promise<QueueAgentResult> {
    return onQueues(PHRASES.paused, () => this.#set(projectId, agent, { type: 'paused', agent, reason }));
  }

  /** As {@link pause}. */
  unpause(projectId: string, agent: string): Promise<QueueAgentResult> {
    return onQueues(PHRASES.unpaused, () => this.#set(projectId, agent, { type: 'unpaused', agent }));
  }

  /** Ends the agent's pause, or starts one. */
  async togglePause(projectId: string, agent: string): Promise<QueueAgentResult> {
    const dispatcher = await onQueues(PHRASES.paused, () => this.options.coordinator.view(projectId));
    return dispatcher.agent(agent)?.paused ? this.unpause(projectId, agent) : this.pause(projectId, agent, null);
  }

  async #member(
    projectId: string,
    agent: string,
    type: 'logged_in' | 'logged_out',
    queue: QueueRow,
  ): Promise<QueueAgentResult> {
    const facts = await this.#facts(projectId, agent);
    await this.options.coordinator.notify(projectId, (dispatcher) => [
      ...queueFacts(dispatcher, queue),
      ...agentFacts(dispatcher, facts),
      ...(isIn(dispatcher, agent, queue.id) === (type === 'logged_in') ? [] : [{ type, agent, queueId: queue.id }]),
    ]);
    return { agent, queue: queue.name, status: type, reason: null };
  }

  async #set(
    projectId: string,
    agent: string,
    event: Extract<QueueEvent, { type: 'paused' | 'unpaused' }>,
  ): Promise<QueueAgentResult> {
    const facts = await this.#facts(projectId, agent);
    const updated = await this.options.coordinator.notify(projectId, (dispatcher) => {
      const isPaused = (dispatcher.agent(agent)?.paused ?? null) !== null;
      return [...agentFacts(dispatcher, facts), ...(isPaused === (event.type === 'paused') ? [] : [event])];
    });
    const entry = updated.agent(agent);
    const status = entry?.paused ? 'paused' : statusOf(entry);
    return { agent, queue: null, status, reason: entry?.paused?.reason ?? null };
  }

  async #facts(projectId: string, agent: string): Promise<AgentFacts> {
    const row = await this.options.agents.findByExtension(projectId, agent);
    if (!row) throw unknown('agent', agent);
    return { ...(await this.#live(row)), endedLegIds: new Set<string>() };
  }

  async #live({ agent, aor, priority, skills, forwarding }: AgentRow) {
    const { visits } = this.options;
    const [legs, registered] = await Promise.all([visits.liveLegs([aor]), visits.registered([aor])]);
    return {
      ...{ agent, priority, skills, registered: registered.has(aor) },
      doNotDisturb: forwarding.do_not_disturb,
      liveLegIds: legs.map(({ id }) => id),
    };
  }

  async #queue(projectId: string, queue: string): Promise<QueueRow> {
    const { queues } = this.options;
    const found = (await queues.get(projectId, queue)) ?? (await queues.findByName(projectId, queue));
    if (!found) throw unknown('queue', queue);
    return found;
  }
}

function isIn(dispatcher: Dispatcher, agent: string, queueId: string): boolean {
  return dispatcher.agent(agent)?.memberships.some((known) => known.queueId === queueId && known.isIn) ?? false;
}

function statusOf(entry: ReturnType<Dispatcher['agent']>): MemberStatus {
  return entry?.memberships.some(({ isIn }) => isIn) ? 'logged_in' : 'logged_out';
}

function unknown(field: 'agent' | 'queue', name: string): Error {
  return invalidField(
    field,
    field === 'agent'
      ? { en: `there is no agent ${name}`, ar: arabic`لا يوجد موظف بالتحويلة ${name}` }
      : { en: `there is no queue ${name}`, ar: arabic`لا توجد قائمة انتظار بالاسم ${name}` },
  );
}
