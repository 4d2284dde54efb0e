import { Router, type Request, type Response } from 'express';
import { invalidField } from '../../../core/model/errors/index.js';
import type { ApiDeps } from '../../http/deps.js';
import { foreignOrigin } from '../../http/origin.js';
import { readQuery } from '../../http/request/query.js';
import type { BrowserSockets } from '../../web-socket/browser-sockets.js';
import { leaveHttp, upgradeOf } from '../../web-socket/upgrades.js';

/** Where browsers speak SIP over WebSocket. */
export const WEB_SOCKET_PATH = '/v1/web-calling/ws';

export interface WebSocketRouterOptions extends Pick<ApiDeps, 'publicUrl' | 'allowedOrigins'> {
  readonly sockets: Pick<BrowserSockets, 'admit' | 'join'>;
}

/** The WebSocket of web calling: it is no route of the API document, which describes HTTP. */
export function webSocketRouter({ sockets, ...deps }: WebSocketRouterOptions): Router {
  const router = Router();
  router.get(WEB_SOCKET_PATH, async (req: Request, res: Response) => {
    const upgrade = upgradeOf(req);
    const { session } = readQuery(req.url);
    const sessionId = typeof session === 'string' ? session : '';
    const origin = foreignOrigin(deps, req);
    if (!upgrade) {
      // Browsers hide from a page why a WebSocket is refused, so that it asks again without one.
      res.setHeader('Access-Control-Allow-Origin', '*');
      await sockets.admit(sessionId, origin);
      throw invalidField('Upgrade', { en: 'must be `websocket`', ar: 'يجب أن تكون `websocket`' });
    }
    await sockets.join({ req, upgrade, sessionId, origin }, () => leaveHttp(req, res));
  });
  return router;
}
