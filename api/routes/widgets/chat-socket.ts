import { Router, type Request, type Response } from 'express';
import { HatifError, invalidField } from '../../../core/model/errors/index.js';
import { FLAG_DEFAULTS, flagOff } from '../../../core/model/flags.js';
import type { ApiDeps } from '../../http/deps.js';
import { exchangeOf } from '../../http/exchange.js';
import { admitWidget } from '../../http/origin.js';
import type { ChatSockets } from '../../web-socket/chat-sockets.js';
import { leaveHttp, upgradeOf } from '../../web-socket/upgrades.js';

/** Where pages with a widget open the WebSocket of a chat. */
export const CHAT_SOCKET_PATH = '/v1/widget/chats/socket';

export interface ChatSocketRouterOptions extends Pick<ApiDeps, 'publicUrl' | 'widgets' | 'flags'> {
  readonly sockets: Pick<ChatSockets, 'join'>;
}

/**
 * The WebSocket of chats: it is no route of the API document, which describes HTTP. The page's origin is checked here, the
 * visitor's token in the first frame, which no proxy logs.
 */
export function chatSocketRouter({ sockets, flags, ...deps }: ChatSocketRouterOptions): Router {
  const router = Router();
  router.get(CHAT_SOCKET_PATH, async (req: Request, res: Response) => {
    const widget = await admitWidget(deps, req, res, false);
    if (!(widget.organization.flags.widget ?? flags.widget ?? FLAG_DEFAULTS.widget)) throw flagOff('widget', req.path);
    const upgrade = upgradeOf(req);
    if (req.headers.upgrade?.toLowerCase() !== 'websocket' || !upgrade) {
      throw invalidField('Upgrade', { en: 'must be `websocket`', ar: 'يجب أن تكون `websocket`' });
    }
    if (!widget.row.chat) throw new HatifError('CHANNEL_NOT_CONFIGURED', { channel: 'webchat' });
    const { ip } = exchangeOf(req, res);
    await sockets.join({ req, upgrade, widget, ip }, () => leaveHttp(req, res));
  });
  return router;
}
