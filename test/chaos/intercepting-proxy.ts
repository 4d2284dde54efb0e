import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { KillSwitch, Connection } from './kill-points.js';
import { listenOnLoopback, portOf } from '../support/peers/listening.js';

/**
 * A transparent TCP proxy between the application and a service that it uses. It inspects the traffic. When the traffic
 * matches the point that the kill switch waits for, the proxy does not forward it and the application is killed: the
 * service does not get the request, or the application does not get the response. What the application sent on its
 * other connections arrives, as it does when a process dies.
 */
export class InterceptingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(
    host: string,
    port: number,
    private readonly connection: Connection,
    private readonly killSwitch: KillSwitch,
  ) {
    this.#server = createServer((application) => this.#connect(application, connect(port, host)));
  }

  static async start(url: URL, connection: Connection, killSwitch: KillSwitch): Promise<InterceptingProxy> {
    const proxy = new InterceptingProxy(url.hostname, Number(url.port), connection, killSwitch);
    await listenOnLoopback(proxy.#server);
    return proxy;
  }

  /** The service's URL through this proxy. */
  url(of: URL): string {
    const changed = new URL(of);
    changed.hostname = '127.0.0.1';
    changed.port = String(portOf(this.#server));
    return changed.href;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #connect(application: Socket, part: Socket): void {
    let isAnswerIntercepted = false;
    const drop = (): void => {
      application.destroy();
      part.destroy();
    };
    application.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      if (this.killSwitch.observe(this.connection, 'before', text)) {
        drop();
        return;
      }
      if (this.killSwitch.observe(this.connection, 'after', text)) isAnswerIntercepted = true;
      part.write(bytes);
    });
    part.on('data', (bytes) => {
      if (isAnswerIntercepted) this.killSwitch.kill();
      if (isAnswerIntercepted || this.killSwitch.observe(this.connection, 'event', bytes.toString('latin1'))) drop();
      else application.write(bytes);
    });
    for (const [one, other] of [
      [application, part],
      [part, application],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => one.destroy());
      one.on('end', () => other.end());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.end();
      });
    }
  }
}
