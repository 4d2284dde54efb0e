import type { JobQueue } from '../core/ports/jobs.js';
import type { Deliverer } from '../core/services/webhooks/deliverer.js';
import type { WebhookSweep } from '../core/services/webhooks/sweep.js';

/** Taking a wake-up is nothing but a note, so few at once are plenty. */
const CONCURRENCY = 16;

/**
 * Deliver webhooks in this process: on wake-ups from the job queue, and on its own sweep.
 * @returns how to stop: nothing more is begun, requests under way are finished.
 */
export function runWebhookJobs(jobs: JobQueue, deliverer: Deliverer, sweep: WebhookSweep): () => Promise<void> {
  // A job is done as soon as its lane is being worked on: a receiver that takes its time keeps no worker busy.
  const stopWorking = jobs.work(
    'webhooks',
    ({ lane }) => {
      deliverer.wake(lane);
      return Promise.resolve();
    },
    CONCURRENCY,
  );
  sweep.start();
  return async () => {
    await Promise.all([stopWorking(), sweep.stop()]);
    await deliverer.stop();
  };
}
