import { AuditChain } from '../core/services/audit/chain.js';
import { RatingWorker } from '../core/services/billing/rating-worker.js';
import { DailyCdr } from '../core/services/cdr/daily.js';
import { CdrExport } from '../core/services/cdr/export.js';
import { ContactImportTask } from '../core/services/contacts/import/task.js';
import { Mailbox } from '../core/data/repositories/mails/mailbox.js';
import { Mails } from '../core/services/mails/mails.js';
import { RecordingRemoval } from '../core/services/recordings/removal.js';
import { RecordingSweep } from '../core/services/recordings/sweep.js';
import { Retention } from '../core/services/retention/retention.js';
import type { PeriodicTask } from '../core/services/runtime/periodic-task.js';
import { TranscriptionSweep } from '../core/services/transcription/sweep.js';
import type { TranscribeRecording } from '../core/services/transcription/transcribe.js';
import { UsageFolding } from '../core/services/usage/folding.js';
import { VerifyExpiry } from '../core/services/verify/expiry.js';
import { ChallengeExpiry } from '../core/services/voice-auth/expiry.js';
import type { Deliverer } from '../core/services/webhooks/deliverer.js';
import { WebhookSweep } from '../core/services/webhooks/sweep.js';
import type { JobsOptions } from './options.js';

/** The workers to which the tasks pass due work. */
export interface PeriodicWorkers {
  readonly deliverer: Pick<Deliverer, 'wake'>;
  /** Null if nothing can transcribe. */
  readonly transcribe: TranscribeRecording | null;
}

/** All periodic background work of the platform. New tasks are added to this list. */
export function periodicTasks(options: JobsOptions, { deliverer, transcribe }: PeriodicWorkers): PeriodicTask[] {
  const { stores, storages, cipher, jobs, retention, billing, cdr, clock, log } = options;
  const { prices, numberPrices, messagePrices } = options;
  const { db, codes, recordings, transcripts, usage, verifications, writer } = stores;
  const removal = new RecordingRemoval({ recordings, stores: storages, log });
  const exports = new CdrExport(stores.cdr);
  const audit = new AuditChain({ db, cipher, clock });
  const onLanes = (lanes: readonly string[]): void => writer.notifyLanes(lanes);
  return [
    new WebhookSweep({ db, clock, wake: (lane) => deliverer.wake(lane) }),
    new RatingWorker({ ...billing, prices, numberPrices, messagePrices }),
    new UsageFolding({ usage }),
    options.paymentPoller,
    options.identityPoller,
    options.numberSweep,
    ...options.voicemailTasks,
    new VerifyExpiry({ codes, verifications, clock, onLanes }),
    options.verifyFallback,
    ...options.messagingTasks,
    options.endBlockedCalls,
    options.webSessionSweep,
    ...options.privacyTasks,
    new ContactImportTask({ db, clock, log }),
    new Mails({ mailbox: new Mailbox(db), mailer: options.mailer, cipher, clock, log }),
    new ChallengeExpiry({ challengeCalls: options.challengeCalls }),
    new TranscriptionSweep({ transcripts, transcribe, jobs, clock }),
    new RecordingSweep({ recordings, removal, clock, log }),
    ...(options.certificateRenewal ? [options.certificateRenewal] : []),
    audit,
    new Retention({ db, ...retention, audit, clock, log }),
    ...(cdr ? [new DailyCdr({ ...stores, exports, stores: storages, ...cdr, clock, log })] : []),
  ];
}
