import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket as Connection } from 'node:net';
import { listenOnLoopback, portOf } from './listening.js';

const HEADER_BYTES = 12;
const TYPE_A = 1;
const TYPE_TXT = 16;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

/** A name server on the loopback that answers for TXT records and IPv4 addresses, over UDP and TCP (RFC 1035). */
export class DnsPeer {
  /** By name, in lower case. */
  readonly records = new Map<string, readonly string[]>();
  /** IPv4 addresses by name, in lower case. */
  readonly addresses = new Map<string, string>();
  /** Answers that it cannot answer. */
  fails = false;
  readonly #socket: Socket = createSocket('udp4');
  readonly #server: Server = createServer((connection) => this.#serve(connection));

  static async start(): Promise<DnsPeer> {
    const peer = new DnsPeer();
    peer.#socket.on('message', (query, { port, address }) => peer.#socket.send(peer.#answer(query), port, address));
    await listenOnLoopback(peer.#server);
    peer.#socket.bind(portOf(peer.#server), '127.0.0.1');
    await once(peer.#socket, 'listening');
    return peer;
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    await new Promise<void>((resolve) => this.#socket.close(resolve));
  }

  /** Each message follows its length (RFC 1035 §4.2.2). */
  #serve(connection: Connection): void {
    let received = Buffer.alloc(0);
    connection.on('error', () => undefined);
    connection.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const end = received.length < 2 ? Infinity : 2 + received.readUInt16BE(0);
      if (received.length < end) return;
      const answer = this.#answer(received.subarray(2, end));
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      connection.end(Buffer.concat([length, answer]));
    });
  }

  #answer(query: Buffer): Buffer {
    const { name, end } = nameIn(query);
    const known = name.toLowerCase();
    const address = this.addresses.get(known);
    const texts = this.fails ? [] : (this.records.get(known) ?? []);
    const answers =
      query.readUInt16BE(end) === TYPE_TXT
        ? texts.map((text) => record(TYPE_TXT, txtData(text)))
        : address !== undefined && query.readUInt16BE(end) === TYPE_A
          ? [record(TYPE_A, Buffer.from(address.split('.').map(Number)))]
          : [];
    const isKnown = texts.length > 0 || address !== undefined;
    const code = this.fails ? SERVER_FAILURE : isKnown ? 0 : NO_SUCH_NAME;
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    // A response, with the question's flag that recursion is wanted, and recursion available.
    header.writeUInt16BE(0x8000 | (query.readUInt16BE(2) & 0x0100) | 0x0080 | code, 2);
    header.writeUInt16BE(answers.length, 6);
    header.writeUInt32BE(0, 8);
    return Buffer.concat([header, query.subarray(HEADER_BYTES, end + 4), ...answers]);
  }
}

function nameIn(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString('latin1'));
    at += length + 1;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function txtData(text: string): Buffer {
  const parts = text.match(/.{1,255}/g) ?? [''];
  return Buffer.concat(parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part, 'latin1')])));
}

/** The name is the one of the question. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(0, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
