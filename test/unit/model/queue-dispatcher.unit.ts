import { expect } from 'chai';
import { Dispatcher } from '../../../core/model/queue/dispatcher.js';
import type { Decision, QueueEvent, QueueRules, Strategy } from '../../../core/model/queue/types.js';

const RULES: QueueRules = {
  id: 'sales',
  strategy: 'longest_idle',
  wrapUpSeconds: 5,
  ringTimeoutSeconds: 20,
  maxWaitSeconds: 300,
  maxLength: 2,
  unavailableSeconds: 10,
};

/** A dispatcher that is told what happens second by second. */
class Desk {
  readonly dispatcher = new Dispatcher();
  second = 0;

  constructor(rules: Partial<QueueRules> = {}, agents: readonly string[] = ['ann', 'bob', 'cem']) {
    this.tell({ type: 'queue_put', queue: { ...RULES, ...rules } });
    for (const agent of agents) this.agent(agent);
  }

  agent(agent: string, priority = 5): void {
    this.tell(
      { type: 'agent_put', agent, priority },
      { type: 'registration', agent, registered: true },
      { type: 'logged_in', agent, queueId: 'sales' },
    );
  }

  /** Each a second after the one before. @returns what was decided about all of them */
  tell(...events: readonly QueueEvent[]): Decision[] {
    return events.flatMap((event) => this.dispatcher.apply({ ...event, at: ++this.second * 1000 }));
  }

  enter(...callIds: readonly string[]): string[] {
    return callIds.flatMap((callId) => offersOf(this.tell({ type: 'entered', callId, queueId: 'sales' })));
  }

  /** The agent takes the call, talks for so long, and is through with the wrap-up. */
  serve(callId: string, agent: string, seconds: number): void {
    this.tell({ type: 'answered', callId, agent, legId: callId });
    this.second += seconds;
    this.tell({ type: 'leg_ended', agent, legId: callId });
    this.pass(RULES.wrapUpSeconds);
  }

  pass(seconds: number): Decision[] {
    this.second += seconds - 1;
    return this.tell({ type: 'tick' });
  }

  stateOf(agent: string): string | undefined {
    return this.dispatcher.agent(agent)?.state;
  }
}

/** Whom is offered to whom: `ann←1`. */
function offersOf(decisions: readonly Decision[]): string[] {
  return decisions.flatMap((decision) => (decision.type === 'offer' ? [`${decision.agent}←${decision.callId}`] : []));
}

function typesOf(decisions: readonly Decision[]): string[] {
  return decisions.map(({ type }) => type);
}

describe('the dispatcher of queues', () => {
  describe('by strategy', () => {
    /** Three callers, one after another, each served for a while before the next comes. */
    function served(strategy: Strategy, seconds: readonly number[] = [30, 20, 10]): string[] {
      const desk = new Desk({ strategy });
      return seconds.flatMap((length, index) => {
        const callId = String(index);
        const [offer = ''] = desk.enter(callId);
        desk.serve(callId, offer.slice(0, 3), length);
        return [offer.slice(0, 3)];
      });
    }

    it('longest_idle rings who is idle for longest', () => {
      expect(served('longest_idle', [9, 9, 9, 9])).to.deep.equal(['ann', 'bob', 'cem', 'ann']);
      const desk = new Desk();
      desk.enter('1');
      desk.tell({ type: 'refused', callId: '1', agent: 'ann', reason: 'rejected' });
      expect(desk.dispatcher.caller('1')?.agents).to.deep.equal(['bob']);
    });

    it('round_robin goes on from whom it rang last', () => {
      expect(served('round_robin', [1, 1, 1, 1])).to.deep.equal(['ann', 'bob', 'cem', 'ann']);
    });

    it('fewest_calls rings who took fewest', () => {
      const desk = new Desk({ strategy: 'fewest_calls' }, ['ann', 'bob']);
      desk.enter('1');
      desk.serve('1', 'ann', 1);
      desk.enter('2');
      desk.serve('2', 'bob', 1);
      desk.agent('cem');
      expect(desk.enter('3')).to.deep.equal(['cem←3']);
    });

    it('least_talk_time rings who talked least', () => {
      expect(served('least_talk_time', [30, 20, 10, 5])).to.deep.equal(['ann', 'bob', 'cem', 'cem']);
    });

    it('priority rings the highest, and the next while that one is busy', () => {
      const desk = new Desk({ strategy: 'priority' }, []);
      desk.agent('low', 9);
      desk.agent('top', 1);
      desk.agent('mid', 4);
      expect(desk.enter('1', '2')).to.deep.equal(['top←1', 'mid←2']);
    });

    it('ring_all rings everybody, also who comes free later, until one takes the call', () => {
      const desk = new Desk({ strategy: 'ring_all' }, ['ann', 'bob']);
      expect(desk.enter('1')).to.deep.equal(['ann←1', 'bob←1']);
      desk.agent('cem');
      expect(desk.dispatcher.caller('1')?.agents).to.deep.equal(['ann', 'bob', 'cem']);
      const decisions = desk.tell({ type: 'answered', callId: '1', agent: 'bob', legId: 'b' });
      expect(typesOf(decisions)).to.deep.equal(['withdraw', 'withdraw', 'ended_wait']);
      expect(desk.stateOf('bob')).to.equal('busy');
      expect([desk.stateOf('ann'), desk.stateOf('cem')]).to.deep.equal(['idle', 'idle']);
    });

    it('random rings each of them at times', () => {
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

  it('serves first who came first', () => {
    const desk = new Desk({ maxLength: 10 }, []);
    expect(desk.enter('1', '2', '3')).to.deep.equal([]);
    desk.agent('ann');
    desk.agent('bob');
    expect(desk.dispatcher.waiting().map(({ callId, agents }) => `${agents.join()}←${callId}`)).to.deep.equal([
      'ann←1',
      'bob←2',
      '←3',
    ]);
  });

  it('keeps a caller’s place when an offer comes to nothing, and leaves the agent in peace for a while', () => {
    const desk = new Desk({}, ['ann']);
    desk.enter('1', '2');
    const refused = desk.tell({ type: 'refused', callId: '1', agent: 'ann', reason: 'no_answer' });
    expect(typesOf(refused)).to.deep.equal(['refused']);
    expect(desk.stateOf('ann')).to.equal('unavailable');
    expect(offersOf(desk.pass(9))).to.deep.equal([]);
    expect(offersOf(desk.pass(1))).to.deep.equal(['ann←1']);
  });

  it('takes an offer back of which nothing is heard: no reservation lasts for ever', () => {
    const desk = new Desk({}, ['ann']);
    desk.enter('1');
    expect(desk.dispatcher.dueAt).to.equal((desk.second + 20 + 15) * 1000);
    expect(typesOf(desk.pass(35))).to.deep.equal(['refused', 'withdraw']);
    expect(desk.dispatcher.agent('ann')).to.deep.include({ reservation: null, state: 'unavailable' });
  });

  it('leaves an agent in peace after a call', () => {
    const desk = new Desk({}, ['ann']);
    desk.enter('1', '2');
    desk.tell({ type: 'answered', callId: '1', agent: 'ann', legId: 'a' });
    desk.pass(60);
    expect(desk.stateOf('ann')).to.equal('busy');
    const [finished] = desk.tell({ type: 'leg_ended', agent: 'ann', legId: 'a' });
    expect(finished).to.deep.include({ type: 'finished', callId: '1', talkMs: 61_000 });
    expect(desk.stateOf('ann')).to.equal('wrap_up');
    expect(offersOf(desk.pass(5))).to.deep.equal(['ann←2']);
  });

  it('sends on who waited too long, but not while a phone rings for that caller', () => {
    const desk = new Desk({ maxWaitSeconds: 30 }, []);
    desk.enter('1', '2');
    desk.pass(20);
    desk.agent('ann');
    const late = desk.pass(10);
    expect(late.filter(({ type }) => type === 'overflow')).to.deep.equal([
      { type: 'overflow', callId: '2', queueId: 'sales', reason: 'max_wait' },
    ]);
    const refused = desk.tell({ type: 'refused', callId: '1', agent: 'ann', reason: 'rejected' });
    expect(typesOf(refused)).to.deep.equal(['refused', 'ended_wait', 'overflow']);
  });

  it('sends on who finds the queue full, or gone', () => {
    const desk = new Desk({}, []);
    desk.enter('1', '2');
    const full = desk.tell({ type: 'entered', callId: '3', queueId: 'sales' });
    expect(full.at(-1)).to.deep.equal({ type: 'overflow', callId: '3', queueId: 'sales', reason: 'full' });
    const removed = desk.tell({ type: 'queue_removed', queueId: 'sales' });
    expect(removed.filter(({ type }) => type === 'overflow')).to.have.length(2);
    const gone = desk.tell({ type: 'entered', callId: '4', queueId: 'sales' });
    expect(gone.at(-1)).to.deep.include({ type: 'overflow', reason: 'queue_removed' });
    expect(desk.dispatcher.waiting()).to.deep.equal([]);
  });

  it('rings nobody who is not registered, paused, logged out, or in any other call', () => {
    const desk = new Desk({ maxLength: 10 }, ['ann']);
    const gone: [QueueEvent, QueueEvent][] = [
      [
        { type: 'registration', agent: 'ann', registered: false },
        { type: 'registration', agent: 'ann', registered: true },
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
      desk.tell(away);
      const callId = String(index);
      expect(desk.enter(callId), away.type).to.deep.equal([]);
      expect(offersOf(desk.tell(back)), back.type).to.deep.equal([`ann←${callId}`]);
      desk.tell({ type: 'left', callId });
      desk.pass(10);
    }
  });

  it('stops ringing an agent who logs out, without blame', () => {
    const desk = new Desk({}, ['ann', 'bob']);
    desk.enter('1');
    const decisions = desk.tell({ type: 'logged_out', agent: 'ann', queueId: 'sales' });
    expect(typesOf(decisions)).to.deep.equal(['withdraw', 'agent_logged_out', 'offer']);
    expect(desk.dispatcher.agent('ann')).to.deep.include({ reservation: null, unavailableUntil: null });
  });

  it('takes events that come late or twice for what they are', () => {
    const desk = new Desk({}, ['ann']);
    desk.enter('1');
    desk.tell({ type: 'answered', callId: '1', agent: 'ann', legId: 'a' });
    expect(desk.tell({ type: 'answered', callId: '1', agent: 'ann', legId: 'a' })).to.deep.equal([]);
    expect(desk.tell({ type: 'refused', callId: '1', agent: 'ann', reason: 'rejected' })).to.deep.equal([]);
    expect(desk.tell({ type: 'left', callId: '1' }, { type: 'entered', callId: '2', queueId: 'sales' })).to.have.length(
      1,
    );
    expect(desk.tell({ type: 'entered', callId: '2', queueId: 'sales' })).to.deep.equal([]);
    expect(desk.tell({ type: 'logged_in', agent: 'ann', queueId: 'sales' })).to.deep.equal([]);
    expect(desk.tell({ type: 'logged_in', agent: 'ann', queueId: 'nowhere' })).to.deep.equal([]);
    expect(desk.tell({ type: 'paused', agent: 'nobody', reason: null })).to.deep.equal([]);
  });
});
