import { TcpProxy } from '../../test/support/peers/tcp-proxy.js';
import { nowMs } from './clock.js';
import type { Moment, Moments } from './steps.js';

/** How the moments of a call look on the connections between the application and Asterisk, in order. */
const SIGNS: readonly (readonly [Moment, RegExp])[] = [
  ['arrived', /"type": ?"StasisStart"/],
  ['created', /POST \/ari\/channels\/create/],
  ['dialled', /POST \/ari\/channels\/[^/ ]+\/dial[? ]/],
  ['rung', /"state": ?"Ringing"/],
  ['passedOn', /POST \/ari\/channels\/[^/ ]+\/ring[? ]/],
];

/** A proxy between the application and Asterisk that notes when the moments of one call pass. */
export class AriTap {
  #proxy: TcpProxy | null = null;
  #moments: Moments = {};

  /** @param url of Asterisk's HTTP server */
  static async start(url: string): Promise<AriTap> {
    const { hostname, port } = new URL(url);
    const tap = new AriTap();
    // A message in more than one packet is not recognized, and its call is left out.
    tap.#proxy = await TcpProxy.start(hostname, Number(port), (data) => tap.#read(data.toString('latin1')));
    return tap;
  }

  /** In place of Asterisk's. */
  get url(): string {
    return `http://127.0.0.1:${this.#proxy?.port ?? 0}`;
  }

  /** The moments of one call, and begins with the next one. */
  take(): Moments {
    const moments = this.#moments;
    this.#moments = {};
    return moments;
  }

  async close(): Promise<void> {
    await this.#proxy?.close();
  }

  /** Each moment counts after the one before it only: the end of the last call also names states. */
  #read(text: string): void {
    const [moment, sign] = SIGNS.find(([name]) => this.#moments[name] === undefined) ?? [];
    if (moment !== undefined && sign?.test(text) === true) this.#moments[moment] = nowMs();
  }
}
