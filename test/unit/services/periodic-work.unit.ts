import { expect } from 'chai';
import { PeriodicWork, type PeriodicWorkOptions } from '../../../core/services/runtime/periodic-work.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';

describe('regular work', () => {
  let clock: VirtualClock;
  let runs: number;
  let failures: unknown[];

  beforeEach(() => {
    clock = new VirtualClock();
    runs = 0;
    failures = [];
  });

  const regular = (options: Partial<PeriodicWorkOptions> = {}): PeriodicWork =>
    new PeriodicWork({
      work: () => Promise.resolve((runs += 1)),
      everyMs: 1_000,
      clock,
      onFailure: (error) => failures.push(error),
      ...options,
    });

  it('is done first after the interval, then again after each', async () => {
    regular().start();
    await clock.advance(999);
    expect(runs).to.equal(0);
    await clock.advance(1);
    expect(runs).to.equal(1);
    await clock.advance(2_000);
    expect(runs).to.equal(3);
  });

  it('is done at once where it is to be', async () => {
    regular().startNow();
    expect(runs).to.equal(1);
    await clock.advance(1_000);
    expect(runs).to.equal(2);
  });

  it('is not done twice at once: the interval begins with the end of a run', async () => {
    let end = (): void => undefined;
    const work = (): Promise<void> => ((runs += 1), new Promise((resolve) => (end = resolve)));
    regular({ work }).startNow();
    await clock.advance(10_000);
    expect(runs).to.equal(1);
    end();
    await clock.advance(999);
    expect(runs).to.equal(1);
    await clock.advance(1);
    expect(runs).to.equal(2);
  });

  it('goes on after a failure', async () => {
    const trouble = new Error('away');
    regular({ work: () => ((runs += 1), Promise.reject(trouble)) }).startNow();
    await clock.advance(1_000);
    expect(runs).to.equal(2);
    expect(failures).to.deep.equal([trouble, trouble]);
  });

  it('rests in proportion to how long it took', async () => {
    const work = async (): Promise<void> => {
      runs += 1;
      if (runs === 1) await new Promise<void>((resolve) => void clock.after(300, resolve));
    };
    regular({ work, restFactor: 10 }).startNow();
    await clock.advance(300 + 2_999);
    expect(runs).to.equal(1);
    await clock.advance(1);
    expect(runs).to.equal(2);
    await clock.advance(1_000);
    expect(runs).to.equal(3);
  });

  it('is done no more once it is stopped', async () => {
    const stopped = regular();
    stopped.startNow();
    await stopped.stop();
    expect(stopped.isStopped).to.equal(true);
    await clock.advance(10_000);
    expect(runs).to.equal(1);
  });

  it('is stopped when the run that was under way is through, and plans no other', async () => {
    const done: string[] = [];
    let end = (): void => undefined;
    const work = (): Promise<void> =>
      new Promise<void>((resolve) => (end = resolve)).then(() => void done.push('the run'));
    const stopped = regular({ work });
    stopped.startNow();
    const stopping = stopped.stop().then(() => done.push('the stop'));
    end();
    await stopping;
    expect(done).to.deep.equal(['the run', 'the stop']);
    expect(await clock.step()).to.equal(false);
  });
});
