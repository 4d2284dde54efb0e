import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** What happens to a packet on its way to the target: it is changed, delayed or (null) dropped. */
export type OnItsWay = (packet: Buffer) => { readonly packet: Buffer; readonly delayMs?: number } | null;

/** A UDP proxy on loopback that can be cut: it then drops every packet silently, as a dead network does. */
export class UdpProxy {
  readonly #towards = new Map<string, Socket>();
  #isCut = false;
  #isClosed = false;

  private constructor(
    private readonly socket: Socket,
    private target: number,
    private readonly onItsWay: OnItsWay,
    private readonly host: string,
  ) {
    socket.on('message', (message, { address, port }) => {
      if (!this.#isCut) this.#pass(message, this.#of(address, port));
    });
  }

  /**
   * @param target a port of this machine; 0 if {@link leadTo} sets it later
   * @param host the address of this machine that has the port
   */
  static async start(
    target: number,
    onItsWay: OnItsWay = (packet) => ({ packet }),
    host = '127.0.0.1',
  ): Promise<UdpProxy> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new UdpProxy(socket, target, onItsWay, host);
  }

  leadTo(target: number): void {
    this.target = target;
  }

  get port(): number {
    return this.socket.address().port;
  }

  /** Drops every packet from now on, without an error. */
  cut(): void {
    this.#isCut = true;
  }

  restore(): void {
    this.#isCut = false;
  }

  close(): void {
    this.#isClosed = true;
    for (const socket of [this.socket, ...this.#towards.values()]) socket.close();
  }

  #pass(message: Buffer, towards: Socket): void {
    const passed = this.onItsWay(message);
    if (passed === null || this.target === 0) return;
    const send = (): void => {
      if (!this.#isClosed) towards.send(passed.packet, this.target, this.host);
    };
    // The delay is the effect itself: a network that delivers this packet late.
    if (passed.delayMs === undefined) send();
    else setTimeout(send, passed.delayMs);
  }

  /** A socket for each client, so that answers reach the right one. */
  #of(address: string, client: number): Socket {
    const name = `${address}:${client}`;
    const known = this.#towards.get(name);
    if (known) return known;
    const socket = createSocket('udp4');
    socket.on('message', (message) => {
      if (!this.#isCut) this.socket.send(message, client, address);
    });
    this.#towards.set(name, socket);
    return socket;
  }
}
