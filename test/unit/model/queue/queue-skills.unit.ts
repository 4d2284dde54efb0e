import { expect } from 'chai';
import { Dispatcher } from '../../../../core/model/queue/dispatcher.js';
import { bothRequired, hasSkills, skillsSchema, type Skills } from '../../../../core/model/queue/skills.js';
import type { QueueEvent, QueueRules } from '../../../../core/model/queue/types.js';

const RULES: QueueRules = {
  id: 'sales',
  strategy: 'longest_idle',
  wrapUpSeconds: 0,
  ringTimeoutSeconds: 20,
  maxWaitSeconds: 300,
  maxLength: 10,
  unavailableSeconds: 10,
};

describe('skills', () => {
  let dispatcher: Dispatcher;
  let second: number;

  beforeEach(() => {
    dispatcher = new Dispatcher();
    second = 0;
  });

  /** Applies events, each a second after the previous one. @returns offers as agent and caller: `ann←1` */
  function apply(...events: readonly QueueEvent[]): string[] {
    const decisions = events.flatMap((event) => dispatcher.apply({ ...event, at: ++second * 1000 }));
    return decisions.flatMap((decision) => (decision.type === 'offer' ? [`${decision.agent}←${decision.callId}`] : []));
  }
  const open = (rules: Partial<QueueRules> = {}) => apply({ type: 'queue_put', queue: { ...RULES, ...rules } });
  const agent = (name: string, skills?: Skills) =>
    apply(
      { type: 'agent_put', agent: name, priority: 5, ...(skills && { skills }) },
      { type: 'registration', agent: name, registered: true },
      { type: 'logged_in', agent: name, queueId: 'sales' },
    );
  const enter = (callId: string, requiredSkills?: Skills) =>
    apply({ type: 'entered', callId, queueId: 'sales', ...(requiredSkills && { requiredSkills }) });

  it('of a queue leave out agents who have none, or a lower level', () => {
    open({ requiredSkills: { arabic: 5 } });
    agent('ann');
    agent('bob', { arabic: 4 });
    expect(enter('1')).to.deep.equal([]);
    expect(agent('cem', { arabic: 5, english: 1 })).to.deep.equal(['cem←1']);
  });

  it('of a caller add to those of the queue', () => {
    open({ requiredSkills: { arabic: 5 } });
    agent('ann', { arabic: 9, billing: 2 });
    expect(enter('1', { arabic: 2, billing: 3 })).to.deep.equal([]);
    expect(agent('bob', { arabic: 5, billing: 3 })).to.deep.equal(['bob←1']);
  });

  it('do not hold up callers who need none', () => {
    open();
    expect(enter('1', { arabic: 1 })).to.deep.equal([]);
    expect(enter('2', { english: 1 })).to.deep.equal([]);
    expect(agent('ann', { english: 3 })).to.deep.equal(['ann←2']);
    expect(agent('bob')).to.deep.equal([]);
    expect(enter('3')).to.deep.equal(['bob←3']);
  });

  it('of an agent count from the moment they change', () => {
    open({ requiredSkills: { arabic: 5 } });
    agent('ann');
    enter('1');
    expect(apply({ type: 'agent_put', agent: 'ann', priority: 5, skills: { arabic: 6 } })).to.deep.equal(['ann←1']);
  });

  it('of a queue that changes count for callers who wait', () => {
    open({ requiredSkills: { arabic: 5 } });
    agent('ann');
    enter('1');
    expect(open({ requiredSkills: {} })).to.deep.equal(['ann←1']);
  });

  it('no longer count after the queue’s time, at the moment that a timer is set for', () => {
    open({ requiredSkills: { arabic: 5 }, skillsTimeoutSeconds: 30 });
    agent('ann');
    enter('1', { billing: 1 });
    const enteredAt = second * 1000;
    expect(dispatcher.dueAt).to.equal(enteredAt + 30_000);
    second += 28;
    expect(apply({ type: 'tick' }), 'a second too early').to.deep.equal([]);
    expect(apply({ type: 'tick' })).to.deep.equal(['ann←1']);
    expect(dispatcher.requiredBy(dispatcher.caller('1')!)).to.deep.equal({});
  });

  it('count until the end without such a time', () => {
    open({ requiredSkills: { arabic: 5 }, skillsTimeoutSeconds: null });
    agent('ann');
    enter('1');
    second += 290;
    expect(apply({ type: 'tick' })).to.deep.equal([]);
  });

  it('are part of the snapshot', () => {
    open({ requiredSkills: { arabic: 5 }, skillsTimeoutSeconds: 30 });
    enter('1', { billing: 1 });
    agent('ann', { arabic: 9 });
    dispatcher = new Dispatcher(dispatcher.snapshot());
    expect(agent('bob', { arabic: 5 })).to.deep.equal([]);
    expect(agent('cem', { arabic: 5, billing: 1 })).to.deep.equal(['cem←1']);
  });

  it('are none in the log of an older version', () => {
    open();
    agent('ann');
    const { rules, ...queue } = dispatcher.snapshot().queues[0]!;
    const { skills: _, ...older } = dispatcher.snapshot().agents[0]!;
    dispatcher = new Dispatcher({ ...dispatcher.snapshot(), queues: [{ ...queue, rules }], agents: [older] });
    expect(enter('1')).to.deep.equal(['ann←1']);
    open({ requiredSkills: { arabic: 1 } });
    expect(enter('2')).to.deep.equal([]);
  });

  it('may have the name of a member that every object has', () => {
    expect(hasSkills({}, { constructor: 1 })).to.equal(false);
    expect(bothRequired({ constructor: 3 }, { arabic: 1 })).to.deep.equal({ constructor: 3, arabic: 1 });
  });

  it('have a level from 1 to 9 and a short name, and are at most 20', () => {
    const isGood = (skills: unknown) => skillsSchema.safeParse(skills).success;
    expect(isGood({ arabic: 1, 'tier-2': 9 })).to.equal(true);
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`s${index}`, 1]));
    for (const bad of [{ arabic: 0 }, { arabic: 10 }, { arabic: 1.5 }, { Arabic: 1 }, { '': 1 }, ['arabic'], many]) {
      expect(isGood(bad), JSON.stringify(bad)).to.equal(false);
    }
    expect(Object.getPrototypeOf(skillsSchema.parse(JSON.parse('{"__proto__": 1}')))).to.equal(Object.prototype);
  });
});
