import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { within } from '../../core/ports/clock.js';
import { queues } from '../../core/ports/jobs.js';
import type { JobData, JobHandler, JobQueue, QueueName } from '../../core/ports/jobs.js';
import type { Logger } from '../../core/ports/logger.js';
import { connectRedis } from './redis.js';

export interface BullJobsOptions {
  readonly redisUrl: string;
  readonly log: Logger;
  /** Separates installations that share one Redis. */
  readonly prefix?: string;
}

/** Producers do not wait for an unreachable or unresponsive Redis. */
const COMMAND_TIMEOUT_MS = 2000;
/** How long closing waits for Redis. If it is cut off, another worker repeats the job. */
const CLOSE_TIMEOUT_MS = 3000;

/** Job queues on BullMQ. */
export class BullJobs implements JobQueue {
  readonly #producer: Redis;
  readonly #queues = new Map<QueueName, Queue>();
  readonly #prefix: string;

  constructor(private readonly options: BullJobsOptions) {
    this.#prefix = options.prefix ?? 'hatif';
    this.#producer = connectRedis(options.redisUrl, 'hatif:jobs', options.log, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: null,
      commandTimeout: COMMAND_TIMEOUT_MS,
    });
  }

  async add<Q extends QueueName>(queue: Q, jobs: readonly JobData<Q>[]): Promise<boolean> {
    if (this.#producer.status !== 'ready') return false;
    const { name } = queues[queue];
    try {
      await this.#queue(queue).addBulk(
        jobs.map((data) => ({
          name,
          data,
          opts: { deduplication: { id: Object.values(data).join(' '), keepLastIfActive: true } },
        })),
      );
      return true;
    } catch (error) {
      this.options.log.debug({ queue: name, reason: String(error) }, 'jobs were not added');
      return false;
    }
  }

  async available(): Promise<boolean> {
    if (this.#producer.status !== 'ready') return false;
    try {
      await this.#producer.ping();
      return true;
    } catch {
      return false;
    }
  }

  work<Q extends QueueName>(queue: Q, handler: JobHandler<Q>, concurrency: number): () => Promise<void> {
    const { name, data } = queues[queue];
    const connection = connectRedis(this.options.redisUrl, `hatif:${name}`, this.options.log, {
      maxRetriesPerRequest: null,
    });
    const worker = new Worker(name, async (job) => handler(data.parse(job.data) as JobData<Q>), {
      connection,
      prefix: this.#prefix,
      concurrency,
    });
    // The loss of the connection is already logged by `watch`.
    worker.on('error', (error) => this.options.log.debug({ queue: name, reason: error.message }, 'worker connection'));
    worker.on('failed', (job, error) =>
      this.options.log.error({ queue: name, job: job?.id, err: error }, 'job failed'),
    );
    return async () => {
      await closed(worker.close());
      connection.disconnect();
    };
  }

  async close(): Promise<void> {
    await closed(Promise.all([...this.#queues.values()].map((queue) => queue.close())));
    this.#producer.disconnect();
  }

  #queue(name: QueueName): Queue {
    let queue = this.#queues.get(name);
    if (!queue) {
      queue = new Queue(queues[name].name, {
        connection: this.#producer,
        prefix: this.#prefix,
        defaultJobOptions: { removeOnComplete: true, removeOnFail: 100 },
      });
      queue.on('error', (error) => this.options.log.debug({ queue: name, reason: error.message }, 'queue connection'));
      this.#queues.set(name, queue);
    }
    return queue;
  }
}

/** Ignores errors and timeouts when closing: they have no consequence. */
async function closed(closing: Promise<unknown>): Promise<void> {
  await within(CLOSE_TIMEOUT_MS, closing).catch(() => undefined);
}
