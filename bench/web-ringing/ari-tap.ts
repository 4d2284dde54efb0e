import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listenOnLoopback, portOf } from '../../test/support/peers/listening.js';
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
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #moments: Moments = {};

  private constructor(asterisk: URL) {
    this.#server = createServer({ noDelay: true }, (application) => {
      const engine = connect({ host: asterisk.hostname, port: Number(asterisk.port), noDelay: true });
      for (const socket of [application, engine]) {
        this.#sockets.add(socket);
        // Before it passes on: a message in more than one packet is not recognized, and its call is left out.
        socket.on('data', (data: Buffer) => this.#read(data.toString('latin1')));
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          this.#sockets.delete(socket);
          application.destroy();
          engine.destroy();
        });
      }
      application.pipe(engine).pipe(application);
    });
  }

  /** @param url of Asterisk's HTTP server */
  static async start(url: string): Promise<AriTap> {
    const tap = new AriTap(new URL(url));
    await listenOnLoopback(tap.#server);
    return tap;
  }

  /** In place of Asterisk's. */
  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  /** The moments of one call, and begins with the next one. */
  take(): Moments {
    const moments = this.#moments;
    this.#moments = {};
    return moments;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Each moment counts after the one before it only: the end of the last call also names states. */
  #read(text: string): void {
    const [moment, sign] = SIGNS.find(([name]) => this.#moments[name] === undefined) ?? [];
    if (moment !== undefined && sign?.test(text) === true) this.#moments[moment] = nowMs();
  }
}
