import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Command ids of SMPP 3.4 §5.1.2.1. */
const BIND_TRANSCEIVER = 0x09;
const SUBMIT_SM = 0x04;
const DELIVER_SM = 0x05;
const UNBIND = 0x06;
const ENQUIRE_LINK = 0x15;
const RESPONSE = 0x8000_0000;

/** A submit_sm as it came over the wire. */
export interface Submitted {
  readonly sequence: number;
  readonly socket: Socket;
  readonly source: string;
  readonly sourceTon: number;
  readonly destination: string;
  readonly esmClass: number;
  readonly validity: string;
  readonly dataCoding: number;
  readonly body: Buffer;
  readonly payload: Buffer | null;
}

/** What to answer: a command status and a message id, or nothing at all. */
export type Response = { readonly status: number; readonly id: string } | null;

/**
 * A small SMSC with its own codec, so that it shares no fault with the library of the product. Tests decide what it
 * answers, and when it sends receipts and messages.
 */
export class Smsc {
  readonly submitted: Submitted[] = [];
  /** Command statuses of the responses to deliver_sm, in the order of their coming. */
  readonly acknowledged: number[] = [];
  binds = 0;
  password = 'secret';
  /** Each submission gets the result of this. */
  respond: (submitted: Submitted, count: number) => Response = (_, count) => ({ status: 0, id: `id-${count}` });
  readonly #sockets = new Set<Socket>();
  readonly #listeners: (() => void)[] = [];
  #sequence = 0;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {
    server.on('connection', (socket) => this.#take(socket));
  }

  static async start(port = 0): Promise<Smsc> {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new Smsc(server, (server.address() as AddressInfo).port);
  }

  /** Resolves when the condition holds, which is looked at after each PDU. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#listeners.push(resolve));
  }

  /** Sends a response that `respond` did not give. */
  answer({ socket, sequence }: Submitted, status: number, id: string): void {
    socket.write(pdu(SUBMIT_SM + RESPONSE, status, sequence, cstring(id)));
  }

  /** Sends a receipt in the form of appendix B of SMPP 3.4. */
  receipt(
    id: string,
    stat: string,
    { source, destination }: Pick<Submitted, 'source' | 'destination'>,
    err = '000',
  ): void {
    const text = `id:${id} sub:001 dlvrd:001 submit date:2601310900 done date:2601310901 stat:${stat} err:${err} text:x`;
    this.deliver({ source: destination, destination: source, esmClass: 0x04, body: Buffer.from(text, 'latin1') });
  }

  /** Sends a deliver_sm over the newest connection. */
  deliver(given: {
    readonly source: string;
    readonly destination: string;
    readonly esmClass?: number;
    readonly dataCoding?: number;
    readonly body: Buffer;
  }): void {
    const { source, destination, esmClass = 0, dataCoding = 0, body } = given;
    const parts = [
      cstring(''),
      Buffer.from([1, 1]),
      cstring(source),
      Buffer.from([1, 1]),
      cstring(destination),
      Buffer.from([esmClass, 0, 0]),
      ...[cstring(''), cstring('')],
      Buffer.from([0, 0, dataCoding, 0, body.length]),
      body,
    ];
    this.#newest().write(pdu(DELIVER_SM, 0, ++this.#sequence, Buffer.concat(parts)));
  }

  /** Sends bytes that are no PDU. */
  garbage(bytes: Buffer): void {
    this.#newest().write(bytes);
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  #newest(): Socket {
    const socket = [...this.#sockets].at(-1);
    if (!socket) throw new Error('nobody is connected');
    return socket;
  }

  #take(socket: Socket): void {
    let rest = Buffer.alloc(0);
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 16 && rest.length >= rest.readUInt32BE(0)) {
        const length = rest.readUInt32BE(0);
        this.#read(socket, rest.subarray(0, length));
        rest = rest.subarray(length);
      }
      for (const look of this.#listeners.splice(0)) look();
    });
  }

  #read(socket: Socket, bytes: Buffer): void {
    const [command, status, sequence] = [4, 8, 12].map((at) => bytes.readUInt32BE(at)) as [number, number, number];
    switch (command) {
      case BIND_TRANSCEIVER: {
        const [, password] = new Reader(bytes.subarray(16)).texts(2);
        const isRight = password === this.password;
        if (isRight) this.binds++;
        socket.write(
          pdu(command + RESPONSE, isRight ? 0 : 0x0e, sequence, isRight ? cstring('smsc') : Buffer.alloc(0)),
        );
        return;
      }
      case SUBMIT_SM: {
        const submitted = readSubmission(socket, sequence, bytes.subarray(16));
        this.submitted.push(submitted);
        const answer = this.respond(submitted, this.submitted.length);
        if (answer) this.answer(submitted, answer.status, answer.id);
        return;
      }
      case ENQUIRE_LINK:
      case UNBIND:
        socket.write(pdu(command + RESPONSE, 0, sequence, Buffer.alloc(0)));
        return;
      case DELIVER_SM + RESPONSE:
        this.acknowledged.push(status);
    }
  }
}

class Reader {
  #at = 0;
  constructor(private readonly bytes: Buffer) {}

  text(): string {
    const end = this.bytes.indexOf(0, this.#at);
    const text = this.bytes.toString('latin1', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  texts(count: number): string[] {
    return Array.from({ length: count }, () => this.text());
  }

  byte(): number {
    return this.bytes[this.#at++] ?? 0;
  }

  take(length: number): Buffer {
    this.#at += length;
    return this.bytes.subarray(this.#at - length, this.#at);
  }

  get left(): number {
    return this.bytes.length - this.#at;
  }
}

/** SMPP 3.4 §4.4.1. */
function readSubmission(socket: Socket, sequence: number, bytes: Buffer): Submitted {
  const reader = new Reader(bytes);
  reader.text();
  const [sourceTon] = [reader.byte(), reader.byte()];
  const source = reader.text();
  reader.take(2);
  const destination = reader.text();
  const esmClass = reader.byte();
  reader.take(2);
  reader.text();
  const validity = reader.text();
  reader.take(2);
  const dataCoding = reader.byte();
  reader.byte();
  const body = Buffer.from(reader.take(reader.byte()));
  let payload: Buffer | null = null;
  while (reader.left >= 4) {
    const [tag, length] = [reader.take(2).readUInt16BE(), reader.take(2).readUInt16BE()];
    const value = reader.take(length);
    if (tag === 0x0424) payload = Buffer.from(value);
  }
  return { socket, sequence, source, sourceTon, destination, esmClass, validity, dataCoding, body, payload };
}

function pdu(command: number, status: number, sequence: number, body: Buffer): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(16 + body.length, 0);
  header.writeUInt32BE(command, 4);
  header.writeUInt32BE(status, 8);
  header.writeUInt32BE(sequence, 12);
  return Buffer.concat([header, body]);
}

function cstring(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'latin1');
}
