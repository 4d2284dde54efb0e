import type { Redis } from 'ioredis';
import type { Route } from '../../../api/http/route.js';
import { widgetChatRoutes } from '../../../api/routes/widgets/chats.js';
import { widgetVisitRoutes } from '../../../api/routes/widgets/widget.js';
import { widgetRoutes } from '../../../api/routes/widgets/widgets.js';
import type { Settings } from '../../../config/settings.js';
import type { Callbacks } from '../../../core/data/repositories/calls/callbacks.js';
import type { Cipher } from '../../../core/model/access/cipher.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { Logger } from '../../../core/ports/logger.js';
import type { RateLimiter } from '../../../core/services/access/rate-limit.js';
import type { PlaceCallback } from '../../../core/services/callbacks/place.js';
import type { EventFeed } from '../../../core/services/events/feed.js';
import type { VisitorChats } from '../../../core/services/messaging/webchat/visitor-chats.js';
import { WidgetAllowance } from '../../../core/services/widgets/allowance.js';
import type { OneTimeCodes } from '../../../core/services/codes/one-time-codes.js';
import type { CodeSender } from '../../../core/services/verify/sender.js';
import { WidgetCodes } from '../../../core/services/widgets/codes.js';
import { WidgetBrowserCalls } from '../../../core/services/widgets/browser-calls.js';
import { ManageWebSessions } from '../../../core/services/web-calling/sessions.js';
import { WidgetCallbacks } from '../../../core/services/widgets/callbacks.js';
import { ProofsOfWork } from '../../../core/services/access/proofs-of-work.js';
import type { ChatLookup } from '../../../core/services/widgets/visitor.js';
import { StatusTokens } from '../../../core/services/widgets/status-token.js';
import { hasWebCalling, webSessionLimits } from './web-calling.js';
import { openSendLimits } from '../../wiring/codes.js';
import type { Management } from '../../wiring/management.js';
import type { Stores } from '../../wiring/stores.js';

export interface WidgetsOptions {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly cipher: Cipher;
  readonly management: Pick<Management, 'widgets' | 'announce'>;
  readonly place: PlaceCallback;
  readonly codes: OneTimeCodes;
  readonly sender: CodeSender;
  readonly callbacks: Callbacks;
  readonly feed: EventFeed;
  readonly rateLimiter: RateLimiter;
  readonly visitorChats: VisitorChats;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly redis: Redis;
  readonly log: Logger;
}

/** Routes for click-to-call widgets, for their owners and for visitors of web pages. */
export function openWidgets(options: WidgetsOptions): Route[] {
  const { settings, stores, cipher, management, place, callbacks, feed, rateLimiter, publicUrl, clock, log } = options;
  const { codes, sender, visitorChats } = options;
  const proofs = new ProofsOfWork(stores.widgets, clock, cipher);
  const limits = {
    perAddress: settings.WIDGET_CALLS_PER_ADDRESS,
    perNumber: settings.WIDGET_CALLS_PER_NUMBER,
    perWidget: settings.WIDGET_CALLS_PER_WIDGET,
    perProject: settings.WIDGET_CALLS_PER_PROJECT,
    blockedPrefixes: settings.VERIFY_BLOCKED_PREFIXES,
  };
  const sending = openSendLimits(options, 'widget', (...asked) => stores.codes.conversionOfWidgets(...asked));
  const allowance = new WidgetAllowance({ limiter: rateLimiter, limits, sending, cipher, log });
  const tokens = new StatusTokens(cipher, clock);
  const proven = new WidgetCodes({ codes, rows: stores.codes, sender, proofs, allowance, cipher, clock });
  const { webSessions, agents, numbers } = stores;
  const sessions = new ManageWebSessions({
    ...{ sessions: webSessions, agents, numbers, limits: webSessionLimits(settings), cipher, clock },
    announce: () => management.announce(),
  });
  const chatOf: ChatLookup = (...chat) => visitorChats.calling(...chat);
  return [
    ...widgetRoutes({ widgets: management.widgets, publicUrl }),
    ...widgetVisitRoutes({
      callbacks: new WidgetCallbacks({
        place,
        callbacks,
        proofs,
        codes: proven,
        allowance,
        tokens,
        feed,
        clock,
        chatOf,
      }),
      proofs,
      codes: proven,
      browserCalls: new WidgetBrowserCalls({ sessions, proofs, allowance, chatOf, isOn: hasWebCalling(options) }),
      visitorChats,
    }),
    ...widgetChatRoutes({ visitorChats }),
  ];
}
