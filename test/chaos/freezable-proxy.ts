import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A TCP proxy on loopback that can become a black hole: connections stay open and new ones are taken, and nothing passes. What was sent
 * meanwhile arrives when it thaws, as it does by TCP when a network comes back; so does the word that a connection was closed.
 */
export class FreezableProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #frozen = false;
  #delayed: (() => void)[] = [];

  private constructor(private readonly target: { readonly host: string; readonly port: number }) {
    this.#server = createServer((client) => this.#join(client));
  }

  static async start(host: string, port: number): Promise<FreezableProxy> {
    const proxy = new FreezableProxy({ host, port });
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return address.port;
  }

  freeze(): void {
    this.#frozen = true;
  }

  thaw(): void {
    this.#frozen = false;
    for (const pass of this.#delayed.splice(0)) pass();
  }

  async close(): Promise<void> {
    this.thaw();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    this.#sockets.add(client);
    client.on('error', () => client.destroy());
    const open = (): void => {
      const part = connect(this.target.port, this.target.host);
      this.#sockets.add(part);
      part.on('error', () => part.destroy());
      for (const [from, to] of [
        [client, part],
        [part, client],
      ] as const) {
        from.on('data', (bytes) => this.#pass(() => void to.write(bytes)));
        from.on('end', () => this.#pass(() => to.end()));
        from.on('close', () => {
          this.#sockets.delete(from);
          this.#pass(() => to.destroy());
        });
      }
    };
    this.#pass(open);
  }

  /** Now, or in its turn when it thaws. */
  #pass(work: () => void): void {
    if (this.#frozen) this.#delayed.push(work);
    else work();
  }
}
