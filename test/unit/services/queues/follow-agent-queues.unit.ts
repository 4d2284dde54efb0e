import { expect } from 'chai';
import type { AgentQueuesObject } from '../../../../core/services/queues/agent-queues.js';
import type { ChangeListener } from '../../../../core/services/queues/coordinator.js';
import { FollowAgentQueues } from '../../../../core/services/queues/follow-agent-queues.js';
import { VirtualClock } from '../../../../engine/simulator/virtual-clock.js';
import { quiet } from '../../../support/logger.js';

const [PROJECT, REST_MS, LOOK_EVERY_MS] = ['project', 200, 2_000];

interface Following {
  /** The queues of each state that came. */
  readonly got: string[];
  readonly leave: () => Promise<void>;
}

describe('those who follow the queues of agents', () => {
  let clock: VirtualClock;
  let changed: ChangeListener;
  let following: FollowAgentQueues;
  /** The name of the one queue of each agent. */
  let names: Map<string, string>;
  let reads: number;
  let isAway: boolean;

  beforeEach(() => {
    clock = new VirtualClock();
    names = new Map([
      ['1001', 'sales'],
      ['1002', 'care'],
    ]);
    [reads, isAway] = [0, false];
    following = new FollowAgentQueues({
      coordinator: {
        onChange: (listener) => {
          changed = listener;
          return () => true;
        },
      },
      reading: {
        ofAll: () => {
          reads += 1;
          return isAway ? Promise.reject(new Error('away')) : Promise.resolve(stateOf);
        },
      },
      clock,
      logger: quiet,
    });
  });

  const stateOf = (agent: string): AgentQueuesObject => ({
    agent,
    state: 'idle',
    pause: null,
    wrap_up_until: null,
    queues: [
      {
        queue_id: 'id',
        queue: names.get(agent) ?? '',
        dial_code: null,
        status: 'logged_in',
        since: null,
        calls_taken: 0,
        waiting: 0,
      },
    ],
    at: clock.now().toISOString(),
  });
  const follow = (agent: string): Following => {
    const end = new AbortController();
    const got: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { queues } of following.follow(PROJECT, stateOf(agent), end.signal)) got.push(queues[0]!.queue);
    };
    const over = read();
    const leave = (): Promise<void> => {
      end.abort();
      return over;
    };
    return { got, leave };
  };
  const becomes = (agent: string, name: string): void => {
    names.set(agent, name);
    changed(PROJECT);
  };

  it('get the first state at once, and another one when their own has changed', async () => {
    const [one, two] = [follow('1001'), follow('1002')];
    await clock.advance(0);
    expect([one.got, two.got]).to.deep.equal([['sales'], ['care']]);
    expect(reads).to.equal(0);
    await clock.advance(2 * REST_MS);
    becomes('1001', 'support');
    await clock.advance(0);
    expect([one.got, two.got]).to.deep.equal([['sales', 'support'], ['care']]);
    changed('another project');
    await clock.advance(REST_MS);
    // At the beginning, and after the change.
    expect(reads).to.equal(2);
    await Promise.all([one.leave(), two.leave()]);
  });

  it('miss nothing that changes between the first state and the first look', async () => {
    const one = follow('1001');
    names.set('1001', 'support');
    await clock.advance(REST_MS);
    expect(one.got).to.deep.equal(['sales', 'support']);
    await one.leave();
  });

  it('get the last of many changes, for which the project is read once', async () => {
    const one = follow('1001');
    await clock.advance(2 * REST_MS);
    const before = reads;
    for (const name of ['a', 'b', 'c']) becomes('1001', name);
    await clock.advance(0);
    for (const name of ['d', 'e', 'f']) becomes('1001', name);
    await clock.advance(REST_MS);
    expect(one.got).to.deep.equal(['sales', 'c', 'f']);
    expect(reads - before).to.equal(2);
    await one.leave();
  });

  it('learn within two seconds what no notice reports, also after the database was away', async () => {
    const one = follow('1001');
    await clock.advance(2 * REST_MS);
    names.set('1001', 'support');
    await clock.advance(REST_MS + LOOK_EVERY_MS);
    expect(one.got).to.deep.equal(['sales', 'support']);
    isAway = true;
    becomes('1001', 'billing');
    await clock.advance(10 * LOOK_EVERY_MS);
    isAway = false;
    await clock.advance(REST_MS + LOOK_EVERY_MS);
    expect(one.got).to.deep.equal(['sales', 'support', 'billing']);
    await one.leave();
  });

  it('leave no work behind', async () => {
    const one = follow('1001');
    await clock.advance(2 * REST_MS);
    await one.leave();
    expect(await clock.step()).to.equal(false);
    const before = reads;
    changed(PROJECT);
    await clock.advance(LOOK_EVERY_MS);
    expect(reads).to.equal(before);
    // Another one begins again.
    const next = follow('1001');
    await clock.advance(0);
    expect(next.got).to.deep.equal(['sales']);
    await next.leave();
    await clock.advance(2 * REST_MS);
    expect(await clock.step()).to.equal(false);
  });
});
