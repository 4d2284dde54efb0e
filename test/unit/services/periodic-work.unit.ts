import { expect } from 'chai';
import { PeriodicWork, type PeriodicWorkOptions } from '../../../core/services/runtime/periodic-work.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';

describe('periodic work', () => {
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

  it('runs first after the interval, then after each interval', async () => {
    regular().start();
    await clock.advance(999);
    expect(runs).to.equal(0);
    await clock.advance(1);
    expect(runs).to.equal(1);
    await clock.advance(2_000);
    expect(runs).to.equal(3);
  });

  it('runs immediately with startNow', async () => {
    regular().startNow();
    expect(runs).to.equal(1);
    await clock.advance(1_000);
    expect(runs).to.equal(2);
  });

  it('never runs twice at the same time: the interval starts at the end of a run', async () => {
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

  it('continues after a failure', async () => {
    const trouble = new Error('away');
    regular({ work: () => ((runs += 1), Promise.reject(trouble)) }).startNow();
    await clock.advance(1_000);
    expect(runs).to.equal(2);
    expect(failures).to.deep.equal([trouble, trouble]);
  });

  it('pauses in proportion to the duration of the run', async () => {
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

  it('does not run after it was stopped', async () => {
    const stopped = regular();
    stopped.startNow();
    await stopped.stop();
    expect(stopped.isStopped).to.equal(true);
    await clock.advance(10_000);
    expect(runs).to.equal(1);
  });

  it('stops after the current run has finished, and schedules no other', async () => {
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
