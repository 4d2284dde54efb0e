/**
 * The platform's webhook worker in a separate process. A message wakes the lane, as the job queue does after a commit.
 */
import { GuardedHttpClient } from '../../adapters/http/client.js';
import { BullJobs } from '../../adapters/jobs/bullmq.js';
import { Database } from '../../core/data/database.js';
import { Cipher } from '../../core/model/access/cipher.js';
import type { Logger } from '../../core/ports/logger.js';
import { systemClock } from '../../core/ports/clock.js';
import { Deliverer } from '../../core/services/webhooks/deliverer.js';
import { MessageSigner } from '../../core/services/webhooks/message.js';
import { startWebhookWorker } from '../../jobs/webhook-worker.js';

const { BENCH_DATABASE: databaseUrl = '', BENCH_REDIS: redisUrl = '', BENCH_SECRET: secret = '' } = process.env;
const nothing = (): void => undefined;
const log: Logger = { debug: nothing, info: nothing, warn: console.warn, error: console.error, child: () => log };
const db = Database.open(databaseUrl);
const deliverer = new Deliverer({
  db,
  http: new GuardedHttpClient({ allowLoopback: true }),
  signer: new MessageSigner(new Cipher(secret)),
  clock: systemClock,
  log,
  observer: { attempted: nothing, endpointDisabled: nothing },
});
const jobs = new BullJobs({ redisUrl, log, prefix: 'bench' });
// Without the sweep, which would find the backlog before the round starts.
startWebhookWorker(jobs, deliverer);
while (!(await jobs.available())) await new Promise((resolve) => setImmediate(resolve));

process.on('message', ({ lane }: { lane: string }) => {
  process.send?.({ atMs: Date.now() });
  void jobs.add('webhooks', [{ lane }]);
});
process.send?.({ ready: true });
