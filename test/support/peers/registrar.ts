import { createHash } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { replyTo } from './sip-reply.js';

const REALM = 'carrier.example';
const NONCE = 'a1b2c3';

/** A registrar of a carrier on this machine (RFC 3261 §10) that knows one account. */
export class Registrar {
  /** The registered address of the account; null: none. */
  contact: string | null = null;
  /** How many times the account registered. */
  registrations = 0;
  readonly #socket: Socket = createSocket('udp4');

  private constructor(
    private readonly username: string,
    private readonly password: string,
  ) {
    this.#socket.on('message', (data, from) => {
      const request = data.toString('latin1');
      if (/^(REGISTER|OPTIONS) /.test(request)) this.#socket.send(this.#answer(request), from.port, from.address);
    });
  }

  static async start(username: string, password: string): Promise<Registrar> {
    const registrar = new Registrar(username, password);
    registrar.#socket.bind(0, '127.0.0.1');
    await once(registrar.#socket, 'listening');
    return registrar;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  stop(): void {
    this.#socket.close();
  }

  #answer(request: string): string {
    if (request.startsWith('OPTIONS ')) return replyTo(request, '200 OK');
    const given = /^Authorization: Digest (.*)$/im.exec(request)?.[1] ?? '';
    const of = (name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(given)?.[1] ?? '';
    const wanted = md5(`${md5(`${this.username}:${REALM}:${this.password}`)}:${NONCE}:${md5(`REGISTER:${of('uri')}`)}`);
    if (of('response') !== wanted) {
      return replyTo(request, '401 Unauthorized', `WWW-Authenticate: Digest realm="${REALM}", nonce="${NONCE}"`);
    }
    const contact = /^(?:Contact|m): *(.*)$/im.exec(request)?.[1]?.trim() ?? '';
    const expires = Number(/;expires=(\d+)/i.exec(contact)?.[1] ?? /^Expires: *(\d+)/im.exec(request)?.[1] ?? 3600);
    this.contact = expires === 0 ? null : (/<([^>]*)>/.exec(contact)?.[1] ?? null);
    this.registrations += 1;
    return replyTo(request, '200 OK', `Contact: ${contact}`, `Expires: ${expires}`);
  }
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
