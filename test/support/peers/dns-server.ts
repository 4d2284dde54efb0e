import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
const TYPE_TXT = 16;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

/** A name server on the loopback that answers for TXT records (RFC 1035). */
export class DnsPeer {
  /** By name, in lower case. */
  readonly records = new Map<string, readonly string[]>();
  /** Answers that it cannot answer. */
  fails = false;
  readonly #socket: Socket = createSocket('udp4');

  static async start(): Promise<DnsPeer> {
    const peer = new DnsPeer();
    peer.#socket.on('message', (query, { port, address }) => peer.#socket.send(peer.#answer(query), port, address));
    peer.#socket.bind(0, '127.0.0.1');
    await once(peer.#socket, 'listening');
    return peer;
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.close(resolve));
  }

  #answer(query: Buffer): Buffer {
    const { name, end } = nameIn(query);
    const texts = this.fails ? [] : (this.records.get(name.toLowerCase()) ?? []);
    const code = this.fails ? SERVER_FAILURE : texts.length === 0 ? NO_SUCH_NAME : 0;
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    // A response, with the question's flag that recursion is wanted, and recursion available.
    header.writeUInt16BE(0x8000 | (query.readUInt16BE(2) & 0x0100) | 0x0080 | code, 2);
    header.writeUInt16BE(texts.length, 6);
    header.writeUInt32BE(0, 8);
    return Buffer.concat([header, query.subarray(HEADER_BYTES, end + 4), ...texts.map(txtRecord)]);
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

/** The name is the one of the question. */
function txtRecord(text: string): Buffer {
  const parts = text.match(/.{1,255}/g) ?? [''];
  const data = Buffer.concat(
    parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part, 'latin1')])),
  );
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  head.writeUInt16BE(TYPE_TXT, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(0, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
