import type { Clock } from '../core/ports/clock.js';
import type { JobQueue } from '../core/ports/jobs.js';
import type { Logger } from '../core/ports/logger.js';
import type { ObjectStores } from '../core/ports/object-store.js';
import type { OutboundHttp } from '../core/ports/outbound-http.js';
import type { Transcriber } from '../core/ports/transcription.js';
import type { CallPrice } from '../core/model/rating/rate.js';
import type { Cipher } from '../core/model/access/cipher.js';
import type { NumberSweep } from '../core/services/numbers/sweep.js';
import { RatingWorker } from '../core/services/billing/rating-worker.js';
import { DailyCdr, type CdrObserver } from '../core/services/cdr/daily.js';
import { CdrExport } from '../core/services/cdr/export.js';
import type { PaymentPoller } from '../core/services/payments/poller.js';
import { RecordingRemoval } from '../core/services/recordings/removal.js';
import { RecordingSweep } from '../core/services/recordings/sweep.js';
import { TranscriptionSweep } from '../core/services/transcription/sweep.js';
import { TranscribeRecording } from '../core/services/transcription/transcribe.js';
import { UsageFolding } from '../core/services/usage/folding.js';
import { VerifyExpiry } from '../core/services/verify/expiry.js';
import type { ChallengeCalls } from '../core/services/voice-auth/challenge-calls.js';
import { ChallengeSettling } from '../core/services/voice-auth/settling.js';
import { Deliverer, type DeliveryObserver } from '../core/services/webhooks/deliverer.js';
import { MessageSigner } from '../core/services/webhooks/message.js';
import { WebhookSweep } from '../core/services/webhooks/sweep.js';
import type { RetentionObserver, RetentionRules } from '../core/services/retention/retention.js';
import { runRetention } from '../jobs/retention.js';
import { runTranscription } from '../jobs/transcription.js';
import { runWebhookJobs } from '../jobs/webhooks.js';
import type { Billing } from './billing.js';
import type { Stores } from './stores.js';
import type { Voicemail } from './voicemail.js';

export interface JobsRoleOptions {
  readonly stores: Stores;
  readonly cipher: Cipher;
  readonly jobs: JobQueue;
  readonly http: OutboundHttp;
  readonly observer: DeliveryObserver;
  readonly retention: { readonly rules: RetentionRules; readonly observer: RetentionObserver };
  readonly storages: ObjectStores;
  readonly billing: Pick<Billing, 'plans' | 'rating' | 'credit'>;
  readonly payments: Pick<PaymentPoller, 'start' | 'stop'>;
  /** What the settings say that calls cost. */
  readonly prices: readonly CallPrice[];
  readonly numbers: Pick<NumberSweep, 'start' | 'stop'>;
  /** Null: no files are written. */
  readonly cdr: { readonly keepDays: number; readonly observer: CdrObserver } | null;
  readonly voicemail: Voicemail['jobs'];
  /** Null: what is said is not written down. */
  readonly transcriber: Transcriber | null;
  readonly voiceAuth: ChallengeCalls;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Run the jobs in this process. @returns how to stop. */
export function startJobsRole(options: JobsRoleOptions): () => Promise<void> {
  const { stores, cipher, jobs, http, observer, retention, storages, numbers, clock, log } = options;
  const { transcriber, voiceAuth, voicemail } = options;
  const { db } = stores;
  const deliverer = new Deliverer({ db, http, signer: new MessageSigner(cipher), clock, log, observer });
  const sweep = new WebhookSweep({ db, clock, log, wake: (lane) => deliverer.wake(lane) });
  const stopWebhooks = runWebhookJobs(jobs, deliverer, sweep);
  const stopRetention = runRetention({ db, ...retention, clock, log });
  const { recordings, usage } = stores;
  const removal = new RecordingRemoval({ recordings, stores: storages, log });
  const recordingSweep = new RecordingSweep({ recordings, removal, clock, log });
  recordingSweep.start();
  const usageFolding = new UsageFolding({ usage, clock, log });
  usageFolding.start();
  const { billing, payments, prices } = options;
  const ratingWork = new RatingWorker({ ...billing, prices, clock, log });
  ratingWork.start();
  payments.start();
  numbers.start();
  const dailyCdr =
    options.cdr &&
    new DailyCdr({
      db,
      cdr: stores.cdr,
      projects: stores.projects,
      exports: new CdrExport(stores.cdr),
      stores: storages,
      ...options.cdr,
      clock,
      log,
    });
  dailyCdr?.start();
  const { codes, transcripts, verifications, writer } = stores;
  const wake = (lanes: readonly string[]): void => writer.notifyLanes(lanes);
  const transcribe =
    transcriber && new TranscribeRecording({ transcripts, stores: storages, transcriber, clock, log, wake });
  const transcriptionSweep = new TranscriptionSweep({ transcripts, transcribe, jobs, clock, log });
  const stopTranscription = runTranscription(jobs, transcribe, transcriptionSweep);
  const challengeSettling = new ChallengeSettling({ challengeCalls: voiceAuth, clock, log });
  challengeSettling.start();
  const verifyExpiry = new VerifyExpiry({
    codes,
    verifications,
    clock,
    log,
    onLanes: (lanes) => writer.notifyLanes(lanes),
  });
  verifyExpiry.start();
  for (const job of voicemail) job.start();
  return async () => {
    const work = [
      recordingSweep,
      usageFolding,
      ratingWork,
      payments,
      verifyExpiry,
      challengeSettling,
      numbers,
      ...voicemail,
    ];
    await Promise.all([
      dailyCdr?.stop(),
      stopWebhooks(),
      stopRetention(),
      stopTranscription(),
      ...work.map((each) => each.stop()),
    ]);
  };
}
