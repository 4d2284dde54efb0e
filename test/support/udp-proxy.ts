import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** A UDP proxy on loopback whose cable can be pulled: what is sent then is swallowed, as a dead network does. */
export class UdpProxy {
  readonly #towards = new Map<number, Socket>();
  #isCut = false;

  private constructor(
    private readonly socket: Socket,
    private readonly target: number,
  ) {
    socket.on('message', (message, { port }) => {
      if (!this.#isCut) this.#of(port).send(message, this.target, '127.0.0.1');
    });
  }

  /** @param target a port of this machine */
  static async start(target: number): Promise<UdpProxy> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new UdpProxy(socket, target);
  }

  get port(): number {
    return this.socket.address().port;
  }

  /** Nothing passes any more, and nobody is told. */
  cut(): void {
    this.#isCut = true;
  }

  restore(): void {
    this.#isCut = false;
  }

  close(): void {
    for (const socket of [this.socket, ...this.#towards.values()]) socket.close();
  }

  /** A socket for each client, so that answers find back. */
  #of(client: number): Socket {
    const known = this.#towards.get(client);
    if (known) return known;
    const socket = createSocket('udp4');
    socket.on('message', (message) => {
      if (!this.#isCut) this.socket.send(message, client, '127.0.0.1');
    });
    this.#towards.set(client, socket);
    return socket;
  }
}
