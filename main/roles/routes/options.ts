import type { Redis } from 'ioredis';
import type { Settings } from '../../../config/settings.js';
import type { Cipher } from '../../../core/model/access/cipher.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { CommandBus } from '../../../core/ports/command-bus.js';
import type { JobQueue } from '../../../core/ports/jobs.js';
import type { Logger } from '../../../core/ports/logger.js';
import type { Mailer } from '../../../core/ports/mail.js';
import type { MediaStore } from '../../../core/ports/media-store.js';
import type { ObjectStores } from '../../../core/ports/object-store.js';
import type { OpenIdRelyingParty } from '../../../core/ports/openid.js';
import type { OutboundHttp } from '../../../core/ports/outbound-http.js';
import type { Speech } from '../../../core/ports/speech.js';
import type { Callbacks } from '../../../core/data/repositories/calls/callbacks.js';
import type { RateLimiter } from '../../../core/services/access/rate-limit.js';
import type { AudioService } from '../../../core/services/audio/audio.js';
import type { CallflowService } from '../../../core/services/callflows/manage.js';
import type { PlaceCallback } from '../../../core/services/callbacks/place.js';
import type { OwnCalls } from '../../../core/services/calls/own-calls.js';
import type { PrepareAudio } from '../../../core/services/calls/prepare-audio.js';
import type { OneTimeCodes } from '../../../core/services/codes/one-time-codes.js';
import type { Verify } from '../../../core/services/verify/verify.js';
import type { PaymentAdministration } from '../../../core/services/payments/administration.js';
import type { PaymentService } from '../../../core/services/payments/manage.js';
import type { EventFeed } from '../../../core/services/events/feed.js';
import type { IceServers } from '../../../core/services/web-calling/ice-servers.js';
import type { WebhookEndpoints } from '../../../core/services/webhooks/endpoints.js';
import type { HealthChecks } from '../../../api/routes/platform/health.js';
import type { PlatformMetrics } from '../../metrics/metrics.js';
import type { Billing } from '../../wiring/billing.js';
import type { Messaging } from '../../wiring/messaging.js';
import type { Placing } from '../../wiring/placing.js';
import type { IdentityServices } from '../../wiring/production-access.js';
import type { Queueing } from '../../wiring/queues.js';
import type { Management } from '../../wiring/management.js';
import type { Stores } from '../../wiring/stores.js';
import type { Parts } from '../../install/parts.js';
import type { Voicemail } from '../../wiring/voicemail.js';

/** The process's services for the routes. */
export interface RouteOptions {
  /** Where softphones register. */
  readonly parts: Pick<Parts, 'sip'>;
  readonly settings: Settings;
  readonly stores: Stores;
  readonly cipher: Cipher;
  readonly redis: Redis;
  readonly bus: CommandBus;
  readonly ownCalls: OwnCalls;
  readonly jobs: JobQueue;
  readonly http: OutboundHttp;
  readonly openid: OpenIdRelyingParty;
  readonly media: MediaStore;
  readonly storages: ObjectStores;
  readonly speech: Speech;
  readonly callflows: CallflowService;
  readonly placing: Placing;
  readonly verify: Verify;
  readonly identities: Pick<IdentityServices, 'verifications'>;
  readonly queues: Pick<Queueing, 'coordinator' | 'signIn'>;
  readonly codes: OneTimeCodes;
  readonly mailer: Mailer | null;
  readonly messaging: Omit<Messaging, 'tasks' | 'start'>;
  readonly management: Management;
  readonly voicemail: Pick<Voicemail, 'boxes' | 'messages'>;
  readonly billing: Billing;
  readonly payments: PaymentService;
  readonly paymentAdministration: PaymentAdministration;
  readonly checks: HealthChecks;
  /** The TURN and STUN servers of browsers. */
  readonly ice: IceServers;
  readonly metrics: Pick<PlatformMetrics, 'webConnected'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Shared by the routes of several resources, one of each. */
export interface SharedParts {
  readonly flags: Readonly<Record<string, boolean | undefined>>;
  readonly rateLimiter: RateLimiter;
  readonly publicUrl: () => string;
  readonly audio: AudioService;
  readonly prepareAudio: PrepareAudio;
  readonly endpoints: WebhookEndpoints;
  readonly feed: EventFeed;
  readonly callbacks: Callbacks;
  readonly placeCallback: PlaceCallback;
}
