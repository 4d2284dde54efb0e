import { CHOOSE } from './strategies.js';
import { newAgent } from './entries.js';
import { canServe } from './requirement.js';
import { isEmpty, NO_SKILLS, type Skills } from './skills.js';
import { QueueState } from './state.js';
import type {
  AgentEntry,
  CallerEntry,
  Decision,
  Membership,
  OverflowReason,
  Reservation,
  StampedEvent,
  VisitOutcome,
} from './types.js';

/** An offer expires this long after its phone should have stopped ringing if no event reports its outcome. */
const OFFER_GRACE_MS = 15_000;
/** The longest call; a talk cannot last longer. */
const TALK_LEASE_MS = 14_400_000;
/** Weight of the newest talk in the average. */
const NEWEST_WEIGHT = 0.2;

/**
 * Decides which agent is rung for which caller. Decisions depend only on the events: the same log
 * gives the same decisions in any process at any time. Callers are served in order of arrival, each
 * by the agents of its queue who have the required skills; an agent is offered one caller at a time.
 */
export class Dispatcher extends QueueState {
  #decisions: Decision[] = [];
  /** No caller's wait is over before; the next look at all callers finds the exact time. */
  #noneDueBefore = -Infinity;

  /**
   * @returns the decisions that follow from the event, in order. A late or repeated event changes
   * nothing.
   */
  apply(event: StampedEvent): readonly Decision[] {
    this.applied += 1;
    this.now = Math.max(this.now, event.at);
    this.#decisions = [];
    this.#expire();
    this.#applyEvent(event);
    this.#dispatch();
    return this.#decisions;
  }

  #applyEvent(event: StampedEvent): void {
    switch (event.type) {
      case 'queue_put': {
        const known = this.queuesById.get(event.queue.id);
        if (known) known.rules = event.queue;
        else this.queuesById.set(event.queue.id, { rules: event.queue, lastAgent: null, averageTalkMs: null });
        break;
      }
      case 'queue_removed':
        this.#removeQueue(event.queueId);
        break;
      case 'agent_put':
        this.#putAgent(event.agent, event.priority, event.skills);
        break;
      case 'agent_removed':
        this.#removeAgent(event.agent);
        break;
      case 'entered':
        this.#enter(event.callId, event.queueId, event.requiredSkills);
        break;
      case 'refused':
        this.#refuse(event.callId, event.agent);
        break;
      case 'answered':
        this.#answer(event.callId, event.agent, event.legId);
        break;
      case 'left':
        this.#leave(event.callId, 'abandoned');
        break;
      case 'tick':
        break;
      default: {
        const agent = this.agentsByName.get(event.agent);
        if (agent) this.#applyAgentEvent(agent, event);
      }
    }
  }

  #applyAgentEvent(
    agent: AgentEntry,
    event: Extract<
      StampedEvent,
      {
        type:
          | 'logged_in'
          | 'logged_out'
          | 'paused'
          | 'unpaused'
          | 'registration'
          | 'do_not_disturb'
          | 'leg_began'
          | 'leg_ended';
      }
    >,
  ): void {
    switch (event.type) {
      case 'logged_in':
        this.#logIn(agent, event.queueId);
        break;
      case 'logged_out':
        this.#logOut(agent, event.queueId);
        break;
      case 'paused':
        if (!agent.paused) this.#pause(agent, event.reason);
        break;
      case 'unpaused':
        if (agent.paused) this.#unpause(agent, agent.paused);
        break;
      case 'registration':
        agent.registered = event.registered;
        break;
      case 'do_not_disturb':
        agent.doNotDisturb = event.on;
        break;
      case 'leg_began':
        if (!agent.legIds.includes(event.legId)) agent.legIds.push(event.legId);
        break;
      case 'leg_ended':
        agent.legIds = agent.legIds.filter((legId) => legId !== event.legId);
        if (agent.reservation?.legId === event.legId) this.#finish(agent, agent.reservation);
    }
    this.settle(agent);
  }

  #pause(agent: AgentEntry, reason: string | null): void {
    agent.paused = { reason, since: this.now };
    this.#decide({ type: 'agent_paused', agent: agent.agent, reason });
  }

  #unpause(agent: AgentEntry, { reason, since }: NonNullable<AgentEntry['paused']>): void {
    if (agent.state === 'idle') agent.idleSince = this.now;
    agent.paused = null;
    this.#decide({ type: 'agent_unpaused', agent: agent.agent, reason, pausedMs: this.now - since });
  }

  #putAgent(name: string, priority: number, skills = NO_SKILLS): void {
    const known = this.agentsByName.get(name);
    if (known) {
      known.priority = priority;
      known.skills = skills;
      return;
    }
    this.agentsByName.set(name, newAgent(name, priority, skills, this.now));
  }

  #removeAgent(name: string): void {
    const agent = this.agentsByName.get(name);
    if (!agent) return;
    for (const { queueId, isIn } of agent.memberships) if (isIn) this.#logOut(agent, queueId);
    this.#withdraw(agent);
    this.agentsByName.delete(name);
    this.free.delete(agent);
  }

  #logIn(agent: AgentEntry, queueId: string): void {
    if (!this.queuesById.has(queueId)) return;
    const known = agent.memberships.find((membership) => membership.queueId === queueId);
    if (known?.isIn) return;
    if (!agent.memberships.some(({ isIn }) => isIn)) agent.idleSince = this.now;
    const membership: Membership = { queueId, isIn: true, since: this.now, calls: 0, talkMs: 0 };
    agent.memberships = [...agent.memberships.filter((other) => other !== known), membership];
    this.#decide({ type: 'agent_logged_in', agent: agent.agent, queueId });
  }

  #logOut(agent: AgentEntry, queueId: string): void {
    const membership = agent.memberships.find((known) => known.queueId === queueId);
    if (!membership?.isIn) return;
    membership.isIn = false;
    membership.since = this.now;
    if (agent.reservation?.queueId === queueId) this.#withdraw(agent);
    this.#decide({ type: 'agent_logged_out', agent: agent.agent, queueId });
  }

  #enter(callId: string, queueId: string, requiredSkills: Skills = NO_SKILLS): void {
    const queue = this.queuesById.get(queueId);
    if (this.callersByCall.has(callId)) return;
    const visit = this.applied;
    const length = this.waiting(queueId).length;
    const dueAt = this.now + (queue?.rules.maxWaitSeconds ?? 0) * 1000;
    const required = isEmpty(requiredSkills) ? {} : { requiredSkills };
    const caller: CallerEntry = { callId, queueId, visit, enteredAt: this.now, dueAt, ...required, agents: [] };
    this.callersByCall.set(callId, caller);
    this.#noneDueBefore = Math.min(this.#noneDueBefore, dueAt);
    this.#decide({ type: 'entered', callId, queueId, visit });
    if (!queue) this.#overflow(caller, 'queue_removed');
    else if (length >= queue.rules.maxLength) this.#overflow(caller, 'full');
  }

  #refuse(callId: string, name: string): void {
    const agent = this.agentsByName.get(name);
    if (!agent) return;
    const { reservation } = agent;
    if (reservation?.legId !== null || reservation.callId !== callId) return;
    this.#failOffer(agent, reservation);
  }

  /**
   * Ends a failed offer. A caller whose agents are rung one after another can be offered to the
   * next one; this agent is not rung for a while.
   */
  #failOffer(agent: AgentEntry, reservation: Reservation): void {
    const { callId, queueId, visit } = reservation;
    const seconds = this.queuesById.get(queueId)?.rules.unavailableSeconds ?? 0;
    if (seconds > 0) agent.unavailableUntil = this.now + seconds * 1000;
    this.#release(agent, reservation);
    this.#decide({ type: 'refused', callId, queueId, agent: agent.agent, visit });
    this.settle(agent);
  }

  #answer(callId: string, name: string, legId: string): void {
    const caller = this.callersByCall.get(callId);
    const agent = this.agentsByName.get(name);
    // An answer counts even if the offer expired in the meantime: the two are talking.
    if (!caller) return;
    const { queueId, visit } = caller;
    if (agent?.reservation?.callId === callId || agent?.reservation === null) {
      agent.reservation = { callId, queueId, visit, legId, since: this.now, until: this.now + TALK_LEASE_MS };
      const membership = agent.memberships.find((known) => known.queueId === queueId);
      if (membership) membership.calls += 1;
      this.settle(agent);
    }
    this.#endWait(caller, 'answered', name);
  }

  #leave(callId: string, outcome: VisitOutcome): void {
    const caller = this.callersByCall.get(callId);
    if (caller) this.#endWait(caller, outcome, null);
  }

  #overflow(caller: CallerEntry, reason: OverflowReason): void {
    this.#endWait(caller, reason, null);
    this.#decide({ type: 'overflow', callId: caller.callId, queueId: caller.queueId, reason });
  }

  #endWait(caller: CallerEntry, outcome: VisitOutcome, by: string | null): void {
    const { callId, queueId, visit, enteredAt } = caller;
    this.callersByCall.delete(callId);
    for (const name of caller.agents) {
      const agent = this.agentsByName.get(name);
      if (agent && name !== by) this.#withdraw(agent);
    }
    const waitedMs = this.now - enteredAt;
    this.#decide({ type: 'ended_wait', callId, queueId, visit, outcome, agent: by, waitedMs });
  }

  #finish(agent: AgentEntry, { callId, queueId, visit, since }: Reservation): void {
    const queue = this.queuesById.get(queueId);
    const membership = agent.memberships.find((known) => known.queueId === queueId);
    const talkMs = this.now - since;
    if (membership) membership.talkMs += talkMs;
    if (queue) {
      const before = queue.averageTalkMs ?? talkMs;
      queue.averageTalkMs = Math.round(before + (talkMs - before) * NEWEST_WEIGHT);
      if (queue.rules.wrapUpSeconds > 0) agent.wrapUpUntil = this.now + queue.rules.wrapUpSeconds * 1000;
    }
    agent.reservation = null;
    this.#decide({ type: 'finished', callId, queueId, agent: agent.agent, visit, talkMs });
  }

  #removeQueue(queueId: string): void {
    if (!this.queuesById.delete(queueId)) return;
    for (const caller of this.waiting(queueId)) this.#overflow(caller, 'queue_removed');
    for (const agent of this.agentsByName.values()) {
      this.#logOut(agent, queueId);
      agent.memberships = agent.memberships.filter((membership) => membership.queueId !== queueId);
      this.settle(agent);
    }
  }

  /** Stops ringing the agent's phone, without a penalty for the agent. A talk is left alone. */
  #withdraw(agent: AgentEntry): void {
    const { reservation } = agent;
    if (reservation?.legId !== null) return;
    this.#release(agent, reservation);
    this.#decide({ type: 'withdraw', callId: reservation.callId, agent: agent.agent });
    this.settle(agent);
  }

  #release(agent: AgentEntry, { callId }: Reservation): void {
    agent.reservation = null;
    const caller = this.callersByCall.get(callId);
    if (caller) caller.agents = caller.agents.filter((name) => name !== agent.agent);
  }

  /** Ends everything that has expired by now. */
  #expire(): void {
    const now = this.now;
    for (const agent of this.agentsByName.values()) {
      const { reservation, unavailableUntil, wrapUpUntil } = agent;
      if (unavailableUntil !== null && unavailableUntil <= now) agent.unavailableUntil = null;
      if (wrapUpUntil !== null && wrapUpUntil <= now) agent.wrapUpUntil = null;
      if (reservation && reservation.until <= now) {
        if (reservation.legId === null) {
          this.#failOffer(agent, reservation);
          this.#decide({ type: 'withdraw', callId: reservation.callId, agent: agent.agent });
        } else {
          this.#finish(agent, reservation);
        }
      }
      this.settle(agent);
    }
  }

  /** Offers callers to free agents, first come, first served. */
  #dispatch(): void {
    // The set of free agents only shrinks in this loop, so a queue found without candidates for these
    // skills stays so.
    const unstaffed = new Set<string>();
    const isNoneDue = this.now < this.#noneDueBefore;
    let noneDueBefore = Infinity;
    for (const caller of this.callersByCall.values()) {
      if (isNoneDue && this.free.size === 0) return;
      noneDueBefore = Math.min(noneDueBefore, caller.dueAt);
      const isRung = caller.agents.length > 0;
      if (!isRung && caller.dueAt <= this.now) {
        this.#overflow(caller, 'max_wait');
      } else if (this.free.size > 0 && caller.dueAt > this.now) {
        const { queueId } = caller;
        const required = this.requiredBy(caller);
        const what = isEmpty(required) ? queueId : `${queueId} ${JSON.stringify(required)}`;
        if (unstaffed.has(what)) continue;
        const candidates = [...this.free].filter((agent) => canServe(agent, queueId, required));
        if (candidates.length === 0) unstaffed.add(what);
        else this.#offer(caller, isRung, candidates);
      }
    }
    this.#noneDueBefore = noneDueBefore;
  }

  #offer(caller: CallerEntry, isRung: boolean, candidates: readonly AgentEntry[]): void {
    const { callId, queueId, visit } = caller;
    const queue = this.queuesById.get(queueId);
    if (!queue || (isRung && queue.rules.strategy !== 'ring_all')) return;
    const { strategy, ringTimeoutSeconds: ringSeconds } = queue.rules;
    const random = (): number => this.nextRandom();
    const until = this.now + ringSeconds * 1000 + OFFER_GRACE_MS;
    for (const agent of CHOOSE[strategy](candidates, { queueId, lastAgent: queue.lastAgent, random })) {
      queue.lastAgent = agent.agent;
      agent.reservation = { callId, queueId, visit, legId: null, since: this.now, until };
      caller.agents.push(agent.agent);
      this.settle(agent);
      this.#decide({ type: 'offer', callId, queueId, agent: agent.agent, ringSeconds });
    }
  }

  #decide(decision: Decision): void {
    this.#decisions.push(decision);
  }
}
