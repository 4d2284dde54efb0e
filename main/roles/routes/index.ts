import type { FollowChats } from '../../../core/services/messaging/webchat/follow-chats.js';
import type { VisitorChats } from '../../../core/services/messaging/webchat/visitor-chats.js';
import type { AccessTokens } from '../../../core/services/access/access-tokens.js';
import type { RateLimiter } from '../../../core/services/access/rate-limit.js';
import { CustomerNumbers } from '../../../core/services/calls/customer-numbers.js';
import { CdrExport } from '../../../core/services/cdr/export.js';
import { EventLog } from '../../../core/services/events/list.js';
import { ReadUsage } from '../../../core/services/usage/read.js';
import { DeliveryLog } from '../../../core/services/webhooks/delivery-log.js';
import { LaneWaker } from '../../../core/services/webhooks/wake.js';
import type { Route } from '../../../api/http/route.js';
import { audioRoutes } from '../../../api/routes/recordings/audio.js';
import { callflowRoutes } from '../../../api/routes/flows/callflows.js';
import { billingRoutes } from '../../../api/routes/billing/billing.js';
import { fraudRoutes } from '../../../api/routes/billing/fraud.js';
import { fraudDefaultsRoutes } from '../../../api/routes/billing/fraud-defaults.js';
import { cdrRoutes } from '../../../api/routes/calls/cdr.js';
import { paymentRoutes } from '../../../api/routes/billing/payments.js';
import { eventRoutes } from '../../../api/routes/webhooks/events.js';
import { healthRoute } from '../../../api/routes/platform/health.js';
import { creditNoteRoutes } from '../../../api/routes/billing/credit-notes.js';
import { invoiceRoutes } from '../../../api/routes/billing/invoices.js';
import { openApiRoute } from '../../../api/routes/platform/openapi.js';
import { usageRoutes } from '../../../api/routes/billing/usage.js';
import { broadcastRoutes } from '../../../api/routes/messaging/broadcasts.js';
import { chatStreamRoutes } from '../../../api/routes/messaging/chat-stream.js';
import { chatRoutes } from '../../../api/routes/messaging/chats.js';
import { chatappAccountRoutes } from '../../../api/routes/messaging/chatapp-accounts.js';
import { fileRoutes } from '../../../api/routes/messaging/files.js';
import { linkRoutes } from '../../../api/routes/messaging/links.js';
import { messageRoutes } from '../../../api/routes/messaging/messages.js';
import { noticeRoutes } from '../../../api/routes/messaging/notices.js';
import { senderRoutes } from '../../../api/routes/messaging/senders.js';
import { unsubscribeRoutes } from '../../../api/routes/messaging/unsubscribe.js';
import { threadRoutes } from '../../../api/routes/messaging/threads.js';
import { templateRoutes } from '../../../api/routes/messaging/templates.js';
import { verifyRoutes } from '../../../api/routes/verification/verify.js';
import { voiceAuthRoutes } from '../../../api/routes/verification/voice-auth.js';
import { brandRoutes } from '../../../api/routes/verification/voice-auth-brands.js';
import { webhookDeliveryRoutes } from '../../../api/routes/webhooks/webhook-deliveries.js';
import { voicemailRoutes } from '../../../api/routes/recordings/voicemail.js';
import { webhookRoutes } from '../../../api/routes/webhooks/webhooks.js';
import { openSender, openVoiceAuth } from '../../wiring/codes.js';
import { openInvoicing } from '../../wiring/invoices.js';
import { VERSION } from '../../install/version.js';
import type { Administration } from '../../wiring/administration.js';
import { openAdministrationRoutes } from './administration.js';
import { openAccountRoutes } from './accounts.js';
import { openWebCallingRoutes } from './web-calling.js';
import { openWidgets } from './widgets.js';
import { openCallRoutes } from './calls.js';
import { openContactRoutes } from './contacts.js';
import { openNumberRoutes } from './numbers.js';
import { openOrganizationRoutes } from './organization.js';
import type { RouteOptions } from './options.js';
import { openQueueRoutes } from './queues.js';
import { openPrivacyRequests } from '../../wiring/privacy/requests.js';
import { privacyRoutes } from '../../../api/routes/privacy/requests.js';
import { openShared } from './shared.js';

/** What the API role opens for itself and for the routes. */
export interface ApiParts {
  readonly rateLimiter: RateLimiter;
  readonly visitorChats: VisitorChats;
  readonly following: FollowChats;
  readonly accessTokens: AccessTokens;
  readonly publicUrl: () => string;
  readonly administration: Administration;
  /** Drops what this process caches of keys, sessions, organizations and projects. */
  readonly clearCaches: () => void;
}

/**
 * Every route of `/v1` with its services.
 * @returns `stop` closes what was opened
 */
export function openRoutes(options: RouteOptions, parts: ApiParts): { routes: Route[]; stop: () => void } {
  const { stores, cipher, jobs, clock } = options;
  const { rateLimiter, publicUrl, administration, clearCaches } = parts;
  const { shared, stop } = openShared(options, rateLimiter, publicUrl);
  const { flags, audio, endpoints, feed, callbacks, placeCallback } = shared;
  const { brands } = options.management;
  const calls = options.placing.systemCall;
  const waker = new LaneWaker(jobs);
  const wake = (lanes: readonly string[]): void => waker.wake(lanes);
  const invoicing = openInvoicing(stores, options.settings, clock, wake);
  const routes: Route[] = [
    ...openCallRoutes(options, shared),
    ...voicemailRoutes({ ...options.voicemail, publicUrl }),
    ...openQueueRoutes(options, shared),
    // Before the flows, whose ids would match `audio`.
    ...audioRoutes({ audio }),
    ...callflowRoutes({
      callflows: options.callflows,
      hasGraphs: ({ organization }) => organization.flags.graph_callflows ?? flags.graph_callflows ?? true,
    }),
    ...openNumberRoutes(options, shared),
    ...openContactRoutes({ ...options, consents: options.messaging.consents, wake }),
    ...webhookRoutes({ endpoints, cipher }),
    ...webhookDeliveryRoutes(new DeliveryLog({ db: stores.db, jobs, clock, wake })),
    ...eventRoutes({
      log: new EventLog(stores.db),
      feed,
      customerNumbers: new CustomerNumbers(stores.calls),
      streamsPerKey: options.settings.EVENT_STREAMS_PER_KEY,
    }),
    ...verifyRoutes({ verify: options.verify }),
    ...voiceAuthRoutes({ voiceAuth: openVoiceAuth({ ...options, brands, calls }) }),
    ...brandRoutes({ brands }),
    // Before the messages, whose ids would match.
    ...templateRoutes(options.messaging),
    ...senderRoutes(options.messaging),
    ...chatStreamRoutes({
      attend: options.messaging.chats.attend,
      following: parts.following,
      streamsPerKey: options.settings.EVENT_STREAMS_PER_KEY,
    }),
    ...threadRoutes(options.messaging),
    ...chatRoutes({
      ...options.messaging,
      agentByExtension: (projectId, agent) => stores.directory.agentByExtension(projectId, agent),
    }),
    ...noticeRoutes(options.messaging),
    ...chatappAccountRoutes(options.messaging),
    ...unsubscribeRoutes(options.messaging),
    ...fileRoutes(options.messaging),
    ...linkRoutes(options.messaging),
    ...messageRoutes(options.messaging),
    ...broadcastRoutes(options.messaging),
    ...usageRoutes({ read: new ReadUsage(stores.usage) }),
    ...billingRoutes(options.billing),
    ...fraudRoutes(options.management),
    ...fraudDefaultsRoutes(options.management),
    ...invoiceRoutes({ invoices: invoicing.read }),
    ...creditNoteRoutes({ creditNotes: invoicing.readCredits }),
    ...cdrRoutes({ exports: new CdrExport(stores.cdr) }),
    ...paymentRoutes(options),
    ...openWidgets({
      ...options,
      ...shared,
      place: placeCallback,
      sender: openSender({ ...options, calls, codeChannels: options.messaging.codeChannels }),
      callbacks,
      visitorChats: parts.visitorChats,
    }),
    ...openAdministrationRoutes(options, publicUrl, administration, wake, clearCaches),
    ...openOrganizationRoutes({
      ...options,
      db: stores.db,
      announce: () => options.management.announce(),
      publicUrl,
      clearCaches,
    }),
    ...privacyRoutes({ requests: openPrivacyRequests(options) }),
    ...openAccountRoutes(options, parts),
    ...openWebCallingRoutes(options, publicUrl, rateLimiter),
    healthRoute({ version: VERSION, checks: options.checks }),
  ];
  routes.push(openApiRoute({ routes: () => routes, version: VERSION, publicUrl }));
  return { routes, stop };
}
