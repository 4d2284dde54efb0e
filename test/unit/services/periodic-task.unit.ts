import { expect } from 'chai';
import { runPeriodicTasks, type PeriodicTask } from '../../../core/services/runtime/periodic-task.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { quiet } from '../../support/logger.js';

describe('periodic tasks', () => {
  let clock: VirtualClock;
  let runs: string[];
  let warned: unknown[];

  beforeEach(() => {
    clock = new VirtualClock();
    runs = [];
    warned = [];
  });

  const start = (...tasks: PeriodicTask[]): (() => Promise<void>) =>
    runPeriodicTasks(tasks, { clock, log: { ...quiet, warn: (fields: unknown) => void warned.push(fields) } });

  const task = (name: string, changes: Partial<PeriodicTask> = {}): PeriodicTask => ({
    name,
    everyMs: 1_000,
    run: () => Promise.resolve(runs.push(name)),
    ...changes,
  });

  it('run concurrently, each after its own interval or immediately', async () => {
    start(task('slow', { everyMs: 2_000 }), task('fast'), task('eager', { startsAtOnce: true }));
    expect(runs).to.deep.equal(['eager']);
    await clock.advance(1_000);
    expect(runs).to.have.members(['eager', 'eager', 'fast']);
    await clock.advance(1_000);
    expect(runs.filter((name) => name === 'slow')).to.have.lengthOf(1);
  });

  it('log a failed run with the name of the task, and run again', async () => {
    const trouble = new Error('away');
    let tries = 0;
    start(task('broken', { run: () => ((tries += 1), Promise.reject(trouble)) }), task('sound'));
    await clock.advance(2_000);
    expect(tries).to.equal(2);
    expect(runs).to.deep.equal(['sound', 'sound']);
    expect(warned).to.deep.equal([
      { err: trouble, task: 'broken' },
      { err: trouble, task: 'broken' },
    ]);
  });

  it('are notified of a stop, which waits for the current run', async () => {
    let end = (): void => undefined;
    let isStopping = (): boolean => false;
    const stop = start(
      task('long', {
        startsAtOnce: true,
        run: async (stopping = isStopping) => {
          isStopping = stopping;
          await new Promise<void>((resolve) => (end = resolve));
          runs.push('long');
        },
      }),
    );
    expect(isStopping()).to.equal(false);
    const stopped = stop().then(() => runs.push('stopped'));
    expect(isStopping()).to.equal(true);
    end();
    await stopped;
    expect(runs).to.deep.equal(['long', 'stopped']);
    expect(await clock.step()).to.equal(false);
  });
});
