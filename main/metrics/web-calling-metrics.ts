import { Counter, Gauge, type Registry } from 'prom-client';
import { within } from '../../core/ports/clock.js';
import { cachedFor } from '../../core/services/health/cached-for.js';
import type { ConnectOutcome } from '../../core/services/web-calling/connect.js';
import type { RelayState } from '../../core/services/web-calling/ice-servers.js';

export interface WebCallingMetricsOptions {
  readonly registry: Registry;
  /** WebSockets of browsers in this process. */
  readonly sockets: () => number;
  /** Open sessions of the whole installation, by their status. */
  readonly sessions: () => Promise<Readonly<Record<'pending' | 'active', number>>>;
  readonly relays: () => Promise<readonly RelayState[]>;
}

const PATIENCE_MS = 2_500;
const FRESH_MS = 500;

/** @returns counts how a request of a browser to connect ended */
export function webConnectCounter(registry: Registry): (outcome: ConnectOutcome) => void {
  const connects = new Counter({
    name: 'hatif_web_connects_total',
    help: 'Requests of browsers to connect, by outcome: connected, repeated, or the code of the error.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return (outcome) => connects.inc({ outcome });
}

/** Registers gauges of web calling, read at each scrape. What cannot be read is absent rather than outdated. */
export function registerWebCalling({ registry, sockets, sessions, relays }: WebCallingMetricsOptions): void {
  const registers = [registry];
  new Gauge({
    name: 'hatif_web_sockets',
    help: 'WebSockets of browsers that this process passes on now.',
    registers,
    collect() {
      this.set(sockets());
    },
  });
  const read = cachedFor(FRESH_MS, () => within(PATIENCE_MS, sessions()).catch(() => null));
  new Gauge({
    name: 'hatif_web_sessions',
    help: 'Open sessions of web calling, the same in every process: pending until a browser used the token, then active.',
    labelNames: ['status'],
    registers,
    async collect() {
      const found = await read();
      this.reset();
      for (const [status, count] of Object.entries(found ?? {})) this.set({ status }, count);
    },
  });
  new Gauge({
    name: 'hatif_turn_up',
    help: 'Whether the TURN server answers this process: 1 or 0.',
    labelNames: ['url', 'region'],
    registers,
    async collect() {
      const found = await within(PATIENCE_MS, relays()).catch(() => []);
      this.reset();
      for (const { url, region, isUp } of found) this.set({ url, region: region ?? '' }, isUp ? 1 : 0);
    },
  });
}
