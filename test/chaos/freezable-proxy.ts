import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listenOnLoopback, portOf } from '../support/peers/listening.js';

/**
 * A TCP proxy on loopback that can stop all traffic: it keeps connections open and accepts new ones, but forwards
 * nothing. After `thaw` it delivers what was sent meanwhile, including closed connections, as TCP does when a network
 * recovers.
 */
export class FreezableProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #frozen = false;
  #delayed: (() => void)[] = [];

  private constructor(private readonly target: { readonly host: string; readonly port: number }) {
    this.#server = createServer((client) => this.#connect(client));
  }

  static async start(host: string, port: number): Promise<FreezableProxy> {
    const proxy = new FreezableProxy({ host, port });
    await listenOnLoopback(proxy.#server);
    return proxy;
  }

  get port(): number {
    return portOf(this.#server);
  }

  freeze(): void {
    this.#frozen = true;
  }

  thaw(): void {
    this.#frozen = false;
    for (const work of this.#delayed.splice(0)) work();
  }

  async close(): Promise<void> {
    this.thaw();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #connect(client: Socket): void {
    this.#sockets.add(client);
    client.on('error', () => client.destroy());
    const open = (): void => {
      const service = connect(this.target.port, this.target.host);
      this.#sockets.add(service);
      service.on('error', () => service.destroy());
      for (const [from, to] of [
        [client, service],
        [service, client],
      ] as const) {
        from.on('data', (bytes) => this.#forward(() => void to.write(bytes)));
        from.on('end', () => this.#forward(() => to.end()));
        from.on('close', () => {
          this.#sockets.delete(from);
          this.#forward(() => to.destroy());
        });
      }
    };
    this.#forward(open);
  }

  /** Runs it now; while frozen, after the thaw and in order. */
  #forward(work: () => void): void {
    if (this.#frozen) this.#delayed.push(work);
    else work();
  }
}
