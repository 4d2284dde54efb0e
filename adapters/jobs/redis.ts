import { Redis } from 'ioredis';
import type { CommonRedisOptions } from 'ioredis';
import type { Logger } from '../../core/ports/logger.js';

const MAX_RETRY_DELAY_MS = 2000;

/**
 * Opens a connection that reconnects for ever, with jittered delays of up to two seconds. Only the loss and the return
 * of the connection are logged, not each failed attempt.
 */
export function connectRedis(
  url: string,
  name: string,
  log: Logger,
  options: Partial<Omit<CommonRedisOptions, 'replyMapping'>> = {},
): Redis {
  const client = new Redis(url, {
    connectionName: name,
    connectTimeout: 5000,
    retryStrategy: (attempt) =>
      Math.min(MAX_RETRY_DELAY_MS, 50 * 2 ** Math.min(attempt, 6)) * (0.75 + Math.random() / 2),
    ...options,
  });
  watch(client, name, log);
  return client;
}

/** Logs the loss and the return of a connection, once each. */
export function watch(client: Redis, name: string, log: Logger): void {
  let lost = false;
  client.on('error', (error: Error) => {
    if (lost) return;
    lost = true;
    log.warn({ connection: name, reason: error.message }, 'Redis is unreachable');
  });
  client.on('ready', () => {
    if (lost) log.info({ connection: name }, 'Redis is reachable again');
    lost = false;
  });
}
