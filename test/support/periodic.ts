import { systemClock } from '../../core/ports/clock.js';
import { runPeriodicTasks, type PeriodicTask } from '../../core/services/runtime/periodic-task.js';
import { quiet } from './logger.js';

const OFTEN_MS = 20;

/** Runs the task every few milliseconds instead of at its own interval. @returns a function that stops it */
export function runOften(task: PeriodicTask): () => Promise<void> {
  const often: PeriodicTask = {
    name: task.name,
    everyMs: OFTEN_MS,
    startsAtOnce: task.startsAtOnce ?? false,
    run: (isStopping) => task.run(isStopping),
  };
  return runPeriodicTasks([often], { clock: systemClock, log: quiet });
}
