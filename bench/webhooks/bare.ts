/**
 * The minimum that delivers from a queue: a BullMQ job per message, posted with undici. No signature, guard, log or
 * order.
 */
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Agent, request } from 'undici';

/** The platform's number of concurrent requests to one receiver. */
const CONCURRENCY = 20;

interface Message {
  readonly url: string;
  readonly body: string;
}

const connection = new Redis(process.env.BENCH_REDIS ?? '', { maxRetriesPerRequest: null });
const dispatcher = new Agent({ connections: CONCURRENCY });
const queue = new Queue<Message>('bare', { connection, defaultJobOptions: { removeOnComplete: true, attempts: 10 } });
await queue.obliterate({ force: true });
const worker = new Worker<Message>(
  'bare',
  async ({ data }) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await request(data.url, { method: 'POST', headers, body: data.body, dispatcher });
    await answer.body.dump();
    if (answer.statusCode >= 300) throw new Error(`status ${answer.statusCode}`);
  },
  { connection: connection.duplicate(), concurrency: CONCURRENCY },
);
worker.on('error', console.error);

/** Fills the paused queue, or resumes it. */
async function handle(message: { readonly fill?: readonly Message[] }): Promise<void> {
  if (message.fill) {
    await queue.pause();
    await queue.addBulk(message.fill.map((data) => ({ name: 'message', data })));
    process.send?.({ filled: true });
  } else {
    process.send?.({ atMs: Date.now() });
    await queue.resume();
  }
}

process.on('message', (message: { readonly fill?: readonly Message[] }) => void handle(message));
process.send?.({ ready: true });
