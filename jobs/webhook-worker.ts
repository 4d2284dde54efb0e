import type { JobQueue } from '../core/ports/jobs.js';
import type { Deliverer } from '../core/services/webhooks/deliverer.js';

/** A wake-up only passes on the lane's name, so a small number at the same time is enough. */
const CONCURRENCY = 16;

/**
 * Takes wake-ups of webhook lanes from the job queue. The deliverer sends the webhooks.
 * @returns stops taking wake-ups
 */
export function startWebhookWorker(jobs: JobQueue, deliverer: Pick<Deliverer, 'wake'>): () => Promise<void> {
  return jobs.work(
    'webhooks',
    // The job ends once the deliverer has the lane, so that a slow receiver does not block a worker.
    ({ lane }) => {
      deliverer.wake(lane);
      return Promise.resolve();
    },
    CONCURRENCY,
  );
}
