import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listenOnLoopback, portOf } from './listening.js';

/** What passed over one connection, in the order of each direction. */
export interface Passed {
  readonly fromClient: Buffer[];
  readonly fromService: Buffer[];
}

/** A transparent TCP proxy on the loopback that keeps everything that passes. */
export class Tap {
  readonly connections: Passed[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(host: string, port: number) {
    this.#server = createServer((client) => {
      const passed: Passed = { fromClient: [], fromService: [] };
      this.connections.push(passed);
      const service = connect(port, host);
      for (const [from, to, kept] of [
        [client, service, passed.fromClient],
        [service, client, passed.fromService],
      ] as const) {
        this.#sockets.add(from);
        from.on('data', (bytes: Buffer) => kept.push(bytes));
        from.on('error', () => from.destroy());
        from.on('close', () => to.destroy());
        from.pipe(to);
      }
    });
  }

  static async start(host: string, port: number): Promise<Tap> {
    const tap = new Tap(host, port);
    await listenOnLoopback(tap.#server);
    return tap;
  }

  /** The service's URL through this proxy. */
  static async of(url: string): Promise<{ readonly tap: Tap; readonly url: string }> {
    const through = new URL(url);
    const tap = await Tap.start(through.hostname, Number(through.port));
    through.hostname = '127.0.0.1';
    through.port = String(tap.port);
    return { tap, url: through.href };
  }

  get port(): number {
    return portOf(this.#server);
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }
}
