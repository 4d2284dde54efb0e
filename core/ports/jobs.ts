import { z } from 'zod';

/** The job queues: names and payload shapes. Jobs with equal payloads are the same job. */
export const queues = {
  /** Deliver what is due for one lane of webhooks (an endpoint, or the extra receiver of one call). */
  webhooks: {
    name: 'webhooks',
    data: z.object({ lane: z.string().min(1) }),
  },
  /** Transcribe a recording. */
  transcription: {
    name: 'transcription',
    data: z.object({ recording: z.string().min(1) }),
  },
} as const;

export type QueueName = keyof typeof queues;
export type JobData<Q extends QueueName> = z.infer<(typeof queues)[Q]['data']>;
export type JobHandler<Q extends QueueName> = (job: JobData<Q>) => Promise<void>;

/**
 * Wakes workers, in this process or another. Jobs are only hints: PostgreSQL is the source of
 * truth, and a sweep over it finds the work of jobs lost while Redis was down. Every job is
 * idempotent because it may run twice.
 */
export interface JobQueue {
  /**
   * Adds jobs. A job that is already waiting is not added twice; a running job runs once more.
   * Never rejects: `false` means that Redis did not take them.
   */
  add<Q extends QueueName>(queue: Q, jobs: readonly JobData<Q>[]): Promise<boolean>;
  /** Whether Redis answers now. */
  available(): Promise<boolean>;
  /**
   * Runs jobs of a queue in this process, up to `concurrency` at once, until the returned function
   * has resolved.
   */
  work<Q extends QueueName>(queue: Q, handler: JobHandler<Q>, concurrency: number): () => Promise<void>;
  close(): Promise<void>;
}
