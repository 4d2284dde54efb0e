import { databaseTime } from '../../core/data/time.js';
import type { ClockPeer } from '../../core/services/health/clock-watch.js';
import type { Parts } from '../install/parts.js';
import type { Stores } from './stores.js';

const PATIENCE_MS = 2_000;

/** Other clocks that timestamps of calls depend on: PostgreSQL's, and Asterisk's if this process may own it. */
export function clockPeers(stores: Stores, ari: Parts['ari']): ClockPeer[] {
  const database = { name: 'database', read: () => databaseTime(stores.db) };
  return ari === null ? [database] : [database, { name: 'engine', read: () => asteriskTime(ari) }];
}

/** `GET /asterisk/ping` returns Asterisk's time in milliseconds (ARI, asterisk). */
async function asteriskTime({ url, user, password }: NonNullable<Parts['ari']>): Promise<Date> {
  const base = url.replace(/\/+$/, '').replace(/\/ari$/, '');
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const response = await fetch(`${base}/ari/asterisk/ping`, {
    headers: { authorization },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { timestamp } = (await response.json()) as { readonly timestamp?: unknown };
  const time = new Date(String(timestamp));
  if (Number.isNaN(time.getTime())) throw new Error('Asterisk returned no time');
  return time;
}
