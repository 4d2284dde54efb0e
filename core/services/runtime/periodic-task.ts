import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from './periodic-work.js';

/** Returns true when the process is stopping: a long run then ends after its current batch. */
export type IsStopping = () => boolean;

/** A piece of background work that repeats for as long as the process runs. `jobs/periodic.ts` lists all of them. */
export interface PeriodicTask {
  /** Identifies the task in the log. */
  readonly name: string;
  /** Time from the end of one run to the start of the next, in milliseconds. */
  readonly everyMs: number;
  /** True: the first run starts at once. False by default: it starts after the interval. */
  readonly startsAtOnce?: boolean;
  /** The pause after a run is at least this many times as long as the run; 0 by default. */
  readonly restFactor?: number;
  /** Does everything that is due. A failure is logged, and the task runs again after its interval. */
  run(isStopping?: IsStopping): Promise<unknown>;
}

export interface PeriodicTaskRunner {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Runs each task repeatedly, never twice at the same time.
 * @returns stops them; resolves when the runs that are under way have ended
 */
export function runPeriodicTasks(
  tasks: readonly PeriodicTask[],
  { clock, log }: PeriodicTaskRunner,
): () => Promise<void> {
  const running = tasks.map((task) => {
    const { name, everyMs, restFactor = 0, startsAtOnce = false } = task;
    const work: PeriodicWork = new PeriodicWork({
      work: () => task.run(() => work.isStopped),
      everyMs,
      restFactor,
      clock,
      onFailure: (err) => log.warn({ err, task: name }, 'a periodic task failed; it runs again after its interval'),
    });
    if (startsAtOnce) work.startNow();
    else work.start();
    return work;
  });
  return async () => {
    await Promise.all(running.map((work) => work.stop()));
  };
}
