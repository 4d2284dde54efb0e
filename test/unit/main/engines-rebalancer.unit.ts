import { expect } from 'chai';
import { PROCESS } from '../../../main/engines/owner-name.js';
import { EngineRebalancer } from '../../../main/engines/engine-rebalancer.js';
import { quiet } from '../../support/logger.js';

describe('engines among processes', () => {
  /** Who waits for every engine, and how many it owns. */
  let waiting: string | null;
  let theirs: number;
  let seconds: number;
  let passed: string[];
  let rebalancer: EngineRebalancer;

  beforeEach(() => {
    [waiting, theirs, seconds, passed] = ['elsewhere:7:abc', 0, 0, []];
    rebalancer = new EngineRebalancer({
      countOf: (process) => {
        expect(process).to.equal('elsewhere:7:');
        return Promise.resolve(theirs);
      },
      log: quiet,
    });
  });

  const engine = (
    engineId: string,
    liveCalls: number,
    isOwned = true,
  ): Parameters<EngineRebalancer['passOne']>[0][number] => ({
    engineId,
    isOwned,
    liveCalls,
    candidate: () =>
      Promise.resolve(waiting === null ? null : { process: waiting, seen_at: new Date(1_000 * seconds) }),
    pass: () => {
      passed.push(engineId);
      return Promise.resolve();
    },
  });

  /** Looks twice; the process that waits has said so again meanwhile, unless it died. */
  async function looks(engines: Parameters<EngineRebalancer['passOne']>[0], dies = false): Promise<readonly string[]> {
    await rebalancer.passOne(engines);
    if (!dies) seconds += 2;
    await rebalancer.passOne(engines);
    return passed;
  }

  it('go one at a time, the one with the fewest calls first', async () => {
    expect(await looks([engine('busy', 5), engine('idle', 1), engine('other', 2)])).to.deep.equal(['idle']);
  });

  it('stay where the other would not have fewer afterwards', async () => {
    theirs = 1;
    expect(await looks([engine('a', 0), engine('b', 0)])).to.deep.equal([]);
  });

  it('stay with a process that has only one', async () => {
    expect(await looks([engine('a', 0), engine('b', 0, false)])).to.deep.equal([]);
  });

  it('do not go to a process that has died while it waited', async () => {
    expect(await looks([engine('a', 0), engine('b', 0)], true)).to.deep.equal([]);
  });

  it('do not go where nobody waits, or this process itself does', async () => {
    waiting = null;
    expect(await looks([engine('a', 0), engine('b', 0)])).to.deep.equal([]);
    waiting = PROCESS;
    expect(await looks([engine('a', 0), engine('b', 0)])).to.deep.equal([]);
  });
});
