import { z } from 'zod';

/** The job queues: names, and the shape of what they carry. Two jobs that carry the same are the same. */
export const queues = {
  /** Deliver what is due for one lane of webhooks (an endpoint, or the extra receiver of one call). */
  webhooks: {
    name: 'webhooks',
    data: z.object({ lane: z.string().min(1) }),
  },
  /** Write down what is said in a recording. */
  transcription: {
    name: 'transcription',
    data: z.object({ recording: z.string().min(1) }),
  },
} as const;

export type QueueName = keyof typeof queues;
export type JobData<Q extends QueueName> = z.infer<(typeof queues)[Q]['data']>;
export type JobHandler<Q extends QueueName> = (job: JobData<Q>) => Promise<void>;

/**
 * Wakes workers, in this process or another. Jobs carry no truth: PostgreSQL does, and a sweep over it finds the work of
 * every job that was lost while Redis was away. Every job is idempotent: it may run twice.
 */
export interface JobQueue {
  /**
   * Add jobs; one that is already waiting is not added twice, while one that is running is run once
   * more. Never rejects: `false` means that Redis did not take them.
   */
  add<Q extends QueueName>(queue: Q, jobs: readonly JobData<Q>[]): Promise<boolean>;
  /** Whether Redis answers now. */
  available(): Promise<boolean>;
  /** Run jobs of a queue in this process, up to `concurrency` at once, until the returned function has resolved. */
  work<Q extends QueueName>(queue: Q, handler: JobHandler<Q>, concurrency: number): () => Promise<void>;
  close(): Promise<void>;
}
