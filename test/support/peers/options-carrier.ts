import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { replyTo } from './sip-reply.js';

/** A carrier on this machine that answers OPTIONS and no call, or nothing at all. */
export class OptionsCarrier {
  /** The methods of the requests that it received. */
  readonly methods: string[] = [];
  /** The answer to OPTIONS; null: none. */
  status: string | null;
  readonly #socket: Socket = createSocket('udp4');

  private constructor(status: string | null) {
    this.status = status;
    this.#socket.on('message', (data, from) => {
      const request = data.toString('latin1');
      const [method = ''] = request.split(' ');
      this.methods.push(method);
      if (method === 'OPTIONS' && this.status !== null)
        this.#socket.send(replyTo(request, this.status), from.port, from.address);
    });
  }

  /** @param status such as `200 OK`; null: answers nothing @param port any free one by default */
  static async start(status: string | null, port = 0): Promise<OptionsCarrier> {
    const carrier = new OptionsCarrier(status);
    carrier.#socket.bind(port, '127.0.0.1');
    await once(carrier.#socket, 'listening');
    return carrier;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  stop(): void {
    this.#socket.close();
  }
}
