import { z } from 'zod';
import { isoTime } from '../../../core/model/time.js';
import { WEB_HOST } from '../../../core/model/web-calling.js';
import type { ConnectBrowsers } from '../../../core/services/web-calling/connect.js';
import { route, type Route } from '../../http/route.js';
import { connection } from './fields.js';
import { auditNote, BROWSER_ERRORS, BROWSER_ROUTE } from './browser-route.js';
import type { BrowserWays } from './sessions.js';

export interface ConnectRouteServices {
  readonly browsers: ConnectBrowsers;
  readonly ways: BrowserWays;
}

const body = z.strictObject({
  token: z.string().max(256).describe('The token of the session: `wcs_…`'),
  device_nonce: z
    .string()
    .min(16)
    .max(128)
    .optional()
    .describe('Random, made by the browser: with it, the browser may ask again within 30 seconds if no answer arrived'),
  region: z.string().max(32).optional().describe('Puts the TURN servers of this region first'),
});

/** How a browser gets its SIP account. */
export function webConnectRoutes({ browsers, ways }: ConnectRouteServices): Route[] {
  return [
    route({
      ...BROWSER_ROUTE,
      path: '/v1/web-calling/connect',
      operationId: 'connectWebCalling',
      summary: 'Connect a browser',
      summaryAr: 'ربط متصفح بجلسة اتصال',
      description:
        'For the browser, without a key. The token works once: if it is used again, the session is revoked, because somebody else may ' +
        'have it. The SIP account works as long as the session, also after the connection was interrupted. The page must be of an origin ' +
        'in `allowed_origins` of the project. Fails with `WEBRTC_PROVISIONING_FAILED` if no engine could take the account; the token then ' +
        'still works.',
      body,
      responses: { 200: { schema: connection, description: 'The SIP account' } },
      errors: [...BROWSER_ERRORS, 'WCS_REUSE_DETECTED', 'TURN_UNAVAILABLE', 'WEBRTC_PROVISIONING_FAILED'],
      handler: async ({ body: { token, device_nonce: nonce = null, region = null }, origin, note }) => {
        const { session, password } = await browsers.connect({ token, nonce, origin }, ({ session: of }) =>
          note(auditNote(of)),
        );
        return {
          status: 200,
          body: {
            sip: { uri: `sip:${session.aor}@${WEB_HOST}`, username: session.aor, password },
            ws_url: ways.wsUrl(session.id),
            ice_servers: ways.iceServers(session, region),
            identity: session.identity,
            display_name: session.display_name,
            expires_at: isoTime(session.expires_at),
          },
        };
      },
    }),
  ];
}
