import type { EngineRole } from '../engines/engine-role.js';
import type { Infrastructure } from '../wiring/infrastructure.js';
import { CONFIGURATION_CHANNEL } from '../wiring/management.js';
import { QUEUE_CHANNEL } from '../wiring/queues.js';
import type { Services } from '../wiring/services.js';

/** Follows the announcements of other processes on Redis: changes of the configuration and of queues. */
export function followAnnouncements(
  { subscriber, stores, log }: Infrastructure,
  { queues }: Services,
  engine: EngineRole | null,
): void {
  subscriber.on('message', (channel: string, text: string) => {
    if (channel === QUEUE_CHANNEL) queues.heard(text);
    if (channel !== CONFIGURATION_CHANNEL) return;
    stores.caches.clear();
    engine
      ?.configurationChanged()
      .catch((error: unknown) => log.warn({ err: error }, 'the engine was not brought up to date'));
  });
  // ioredis subscribes again after it reconnects.
  subscriber
    .subscribe(CONFIGURATION_CHANNEL, QUEUE_CHANNEL)
    .catch((error: unknown) => log.warn({ err: error }, 'Redis is unreachable'));
}
