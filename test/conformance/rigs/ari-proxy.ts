import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Simulates network faults between an adapter and its engine's port (Asterisk's HTTP, FreeSWITCH's event socket). */
export class AriProxy {
  readonly #server: Server;
  readonly #pairs = new Set<{ readonly client: Socket; readonly upstream: Socket }>();
  #open = true;
  #lost: RegExp | undefined;
  #refused: RegExp | undefined;
  #deaf = false;

  private constructor(target: URL) {
    this.#server = createServer((client) => this.#accept(client, target));
  }

  static async start(engineUrl: string): Promise<AriProxy> {
    const proxy = new AriProxy(new URL(engineUrl));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Breaks all connections and refuses new ones until {@link mend}. */
  cut(): void {
    this.#open = false;
    for (const { client, upstream } of this.#pairs) {
      client.destroy();
      upstream.destroy();
    }
  }

  /** Breaks all connections once; new ones work. */
  hiccup(): void {
    this.cut();
    this.mend();
  }

  /** Keeps connections open but passes no more data: a half-open connection. */
  freeze(): void {
    this.#deaf = true;
  }

  mend(): void {
    this.#open = true;
    this.#deaf = false;
  }

  /** The next matching request reaches Asterisk, but its response is lost with the connection. */
  loseAnswerTo(request: RegExp): void {
    this.#lost = request;
  }

  /** The next matching request does not reach Asterisk; it is answered with 500. */
  refuse(request: RegExp): void {
    this.#refused = request;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(client: Socket, target: URL): void {
    if (!this.#open) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    const pair = { client, upstream };
    this.#pairs.add(pair);
    let losing = false;
    client.on('data', (chunk) => {
      if (this.#deaf) return;
      if (this.#refused?.test(chunk.toString('latin1')) === true) {
        this.#refused = undefined;
        client.end('HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        return;
      }
      if (this.#lost?.test(chunk.toString('latin1')) === true) {
        losing = true;
        this.#lost = undefined;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (this.#deaf) return;
      if (losing) client.destroy();
      else client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#pairs.delete(pair);
        other.destroy();
      });
    }
  }
}
