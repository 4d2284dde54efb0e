import type { Settings } from '../../config/settings.js';
import { EndBlockedCalls } from '../../core/services/calls/end-blocked-calls.js';
import type { Closers } from '../../core/services/runtime/closers.js';
import type { RetentionRules } from '../../core/services/retention/retention.js';
import { WebSessionSweep } from '../../core/services/web-calling/sweep.js';
import { startJobs } from '../../jobs/start.js';
import { callPrices, messagePrices, numberPrices } from '../wiring/call-prices.js';
import { openRenewal } from '../wiring/certificates/acme.js';
import type { Infrastructure } from '../wiring/infrastructure.js';
import { openPrivacyTasks } from '../wiring/privacy/tasks.js';
import type { Services } from '../wiring/services.js';
import { openTranscriber } from '../wiring/speech/transcription.js';

/** Starts the role `jobs`. */
export function startJobsRole(infrastructure: Infrastructure, services: Services, closers: Closers): void {
  const { settings, stores, storages, media, bus, cipher, jobs, http, metrics, clock, log } = infrastructure;
  const {
    management,
    billing,
    paying,
    identities,
    voicemail,
    voicemailNotices,
    challengeCalls,
    verifyFallback,
    messageFallback,
    chatRouting,
    mailer,
    messaging,
  } = services;
  const transcriber = openTranscriber(settings, log);
  const renewal = openRenewal(infrastructure);
  const stop = startJobs({
    ...{ stores, storages, cipher, jobs, http, billing, transcriber, challengeCalls, clock, log },
    webhooks: metrics.webhooks,
    retention: { rules: retentionRules(settings), observer: metrics.retention },
    prices: callPrices(settings),
    numberPrices: numberPrices(settings),
    messagePrices: messagePrices(settings),
    cdr: settings.CDR_EXPORT ? { keepDays: settings.CDR_EXPORT_KEEP_DAYS, observer: metrics.cdr } : null,
    paymentPoller: paying.poller,
    identityPoller: identities.poller,
    numberSweep: management.numbering.sweep,
    voicemailTasks: [...voicemail.tasks, voicemailNotices],
    verifyFallback,
    messagingTasks: [...messaging.tasks, messageFallback, ...chatRouting],
    endBlockedCalls: new EndBlockedCalls({ table: stores.fraudGuard, bus, clock, log }),
    webSessionSweep: new WebSessionSweep({ sessions: stores.webSessions, bus, clock, log }),
    privacyTasks: openPrivacyTasks({ settings, stores, storages, media, management, bus, cipher, clock, log }),
    certificateRenewal: renewal?.task ?? null,
    mailer,
  });
  closers.add(messaging.start());
  closers.add(async () => {
    const stopped = stop();
    // An order may take minutes: it is given up, and due again at once.
    await renewal?.close();
    await stopped;
  });
  // Before the workers stop: a transcription takes minutes, and is repeated after the next start.
  closers.addTolerant(() => transcriber?.close());
}

function retentionRules(settings: Settings): RetentionRules {
  return {
    eventsDays: settings.RETENTION_EVENTS_DAYS,
    timelineDays: settings.RETENTION_TIMELINE_DAYS,
    auditDays: settings.RETENTION_AUDIT_DAYS,
    verificationsDays: settings.RETENTION_VERIFICATIONS_DAYS,
    messagesDays: settings.RETENTION_MESSAGES_DAYS,
    refusedCallsDays: settings.RETENTION_REFUSED_CALLS_DAYS,
  };
}
