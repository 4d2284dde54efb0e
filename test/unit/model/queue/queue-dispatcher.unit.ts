import { expect } from 'chai';
import { Dispatcher } from '../../../../core/model/queue/dispatcher.js';
import type { Decision, QueueEvent, QueueRules, Strategy } from '../../../../core/model/queue/types.js';

const RULES: QueueRules = {
  id: 'sales',
  strategy: 'longest_idle',
  wrapUpSeconds: 5,
  ringTimeoutSeconds: 20,
  maxWaitSeconds: 300,
  maxLength: 2,
  unavailableSeconds: 10,
};

/** Feeds a dispatcher with events, one second apart. */
class Feed {
  readonly dispatcher = new Dispatcher();
  second = 0;

  constructor(rules: Partial<QueueRules> = {}, agents: readonly string[] = ['ann', 'bob', 'cem']) {
    this.apply({ type: 'queue_put', queue: { ...RULES, ...rules } });
    for (const agent of agents) this.agent(agent);
  }

  agent(agent: string, priority = 5): void {
    this.apply(
      { type: 'agent_put', agent, priority },
      { type: 'registration', agent, registered: true },
      { type: 'logged_in', agent, queueId: 'sales' },
    );
  }

  /** Applies events, each a second after the previous one. @returns all resulting decisions */
  apply(...events: readonly QueueEvent[]): Decision[] {
    return events.flatMap((event) => this.dispatcher.apply({ ...event, at: ++this.second * 1000 }));
  }

  enter(...callIds: readonly string[]): string[] {
    return callIds.flatMap((callId) => offersOf(this.apply({ type: 'entered', callId, queueId: 'sales' })));
  }

  /** The agent answers the call, talks for `seconds` and finishes the wrap-up. */
  serve(callId: string, agent: string, seconds: number): void {
    this.apply({ type: 'answered', callId, agent, legId: callId });
    this.second += seconds;
    this.apply({ type: 'leg_ended', agent, legId: callId });
    this.pass(RULES.wrapUpSeconds);
  }

  pass(seconds: number): Decision[] {
    this.second += seconds - 1;
    return this.apply({ type: 'tick' });
  }

  stateOf(agent: string): string | undefined {
    return this.dispatcher.agent(agent)?.state;
  }
}

/** Offers as agent and caller: `ann←1`. */
function offersOf(decisions: readonly Decision[]): string[] {
  return decisions.flatMap((decision) => (decision.type === 'offer' ? [`${decision.agent}←${decision.callId}`] : []));
}

function typesOf(decisions: readonly Decision[]): string[] {
  return decisions.map(({ type }) => type);
}

describe('the dispatcher of queues', () => {
  describe('by strategy', () => {
    /** One caller after another, each served before the next arrives. */
    function served(strategy: Strategy, seconds: readonly number[] = [30, 20, 10]): string[] {
      const feed = new Feed({ strategy });
      return seconds.flatMap((length, index) => {
        const callId = String(index);
        const [offer = ''] = feed.enter(callId);
        feed.serve(callId, offer.slice(0, 3), length);
        return [offer.slice(0, 3)];
      });
    }

    it('longest_idle rings the agent who has been idle longest', () => {
      expect(served('longest_idle', [9, 9, 9, 9])).to.deep.equal(['ann', 'bob', 'cem', 'ann']);
      const feed = new Feed();
      feed.enter('1');
      feed.apply({ type: 'refused', callId: '1', agent: 'ann', reason: 'rejected' });
      expect(feed.dispatcher.caller('1')?.agents).to.deep.equal(['bob']);
    });

    it('round_robin continues after the last agent rung', () => {
      expect(served('round_robin', [1, 1, 1, 1])).to.deep.equal(['ann', 'bob', 'cem', 'ann']);
    });

    it('fewest_calls rings the agent with the fewest calls', () => {
      const feed = new Feed({ strategy: 'fewest_calls' }, ['ann', 'bob']);
      feed.enter('1');
      feed.serve('1', 'ann', 1);
      feed.enter('2');
      feed.serve('2', 'bob', 1);
      feed.agent('cem');
      expect(feed.enter('3')).to.deep.equal(['cem←3']);
    });

    it('least_talk_time rings the agent with the least talk time', () => {
      expect(served('least_talk_time', [30, 20, 10, 5])).to.deep.equal(['ann', 'bob', 'cem', 'cem']);
    });

    it('priority rings the highest priority, and the next while that agent is busy', () => {
      const feed = new Feed({ strategy: 'priority' }, []);
      feed.agent('low', 9);
      feed.agent('top', 1);
      feed.agent('mid', 4);
      expect(feed.enter('1', '2')).to.deep.equal(['top←1', 'mid←2']);
    });

    it('ring_all rings all agents, including those who become free later, until one answers', () => {
      const feed = new Feed({ strategy: 'ring_all' }, ['ann', 'bob']);
      expect(feed.enter('1')).to.deep.equal(['ann←1', 'bob←1']);
      feed.agent('cem');
      expect(feed.dispatcher.caller('1')?.agents).to.deep.equal(['ann', 'bob', 'cem']);
      const decisions = feed.apply({ type: 'answered', callId: '1', agent: 'bob', legId: 'b' });
      expect(typesOf(decisions)).to.deep.equal(['withdraw', 'withdraw', 'ended_wait']);
      expect(feed.stateOf('bob')).to.equal('busy');
      expect([feed.stateOf('ann'), feed.stateOf('cem')]).to.deep.equal(['idle', 'idle']);
    });

    it('random rings every agent at some time', () => {
      expect(
        new Set(
          served(
            'random',
            Array.from({ length: 40 }, () => 1),
          ),
        ),
      ).to.deep.equal(new Set(['ann', 'bob', 'cem']));
    });
  });

  it('serves callers first come, first served', () => {
    const feed = new Feed({ maxLength: 10 }, []);
    expect(feed.enter('1', '2', '3')).to.deep.equal([]);
    feed.agent('ann');
    feed.agent('bob');
    expect(feed.dispatcher.waiting().map(({ callId, agents }) => `${agents.join()}←${callId}`)).to.deep.equal([
      'ann←1',
      'bob←2',
      '←3',
    ]);
  });

  it('keeps a caller’s place when an offer fails, and does not ring the agent for a while', () => {
    const feed = new Feed({}, ['ann']);
    feed.enter('1', '2');
    const refused = feed.apply({ type: 'refused', callId: '1', agent: 'ann', reason: 'no_answer' });
    expect(typesOf(refused)).to.deep.equal(['refused']);
    expect(feed.stateOf('ann')).to.equal('unavailable');
    expect(offersOf(feed.pass(9))).to.deep.equal([]);
    expect(offersOf(feed.pass(1))).to.deep.equal(['ann←1']);
  });

  it('withdraws an offer without a result: no reservation lasts forever', () => {
    const feed = new Feed({}, ['ann']);
    feed.enter('1');
    expect(feed.dispatcher.dueAt).to.equal((feed.second + 20 + 15) * 1000);
    expect(typesOf(feed.pass(35))).to.deep.equal(['refused', 'withdraw']);
    expect(feed.dispatcher.agent('ann')).to.deep.include({ reservation: null, state: 'unavailable' });
  });

  it('does not ring an agent during wrap-up', () => {
    const feed = new Feed({}, ['ann']);
    feed.enter('1', '2');
    feed.apply({ type: 'answered', callId: '1', agent: 'ann', legId: 'a' });
    feed.pass(60);
    expect(feed.stateOf('ann')).to.equal('busy');
    const [finished] = feed.apply({ type: 'leg_ended', agent: 'ann', legId: 'a' });
    expect(finished).to.deep.include({ type: 'finished', callId: '1', talkMs: 61_000 });
    expect(feed.stateOf('ann')).to.equal('wrap_up');
    expect(offersOf(feed.pass(5))).to.deep.equal(['ann←2']);
  });

  it('overflows a caller past the maximum wait, but not while a phone rings for that caller', () => {
    const feed = new Feed({ maxWaitSeconds: 30 }, []);
    feed.enter('1', '2');
    feed.pass(20);
    feed.agent('ann');
    const late = feed.pass(10);
    expect(late.filter(({ type }) => type === 'overflow')).to.deep.equal([
      { type: 'overflow', callId: '2', queueId: 'sales', reason: 'max_wait' },
    ]);
    const refused = feed.apply({ type: 'refused', callId: '1', agent: 'ann', reason: 'rejected' });
    expect(typesOf(refused)).to.deep.equal(['refused', 'ended_wait', 'overflow']);
  });

  it('overflows a caller if the queue is full or removed', () => {
    const feed = new Feed({}, []);
    feed.enter('1', '2');
    const full = feed.apply({ type: 'entered', callId: '3', queueId: 'sales' });
    expect(full.at(-1)).to.deep.equal({ type: 'overflow', callId: '3', queueId: 'sales', reason: 'full' });
    const removed = feed.apply({ type: 'queue_removed', queueId: 'sales' });
    expect(removed.filter(({ type }) => type === 'overflow')).to.have.length(2);
    const gone = feed.apply({ type: 'entered', callId: '4', queueId: 'sales' });
    expect(gone.at(-1)).to.deep.include({ type: 'overflow', reason: 'queue_removed' });
    expect(feed.dispatcher.waiting()).to.deep.equal([]);
  });

  it('rings no agent who is unregistered, in do-not-disturb, paused, logged out, or in another call', () => {
    const feed = new Feed({ maxLength: 10 }, ['ann']);
    const gone: [QueueEvent, QueueEvent][] = [
      [
        { type: 'registration', agent: 'ann', registered: false },
        { type: 'registration', agent: 'ann', registered: true },
      ],
      [
        { type: 'do_not_disturb', agent: 'ann', on: true },
        { type: 'do_not_disturb', agent: 'ann', on: false },
      ],
      [
        { type: 'paused', agent: 'ann', reason: 'lunch' },
        { type: 'unpaused', agent: 'ann' },
      ],
      [
        { type: 'logged_out', agent: 'ann', queueId: 'sales' },
        { type: 'logged_in', agent: 'ann', queueId: 'sales' },
      ],
      [
        { type: 'leg_began', agent: 'ann', legId: 'own' },
        { type: 'leg_ended', agent: 'ann', legId: 'own' },
      ],
    ];
    for (const [index, [away, back]] of gone.entries()) {
      feed.apply(away);
      const callId = String(index);
      expect(feed.enter(callId), away.type).to.deep.equal([]);
      expect(offersOf(feed.apply(back)), back.type).to.deep.equal([`ann←${callId}`]);
      feed.apply({ type: 'left', callId });
      feed.pass(10);
    }
  });

  it('stops ringing an agent who logs out, without a penalty', () => {
    const feed = new Feed({}, ['ann', 'bob']);
    feed.enter('1');
    const decisions = feed.apply({ type: 'logged_out', agent: 'ann', queueId: 'sales' });
    expect(typesOf(decisions)).to.deep.equal(['withdraw', 'agent_logged_out', 'offer']);
    expect(feed.dispatcher.agent('ann')).to.deep.include({ reservation: null, unavailableUntil: null });
  });

  it('ignores late and repeated events', () => {
    const feed = new Feed({}, ['ann']);
    feed.enter('1');
    feed.apply({ type: 'answered', callId: '1', agent: 'ann', legId: 'a' });
    expect(feed.apply({ type: 'answered', callId: '1', agent: 'ann', legId: 'a' })).to.deep.equal([]);
    expect(feed.apply({ type: 'refused', callId: '1', agent: 'ann', reason: 'rejected' })).to.deep.equal([]);
    expect(
      feed.apply({ type: 'left', callId: '1' }, { type: 'entered', callId: '2', queueId: 'sales' }),
    ).to.have.length(1);
    expect(feed.apply({ type: 'entered', callId: '2', queueId: 'sales' })).to.deep.equal([]);
    expect(feed.apply({ type: 'logged_in', agent: 'ann', queueId: 'sales' })).to.deep.equal([]);
    expect(feed.apply({ type: 'logged_in', agent: 'ann', queueId: 'nowhere' })).to.deep.equal([]);
    expect(feed.apply({ type: 'paused', agent: 'nobody', reason: null })).to.deep.equal([]);
  });
});
