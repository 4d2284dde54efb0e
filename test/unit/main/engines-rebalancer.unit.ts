import { expect } from 'chai';
import { PROCESS } from '../../../main/engines/owner-name.js';
import { EngineRebalancer } from '../../../main/engines/engine-rebalancer.js';
import { quiet } from '../../support/logger.js';

describe('the engine rebalancer', () => {
  /** The process that waits for every engine. */
  let waiting: string | null;
  /** The number of engines that the waiting process owns. */
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

  /** Runs twice; in between, the waiting process renews its candidacy, unless it `dies`. */
  async function runTwice(
    engines: Parameters<EngineRebalancer['passOne']>[0],
    dies = false,
  ): Promise<readonly string[]> {
    await rebalancer.passOne(engines);
    if (!dies) seconds += 2;
    await rebalancer.passOne(engines);
    return passed;
  }

  it('hands over one engine at a time, the one with the fewest calls first', async () => {
    expect(await runTwice([engine('busy', 5), engine('idle', 1), engine('other', 2)])).to.deep.equal(['idle']);
  });

  it('keeps its engines if the other process owns only one fewer', async () => {
    theirs = 1;
    expect(await runTwice([engine('a', 0), engine('b', 0)])).to.deep.equal([]);
  });

  it('keeps its only engine', async () => {
    expect(await runTwice([engine('a', 0), engine('b', 0, false)])).to.deep.equal([]);
  });

  it('hands no engine to a process that died while it waited', async () => {
    expect(await runTwice([engine('a', 0), engine('b', 0)], true)).to.deep.equal([]);
  });

  it('hands over nothing if no other process waits', async () => {
    waiting = null;
    expect(await runTwice([engine('a', 0), engine('b', 0)])).to.deep.equal([]);
    waiting = PROCESS;
    expect(await runTwice([engine('a', 0), engine('b', 0)])).to.deep.equal([]);
  });
});
