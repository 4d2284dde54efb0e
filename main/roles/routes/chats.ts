import { Gauge, type Registry } from 'prom-client';
import { ChatSockets } from '../../../api/web-socket/chat-sockets.js';
import type { RateLimiter } from '../../../core/services/access/rate-limit.js';
import type { VisitorChats } from '../../../core/services/messaging/webchat/visitor-chats.js';
import type { RouteOptions } from './options.js';

export type ChatSocketParts = Pick<RouteOptions, 'stores' | 'clock' | 'log'> & {
  readonly messaging: Pick<RouteOptions['messaging'], 'chats'>;
};

/** The WebSockets of visitors' chats. @param lookMs how often messages are looked for that no signal announced */
export function openChatSockets(
  { messaging, stores, clock, log }: ChatSocketParts,
  chats: VisitorChats,
  limiter: RateLimiter,
  lookMs?: number,
): ChatSockets {
  const { rows, signals } = messaging.chats;
  return new ChatSockets({
    ...{ chats, signals, limiter, clock, log },
    ...(lookMs !== undefined && { lookMs }),
    undelivered: (threadIds) => rows.undelivered(threadIds),
    nameOf: async (projectId, agent) =>
      (await stores.directory.agentByExtension(projectId, agent))?.display_name ?? null,
  });
}

/** @param sockets of this process */
export function registerChatSockets(registry: Registry, sockets: Pick<ChatSockets, 'count'>): void {
  new Gauge({
    name: 'hatif_chat_sockets',
    help: 'WebSockets of visitors who chat, in this process now.',
    registers: [registry],
    collect() {
      this.set(sockets.count);
    },
  });
}
