import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * The fault of a method's next request: the connection closes after the work, or before it; no answer until the client
 * gives up; or this status.
 */
export type Fault = 'lost_answer' | 'lost_request' | 'silence' | number;

/** A provider on loopback that receives signed JSON requests, with the faults of real ones. */
export abstract class SignedPeer {
  /** Requests without a valid signature. */
  readonly unsigned: string[] = [];
  readonly #server = createServer();
  readonly #faults: { readonly method: string; readonly fault: Fault }[] = [];

  constructor(protected readonly secret: string) {
    this.#server.on('request', (req, res) => void this.#answer(req, res));
  }

  /** The peer's address, available once {@link listen} has resolved. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api`;
  }

  failNext(method: string, fault: Fault): void {
    this.#faults.push({ method, fault });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  protected async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  /** Performs a request. @returns status and body */
  protected abstract do(method: string, url: URL, body: string): readonly [number, object | null];

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await text(req);
    const { method = '', url = '' } = req;
    if (!this.#isSigned(req, body)) {
      this.unsigned.push(`${method} ${url}`);
      send(res, 401, { error: 'unauthorized' });
      return;
    }
    const fault = this.#takeFault(method);
    if (fault === 'lost_request') return void req.socket.destroy();
    if (typeof fault === 'number') {
      send(res, fault, { error: 'fault', message: 'the test requested this fault' });
      return;
    }
    const [status, answer] = this.do(method, new URL(url, 'http://peer'), body);
    if (fault === 'lost_answer') return void req.socket.destroy();
    if (fault !== 'silence') send(res, status, answer);
  }

  #isSigned(req: IncomingMessage, body: string): boolean {
    const at = String(req.headers['hatif-timestamp']);
    const signed = [at, req.method, req.url, body].join('\n');
    const wanted = Buffer.from(`v1,${createHmac('sha256', this.secret).update(signed).digest('base64')}`);
    const given = Buffer.from(String(req.headers['hatif-signature']));
    const isFresh = Math.abs(Date.now() / 1000 - Number(at)) < 300;
    return isFresh && wanted.length === given.length && timingSafeEqual(wanted, given);
  }

  #takeFault(method: string): Fault | null {
    const index = this.#faults.findIndex((one) => one.method === method);
    return index === -1 ? null : (this.#faults.splice(index, 1)[0]?.fault ?? null);
  }
}

function send(res: ServerResponse, status: number, body: object | null): void {
  res.writeHead(status, { 'Content-Type': 'application/json' });
  res.end(body === null ? undefined : JSON.stringify(body));
}
