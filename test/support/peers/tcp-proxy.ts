import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { listenOnLoopback, portOf } from './listening.js';

/** A TCP proxy on loopback that can cut all connections, for tests with an unreachable service. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(host: string, port: number, onData?: (data: Buffer) => void) {
    this.#server = createServer({ noDelay: true }, (client) => {
      if (this.#isCut) {
        client.destroy();
        return;
      }
      const upstream = connect({ host, port, noDelay: true });
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket);
        if (onData) socket.on('data', onData);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          this.#sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
      }
      client.pipe(upstream).pipe(client);
    });
  }

  /** @param onData receives what passes in either direction, before it is passed on */
  static async start(host: string, port: number, onData?: (data: Buffer) => void): Promise<TcpProxy> {
    const proxy = new TcpProxy(host, port, onData);
    await listenOnLoopback(proxy.#server);
    return proxy;
  }

  get port(): number {
    return portOf(this.#server);
  }

  /** Breaks every connection and refuses new ones. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  restore(): void {
    this.#isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
