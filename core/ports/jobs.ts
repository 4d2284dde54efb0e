import { z } from 'zod';

/** The job queues: names and the shape of what they carry. Every job is idempotent: it may run twice. */
export const queues = {
  /** Deliver what is due for one lane of webhooks (an endpoint, or the extra receiver of one call). */
  webhooks: { name: 'webhooks', data: z.object({ lane: z.string().min(1) }) },
} as const;

export type QueueName = keyof typeof queues;
export type JobData<Q extends QueueName> = z.infer<(typeof queues)[Q]['data']>;

/** Adds jobs. Fails softly: while Redis is away a sweep over PostgreSQL finds the work again. */
export interface JobQueue {
  add<Q extends QueueName>(queue: Q, jobs: readonly JobData<Q>[]): Promise<void>;
  close(): Promise<void>;
}
