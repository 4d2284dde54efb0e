import { hostPort, type HostPort } from '../../core/model/host-port.js';
import type { HeaderFields, SipTarget } from '../message/request.js';

export interface EdgeDelayOptions {
  /** @returns the status of the final response; null if there is none */
  readonly send: (method: string, target: SipTarget, headers: HeaderFields) => Promise<number | null>;
  /** Where drachtio-server reaches the relay. */
  readonly relay: HostPort;
  readonly monotonicMs: () => number;
}

/**
 * Measures how long a message takes through the edge, with an OPTIONS that this process sends through drachtio-server to
 * the relay: its answer waits in the same queues as the calls, of which drachtio-server reports nothing.
 */
export class EdgeDelay {
  #lastMs = 0;
  #sentMs: number | null = null;

  constructor(private readonly options: EdgeDelayOptions) {}

  /** Milliseconds, for the last OPTIONS or the one that is under way. */
  currentMs(): number {
    return Math.max(this.#lastMs, this.#sentMs === null ? 0 : this.options.monotonicMs() - this.#sentMs);
  }

  async measure(): Promise<void> {
    const { send, relay, monotonicMs } = this.options;
    const sentMs = monotonicMs();
    this.#sentMs = sentMs;
    const status = await send('OPTIONS', { uri: `sip:${hostPort(relay)};transport=udp`, path: [] }, {});
    this.#sentMs = null;
    // Without an answer there is no relay, which says nothing about the load.
    this.#lastMs = status === 200 ? monotonicMs() - sentMs : 0;
  }
}
