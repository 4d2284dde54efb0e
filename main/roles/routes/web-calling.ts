import type { Route } from '../../../api/http/route.js';
import { webConnectRoutes } from '../../../api/routes/web-calling/connect.js';
import { webFeedbackRoutes } from '../../../api/routes/web-calling/feedback.js';
import { webResumeRoutes } from '../../../api/routes/web-calling/resume.js';
import { webSessionRoutes, type BrowserWays } from '../../../api/routes/web-calling/sessions.js';
import { WEB_SOCKET_PATH } from '../../../api/routes/web-calling/web-socket.js';
import { BrowserSockets } from '../../../api/web-socket/browser-sockets.js';
import type { Settings } from '../../../config/settings.js';
import type { EngineRow, OrganizationRow } from '../../../core/data/rows.js';
import { hostPort, parseSipAddress } from '../../../core/model/host-port.js';
import { isTelephony, webSocketOf } from '../../../core/model/engine-kinds.js';
import type { WebSessionLimits } from '../../../core/data/repositories/web-calling/sessions.js';
import type { RateLimiter } from '../../../core/services/access/rate-limit.js';
import { EngineSoftphones } from '../../../core/services/provisioning/softphones.js';
import { BrowserAccounts } from '../../../core/services/web-calling/account.js';
import { ConnectBrowsers, type ConnectOutcome } from '../../../core/services/web-calling/connect.js';
import { WebFeedback } from '../../../core/services/web-calling/feedback.js';
import type { IceServers } from '../../../core/services/web-calling/ice-servers.js';
import { BrowserPages } from '../../../core/services/web-calling/pages.js';
import { ManageWebSessions } from '../../../core/services/web-calling/sessions.js';
import { WebSocketWay } from '../../../core/services/web-calling/way-in.js';
import { environmentFlags } from '../../wiring/flags.js';
import type { RouteOptions } from './options.js';

export type WebCallingOptions = Pick<RouteOptions, 'settings' | 'stores' | 'cipher' | 'bus' | 'clock' | 'log'> & {
  readonly management: Pick<RouteOptions['management'], 'announce'>;
  readonly ice: IceServers;
  readonly metrics: { readonly webConnected: (outcome: ConnectOutcome) => void };
};

/** Routes of web calling, for backends and for browsers. */
export function openWebCallingRoutes(
  options: WebCallingOptions,
  publicUrl: () => string,
  limiter: RateLimiter,
): Route[] {
  const { settings, stores, cipher, ice, metrics, clock } = options;
  const { announce } = options.management;
  const { webSessions: sessions, agents, numbers } = stores;
  const ways: BrowserWays = {
    wsUrl: (id) => `${publicUrl().replace(/^http/, 'ws')}${WEB_SOCKET_PATH}?session=${id}`,
    iceServers: ({ identity, expires_at }, region) => ice.for(identity, expires_at, region),
  };
  const limits = webSessionLimits(settings);
  const softphones = openBrowserSoftphones(options);
  return [
    ...webSessionRoutes({
      sessions: new ManageWebSessions({ sessions, agents, numbers, limits, cipher, clock, announce }),
      ways,
      clock,
    }),
    ...webConnectRoutes({
      browsers: new ConnectBrowsers({
        sessions,
        softphones,
        ice,
        isOn: hasWebCalling(options),
        cipher,
        clock,
        announce,
        observe: (outcome) => metrics.webConnected(outcome),
      }),
      ways,
    }),
    ...webFeedbackRoutes({
      feedback: new WebFeedback({
        ...{ db: stores.db, sessions, accounts: browserAccounts(options), clock, limiter },
        onLanes: (lanes) => stores.writer.notifyLanes(lanes),
      }),
    }),
    ...webResumeRoutes({ pages: openBrowserPages(options, limiter) }),
  ];
}

function openBrowserSoftphones({ settings, stores, bus, clock, log }: WebCallingOptions): EngineSoftphones {
  const engines = async (): Promise<EngineRow[]> => (await stores.engines.list()).filter(takesBrowsers(settings));
  return new EngineSoftphones({ engines, bus, clock, log });
}

function browserAccounts(options: WebCallingOptions): BrowserAccounts {
  const { stores, cipher, clock } = options;
  return new BrowserAccounts({ sessions: stores.webSessions, cipher, isOn: hasWebCalling(options), clock });
}

function openBrowserPages(options: WebCallingOptions, limiter: RateLimiter): BrowserPages {
  const { stores, bus, clock, log } = options;
  return new BrowserPages({
    ...{ sessions: stores.webSessions, accounts: browserAccounts(options), bus, clock, limiter, log },
  });
}

/** The WebSockets of browsers. */
export function openBrowserSockets(options: WebCallingOptions, limiter: RateLimiter): BrowserSockets {
  const { stores, clock, log } = options;
  const way = new WebSocketWay({
    sessions: stores.webSessions,
    engines: () => stores.engines.list(),
    softphones: openBrowserSoftphones(options),
    edge: edgeUrls(options.settings),
    placesOf: (aor) => stores.registrations.placesOf(aor),
    isOn: hasWebCalling(options),
    clock,
  });
  const pages = openBrowserPages(options, limiter);
  return new BrowserSockets({ way, clock, log, onPageLeft: (id, password) => void pages.left(id, password) });
}

/** The WebSocket of the SIP edge; empty if it has none. Null without an edge. */
function edgeUrls({ SIP_EDGE, SIP_EDGE_WS: address }: Settings): readonly string[] | null {
  if (SIP_EDGE === 'direct') return null;
  return address === undefined ? [] : [`ws://${hostPort(parseSipAddress(address))}`];
}

/** Which engines have to know browsers. Behind the SIP edge, browsers are its phones, and every engine may ring them. */
function takesBrowsers(settings: Settings): (row: EngineRow) => boolean {
  const edge = edgeUrls(settings);
  return (row) => (edge === null ? webSocketOf(row) !== null : edge.length > 0 && isTelephony(row.kind));
}

export function webSessionLimits(settings: Settings): WebSessionLimits {
  return { perProject: settings.WEB_SESSIONS_PER_PROJECT, perIdentity: settings.WEB_SESSIONS_PER_IDENTITY };
}

/** Whether an organization has web calling. */
export function hasWebCalling({
  settings,
}: Pick<WebCallingOptions, 'settings'>): (organization: OrganizationRow) => boolean {
  const flags = environmentFlags(settings);
  return ({ flags: own }) => own.web_calling ?? flags.web_calling ?? true;
}
