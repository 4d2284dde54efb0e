import type { CallWriter } from '../core/data/call-writer.js';
import type { Database } from '../core/data/database.js';
import type { Projects } from '../core/data/repositories/accounts/projects.js';
import type { Usage } from '../core/data/repositories/billing/usage.js';
import type { Cdr } from '../core/data/repositories/calls/cdr.js';
import type { Recordings } from '../core/data/repositories/calls/recordings.js';
import type { Transcripts } from '../core/data/repositories/calls/transcripts.js';
import type { Codes } from '../core/data/repositories/verification/codes.js';
import type { Verifications } from '../core/data/repositories/verification/verifications.js';
import type { Cipher } from '../core/model/access/cipher.js';
import type { MessagePrice } from '../core/model/rating/message-rate.js';
import type { NumberPrice } from '../core/model/rating/number-fee.js';
import type { CallPrice } from '../core/model/rating/rate.js';
import type { Clock } from '../core/ports/clock.js';
import type { JobQueue } from '../core/ports/jobs.js';
import type { Logger } from '../core/ports/logger.js';
import type { Mailer } from '../core/ports/mail.js';
import type { ObjectStores } from '../core/ports/object-store.js';
import type { OutboundHttp } from '../core/ports/outbound-http.js';
import type { Transcriber } from '../core/ports/transcription.js';
import type { Credit } from '../core/services/billing/credit.js';
import type { NumberFeeCharging } from '../core/services/billing/number-fees.js';
import type { PlanService } from '../core/services/billing/plans.js';
import type { CallRating } from '../core/services/billing/rating.js';
import type { CdrObserver } from '../core/services/cdr/daily.js';
import type { RetentionObserver, RetentionRules } from '../core/services/retention/retention.js';
import type { PeriodicTask } from '../core/services/runtime/periodic-task.js';
import type { ChallengeCalls } from '../core/services/voice-auth/challenge-calls.js';
import type { DeliveryObserver } from '../core/services/webhooks/deliverer.js';

/** The tables that jobs read and write. */
export interface JobStores {
  readonly db: Database;
  readonly cdr: Cdr;
  readonly codes: Codes;
  readonly projects: Projects;
  readonly recordings: Recordings;
  readonly transcripts: Transcripts;
  readonly usage: Usage;
  readonly verifications: Verifications;
  readonly writer: CallWriter;
}

/** The dependencies of this process's jobs. */
export interface JobsOptions {
  readonly stores: JobStores;
  readonly storages: ObjectStores;
  readonly cipher: Cipher;
  readonly jobs: JobQueue;
  readonly http: OutboundHttp;
  readonly webhooks: DeliveryObserver;
  readonly retention: { readonly rules: RetentionRules; readonly observer: RetentionObserver };
  readonly billing: {
    readonly plans: PlanService;
    readonly rating: CallRating;
    readonly credit: Credit;
    readonly numberFees: NumberFeeCharging;
  };
  /** Call prices of the settings. */
  readonly prices: readonly CallPrice[];
  /** Monthly prices of numbers of the settings. */
  readonly numberPrices: readonly NumberPrice[];
  /** Prices of messages of the settings. */
  readonly messagePrices: readonly MessagePrice[];
  /** Null: no files of call detail records are written. */
  readonly cdr: { readonly keepDays: number; readonly observer: CdrObserver } | null;
  /** Null: recordings are not transcribed. */
  readonly transcriber: Transcriber | null;
  readonly challengeCalls: ChallengeCalls;
  readonly paymentPoller: PeriodicTask;
  readonly identityPoller: PeriodicTask;
  readonly numberSweep: PeriodicTask;
  readonly voicemailTasks: readonly PeriodicTask[];
  readonly verifyFallback: PeriodicTask;
  readonly messagingTasks: readonly PeriodicTask[];
  /** Ends live calls of those who were blocked against toll fraud. */
  readonly endBlockedCalls: PeriodicTask;
  /** Ends web calling sessions. */
  readonly webSessionSweep: PeriodicTask;
  readonly privacyTasks: readonly PeriodicTask[];
  /** Null if the settings ask no authority for a certificate. */
  readonly certificateRenewal: PeriodicTask | null;
  /** Null if no mail server is set. */
  readonly mailer: Mailer | null;
  readonly clock: Clock;
  readonly log: Logger;
}
