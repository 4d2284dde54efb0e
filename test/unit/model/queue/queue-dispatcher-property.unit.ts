import { expect } from 'chai';
import fc from 'fast-check';
import { ActivityBatch } from '../../../../core/model/queue/activity.js';
import { Dispatcher } from '../../../../core/model/queue/dispatcher.js';
import type { Skills } from '../../../../core/model/queue/skills.js';
import {
  STRATEGIES,
  type AgentEntry,
  type Decision,
  type QueueEvent,
  type StampedEvent,
} from '../../../../core/model/queue/types.js';

const QUEUES = ['north', 'south'];
const AGENTS = ['a1', 'a2', 'a3', 'a4', 'a5'];
/** Longer than any lease. */
const FOREVER_MS = 100_000_000;

const queueId = fc.constantFrom(...QUEUES);
const agent = fc.constantFrom(...AGENTS);
/** Index into the callers waiting or agents ringing now; wraps around. */
const which = fc.nat(20);

type Step =
  | { readonly does: 'event'; readonly event: QueueEvent; readonly afterMs: number }
  | {
      readonly does: 'enter';
      readonly queueId: string;
      readonly requiredSkills: Skills;
      readonly afterMs: number;
    }
  | { readonly does: 'leave'; readonly which: number; readonly afterMs: number }
  | { readonly does: 'refuse' | 'answer' | 'hang_up'; readonly which: number; readonly afterMs: number }
  /** The process crashes: another one continues from the snapshot. */
  | { readonly does: 'crash'; readonly afterMs: number };

/** Half of them none. */
const skills: fc.Arbitrary<Skills> = fc.oneof(
  fc.constant({}),
  fc.dictionary(fc.constantFrom('arabic', 'billing'), fc.integer({ min: 1, max: 3 })),
);
const afterMs = fc.integer({ min: 0, max: 20_000 });
const event: fc.Arbitrary<QueueEvent> = fc.oneof(
  fc.record({ type: fc.constantFrom('logged_in' as const, 'logged_out' as const), agent, queueId }),
  fc.record({ type: fc.constant('registration' as const), agent, registered: fc.boolean() }),
  fc.record({ type: fc.constant('do_not_disturb' as const), agent, on: fc.boolean() }),
  fc.record({ type: fc.constant('paused' as const), agent, reason: fc.constant(null) }),
  fc.record({ type: fc.constant('unpaused' as const), agent }),
  fc.record({
    type: fc.constantFrom('leg_began' as const, 'leg_ended' as const),
    agent,
    legId: fc.constantFrom('x', 'y'),
  }),
  fc.record({ type: fc.constant('agent_put' as const), agent, priority: fc.integer({ min: 1, max: 9 }), skills }),
  fc.record({ type: fc.constant('agent_removed' as const), agent }),
  fc.constant({ type: 'tick' as const }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('event' as const), event, afterMs }) },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('enter' as const), queueId, requiredSkills: skills, afterMs }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('leave' as const), which, afterMs }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constantFrom('refuse' as const, 'answer' as const, 'hang_up' as const),
      which,
      afterMs,
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('crash' as const), afterMs }) },
);
const rules = fc.record({
  strategy: fc.constantFrom(...STRATEGIES),
  wrapUpSeconds: fc.nat(10),
  ringTimeoutSeconds: fc.integer({ min: 5, max: 30 }),
  maxWaitSeconds: fc.integer({ min: 10, max: 200 }),
  maxLength: fc.integer({ min: 1, max: 6 }),
  unavailableSeconds: fc.integer({ min: 1, max: 30 }),
  requiredSkills: skills,
  skillsTimeoutSeconds: fc.option(fc.integer({ min: 1, max: 60 })),
});

/** A simulated day in the queues, with its invariants. */
class Day {
  dispatcher = new Dispatcher();
  readonly log: { readonly event: StampedEvent; readonly decisions: readonly Decision[] }[] = [];
  now = 0;
  readonly entered = new Set<string>();
  readonly ended = new Map<string, string>();
  #calls = 0;
  /** What agents do according to the stored activities, as agent and kind. */
  readonly #open = new Set<string>();
  #batch = new ActivityBatch();

  apply(event: QueueEvent): void {
    const stamped = { ...event, at: this.now };
    const decisions = this.dispatcher.apply(stamped);
    this.log.push({ event: stamped, decisions: structuredClone(decisions) });
    for (const decision of decisions) {
      if (decision.type === 'entered') this.entered.add(decision.callId);
      if (decision.type !== 'ended_wait') continue;
      expect(this.ended.has(decision.callId), 'a caller leaves once').to.equal(false);
      this.ended.set(decision.callId, decision.outcome);
    }
    this.#check(decisions);
    this.#batch.add(stamped, decisions, this.dispatcher);
    // Several events may be written at once.
    if (this.log.length % 3 !== 0) this.#store();
  }

  /** Writes the activities as the database does, and compares them with the state. */
  #store(): void {
    const { began, ended } = this.#batch;
    this.#batch = new ActivityBatch();
    for (const { kind, agent: name } of ended) {
      const over = kind === null ? ['signed_in', 'paused', 'offer', 'talk'] : [kind];
      for (const one of over) this.#open.delete(`${name} ${one}`);
    }
    for (const { kind, agent: name, endedAt } of began) {
      if (endedAt !== null) continue;
      expect(this.#open.has(`${name} ${kind}`), `${name} does ${kind} once at a time`).to.equal(false);
      this.#open.add(`${name} ${kind}`);
    }
    const known = this.dispatcher.agents.flatMap(({ agent: name, paused, reservation, memberships }) => [
      ...(memberships.some(({ isIn }) => isIn) ? [`${name} signed_in`] : []),
      ...(paused ? [`${name} paused`] : []),
      ...(reservation ? [`${name} ${reservation.legId === null ? 'offer' : 'talk'}`] : []),
    ]);
    expect([...this.#open].sort()).to.deep.equal(known.sort());
  }

  do(step: Step): void {
    this.now += step.afterMs;
    switch (step.does) {
      case 'event': {
        this.apply(step.event);
        return;
      }
      case 'enter': {
        this.apply({
          type: 'entered',
          callId: String(++this.#calls),
          queueId: step.queueId,
          requiredSkills: step.requiredSkills,
        });
        return;
      }
      case 'leave': {
        const caller = pick(this.dispatcher.waiting(), step.which);
        caller && this.apply({ type: 'left', callId: caller.callId });
        return;
      }
      case 'crash':
        this.dispatcher = new Dispatcher(structuredClone(this.dispatcher.snapshot()));
        return;
      default: {
        this.#phone(step.does, step.which);
        return;
      }
    }
  }

  #phone(does: 'refuse' | 'answer' | 'hang_up', which: number): void {
    const rung = this.dispatcher.agents.filter(({ reservation }) => reservation?.legId === null);
    const talking = this.dispatcher.agents.filter(({ reservation }) => typeof reservation?.legId === 'string');
    const entry = pick(does === 'hang_up' ? talking : rung, which);
    if (!entry?.reservation) return;
    const { callId, legId } = entry.reservation;
    const { agent: name } = entry;
    if (legId !== null) {
      this.apply({ type: 'leg_ended', agent: name, legId });
      return;
    }
    if (does === 'refuse') {
      this.apply({ type: 'refused', callId, agent: name, reason: 'rejected' });
      return;
    }
    this.apply({ type: 'leg_began', agent: name, legId: `leg of ${callId}` });
    this.apply({ type: 'answered', callId, agent: name, legId: `leg of ${callId}` });
  }

  #check(decisions: readonly Decision[]): void {
    const { dispatcher } = this;
    const waiting = dispatcher.waiting();
    // No caller is lost, and no caller who left is still waiting.
    expect(new Set([...this.ended.keys(), ...waiting.map(({ callId }) => callId)])).to.deep.equal(this.entered);
    expect(waiting.filter(({ callId }) => this.ended.has(callId))).to.deep.equal([]);
    // No agent is rung for two callers: callers and agents agree.
    const rung = waiting.flatMap(({ callId, agents }) => agents.map((name) => `${name}←${callId}`));
    const reserved = dispatcher.agents.flatMap(({ agent: name, reservation }) =>
      reservation?.legId === null ? [`${name}←${reservation.callId}`] : [],
    );
    expect([...rung].sort()).to.deep.equal([...reserved].sort());
    const offers = decisions.filter((decision) => decision.type === 'offer');
    expect(new Set(offers.map((offer) => offer.agent)).size, 'one offer an agent').to.equal(offers.length);
    for (const { agent: name, queueId: queue } of offers) {
      const entry = dispatcher.agent(name)!;
      expect(entry.registered && entry.paused === null && entry.legIds.length === 0, `${name} could be rung`).to.equal(
        true,
      );
      expect(entry.memberships.some((membership) => membership.queueId === queue && membership.isIn)).to.equal(true);
    }
    const free = dispatcher.agents.filter((entry) => entry.state === 'idle' && entry.paused === null);
    for (const caller of waiting) {
      const idle = free.filter((entry) => dispatcher.canServe(entry, caller));
      const { strategy } = dispatcher.queue(caller.queueId)!.rules;
      // No caller waits while a suitable agent is free.
      const isOver = caller.dueAt <= this.now;
      if (!isOver && (caller.agents.length === 0 || strategy === 'ring_all')) expect(idle).to.deep.equal([]);
      if (isOver)
        expect(caller.agents, 'a caller past the maximum wait is being offered, or gone').not.to.deep.equal([]);
      if (strategy !== 'ring_all') expect(caller.agents.length).to.be.at.most(1);
    }
    for (const [index, offer] of offers.entries()) {
      const { strategy } = dispatcher.queue(offer.queueId)!.rules;
      // First come, first served.
      const older = waiting.slice(
        0,
        waiting.findIndex(({ callId }) => callId === offer.callId),
      );
      const chosen = dispatcher.agent(offer.agent)!;
      const rungFor = dispatcher.caller(offer.callId)!;
      expect(dispatcher.canServe(chosen, rungFor), 'the agent has the skills').to.equal(true);
      const passedOver = older.filter((caller) => caller.agents.length === 0 && dispatcher.canServe(chosen, caller));
      expect(passedOver, 'nobody is passed over').to.deep.equal([]);
      const later = offers.slice(index + 1).map(({ agent: name }) => dispatcher.agent(name)!);
      const others = [...free, ...later].filter((entry) => dispatcher.canServe(entry, rungFor));
      const measure = MEASURES[strategy];
      if (measure) {
        for (const other of others) {
          expect(measure(chosen, offer.queueId), strategy).to.be.at.most(measure(other, offer.queueId));
        }
      }
    }
  }
}

const of = (entry: AgentEntry, queue: string) => entry.memberships.find((membership) => membership.queueId === queue)!;
const MEASURES: Partial<Record<string, (entry: AgentEntry, queue: string) => number>> = {
  longest_idle: ({ idleSince }) => idleSince,
  fewest_calls: (entry, queue) => of(entry, queue).calls,
  least_talk_time: (entry, queue) => of(entry, queue).talkMs,
  priority: ({ priority }) => priority,
};

function pick<T>(items: readonly T[], index: number): T | undefined {
  return items[index % Math.max(1, items.length)];
}

describe('any day in the queues', () => {
  it('loses no caller, rings no agent for two, keeps the strategy’s order, and can be replayed', () => {
    fc.assert(
      fc.property(rules, rules, fc.array(step, { minLength: 1, maxLength: 150 }), (north, south, steps) => {
        const day = new Day();
        day.apply({ type: 'queue_put', queue: { ...north, id: 'north' } });
        day.apply({ type: 'queue_put', queue: { ...south, id: 'south' } });
        for (const name of AGENTS) {
          day.apply({ type: 'agent_put', agent: name, priority: 5 });
          day.apply({ type: 'registration', agent: name, registered: true });
          day.apply({ type: 'logged_in', agent: name, queueId: name < 'a3' ? 'north' : 'south' });
        }
        for (const one of steps) day.do(one);
        // All leases expire: no agent rings or talks, no caller waits.
        day.now += FOREVER_MS;
        day.apply({ type: 'tick' });
        day.now += FOREVER_MS;
        day.apply({ type: 'tick' });
        expect(day.dispatcher.waiting()).to.deep.equal([]);
        expect(day.dispatcher.agents.filter(({ reservation }) => reservation !== null)).to.deep.equal([]);
        expect(day.ended.size).to.equal(day.entered.size);
        const replayed = new Dispatcher();
        for (const { event: logged, decisions } of day.log) expect(replayed.apply(logged)).to.deep.equal(decisions);
        expect(replayed.snapshot()).to.deep.equal(day.dispatcher.snapshot());
      }),
      { numRuns: 300 },
    );
  });
});
