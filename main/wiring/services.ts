import { RedisChatSignals } from '../../adapters/channels/webchat/redis-signals.js';
import type { Mailer } from '../../core/ports/mail.js';
import type { Prompts } from '../../core/services/call-state/program.js';
import { BlockReports } from '../../core/services/blocked-callers/reports.js';
import type { OneTimeCodes } from '../../core/services/codes/one-time-codes.js';
import type { Closers } from '../../core/services/runtime/closers.js';
import type { PeriodicTask } from '../../core/services/runtime/periodic-task.js';
import { speakMessages } from '../../core/services/messaging/fallback/speak.js';
import { VoicemailNotices } from '../../core/services/voicemail/notices.js';
import type { Verify } from '../../core/services/verify/verify.js';
import type { ChallengeCalls } from '../../core/services/voice-auth/challenge-calls.js';
import { LaneWaker } from '../../core/services/webhooks/wake.js';
import { fraudObserver } from '../metrics/fraud-metrics.js';
import { paymentObserver } from '../metrics/payment-metrics.js';
import { queueObserver } from '../metrics/queue-metrics.js';
import { openBilling, type Billing } from './billing.js';
import { openCallflows, type Callflowing } from './callflows.js';
import { openChallengeCalls, openCodes, openVerify } from './codes.js';
import { environmentFlags } from './flags.js';
import type { Infrastructure } from './infrastructure.js';
import { openMailer } from './mailer.js';
import { openManagement, type Management } from './management.js';
import { openMessaging, type Messaging } from './messaging.js';
import { openPaying, type Paying } from './payments.js';
import { openPlacing, type Placing } from './placing.js';
import { spokenPrompts } from './speech/prompts.js';
import { openIdentities, type IdentityServices } from './production-access.js';
import { openQueueing, type Queueing } from './queues.js';
import { applyTrunkSetting } from './settings-trunk.js';
import { openVoicemail, type Voicemail } from './voicemail.js';

/** Services that several roles use, one of each for the process. */
export interface Services {
  readonly management: Management;
  readonly billing: Billing;
  readonly paying: Paying;
  readonly identities: IdentityServices;
  readonly codes: OneTimeCodes;
  readonly challengeCalls: ChallengeCalls;
  /** Null if no mail server is set. */
  readonly mailer: Mailer | null;
  readonly messaging: Messaging;
  readonly prompts: Prompts;
  readonly voicemail: Voicemail;
  /** Announces voicemail by messages. */
  readonly voicemailNotices: PeriodicTask;
  readonly queues: Queueing;
  readonly placing: Placing;
  /** Counts and reports calls of blocked callers. */
  readonly blockReports: BlockReports;
  readonly verify: Verify;
  /** Sends codes over another channel if one fails. */
  readonly verifyFallback: PeriodicTask;
  /** Tries further channels of messages. */
  readonly messageFallback: PeriodicTask;
  /** Offers chats to the agents of queues, and gives those back whose agents have left. */
  readonly chatRouting: readonly PeriodicTask[];
  readonly callflows: Callflowing;
}

/** The second step of a start: creates the services. None of them is active yet. */
export async function openServices(infrastructure: Infrastructure, closers: Closers): Promise<Services> {
  const { settings, stores, storages, cipher, redis, bus, jobs, http, media, speech, metrics, clock, log } =
    infrastructure;
  const waker = new LaneWaker(jobs);
  const wake = (lanes: readonly string[]): void => waker.wake(lanes);
  const management = openManagement(stores, storages, cipher, clock, log, redis, settings, wake);
  stores.writer.onLanes(wake);
  const billing = openBilling(stores, clock, wake);
  const paying = openPaying({ stores, settings, observer: paymentObserver(metrics.registry), clock, log, wake });
  closers.addTolerant(() => paying.close());
  const identities = openIdentities({ stores, settings, cipher, clock, log });
  closers.addTolerant(() => identities.close());
  await applyTrunkSetting(settings, management.trunks);
  await management.numbering.demo.withdrawIfReplaced();

  const codes = openCodes(stores, cipher, clock);
  const challengeCalls = openChallengeCalls(stores, management.brands, clock);
  const mailer = openMailer(settings);
  const chatSignals = new RedisChatSignals(redis, infrastructure.subscriber, log);
  const messaging = openMessaging({
    ...{ chatSignals, mailer },
    ...{ settings, stores, storages, audio: media, cipher, credit: billing.credit, clock, log, wake },
  });
  const prompts = spokenPrompts(speech, log);
  const isOn = environmentFlags(settings).voicemail ?? true;
  const voicemail = openVoicemail({ stores, storages, media, prompts, mailer, cipher, isOn, clock, log });
  const voicemailNotices = new VoicemailNotices({
    ...{ voicemails: stores.voicemails, messages: stores.messages, send: messaging.send, texts: messaging.texts },
    ...{ organization: (id) => stores.organizations.get(id), isEnabled: messaging.isEnabled, clock, log },
  });
  const queues = openQueueing({
    stores,
    redis,
    prompts,
    clock,
    log,
    observer: queueObserver(metrics.registry, (id) => stores.directory.queue(id)),
    boxes: voicemail.boxLookup,
    blockedCallers: management.blockedCallers,
    forwarding: management.forwarding,
    emergency: new Set(settings.EMERGENCY_NUMBERS),
  });

  const placing = openPlacing({
    ...{ settings, stores, bus, credit: billing.credit, redis, wake, clock, log },
    observer: fraudObserver(metrics.registry),
  });
  const { verify, fallback: verifyFallback } = openVerify({
    ...{ settings, stores, codes, speech, mailer, cipher, redis, clock, log },
    codeChannels: messaging.codeChannels,
    brands: management.brands,
    calls: placing.systemCall,
  });
  const speak = speakMessages({
    ...{ calls: placing.systemCall, speech, clock },
    project: (id) => stores.directory.project(id),
  });
  const messageFallback = messaging.fallBack(speak);
  const chatRouting = messaging.routeChats((projectId) => queues.coordinator.view(projectId));
  const blockReports = new BlockReports({ db: stores.db, table: stores.blockedCallers, wake, clock, log });
  blockReports.start();
  closers.add(() => blockReports.stop());
  const callflows = openCallflows({
    ...{ stores, cipher, http, media, speech, verify, clock, log },
    consent: queues.consent,
    announce: () => management.announce(),
  });
  // The last writes of the roles must reach the database before connections are closed.
  closers.add(() => stores.writer.idle());
  return {
    ...{ management, billing, paying, identities, codes, challengeCalls, mailer, messaging },
    ...{
      prompts,
      voicemail,
      voicemailNotices,
      queues,
      placing,
      blockReports,
      verify,
      verifyFallback,
      messageFallback,
      chatRouting,
      callflows,
    },
  };
}
