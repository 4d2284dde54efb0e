import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const COOKIE = 0x2112a442;
const [ALLOCATE, CREATE_PERMISSION, CHANNEL_BIND, SEND_INDICATION] = [0x0003, 0x0008, 0x0009, 0x0016];
const ATTRIBUTE = {
  username: 0x0006,
  integrity: 0x0008,
  errorCode: 0x0009,
  channel: 0x000c,
  peer: 0x0012,
  data: 0x0013,
  realm: 0x0014,
  nonce: 0x0015,
  transport: 0x0019,
} as const;
const UDP = Buffer.from([17, 0, 0, 0]);
/** The first channel (RFC 8656 §12). */
const CHANNEL = Buffer.from([0x40, 0, 0, 0]);

interface Credentials {
  readonly username: string;
  readonly credential: string;
}

/** A TURN client (RFC 8656) that allocates, asks for permissions and channels, and sends. */
export class TurnClient {
  #realm: Buffer = Buffer.alloc(0);
  #nonce: Buffer = Buffer.alloc(0);

  private constructor(
    private readonly socket: Socket,
    private readonly server: { readonly host: string; readonly port: number },
    private readonly credentials: Credentials,
  ) {}

  /** @returns a client with an allocation, or the error code of the server */
  static async allocate(host: string, port: number, credentials: Credentials): Promise<TurnClient | number> {
    const client = new TurnClient(createSocket('udp4'), { host, port }, credentials);
    const first = await client.#ask(ALLOCATE, [[ATTRIBUTE.transport, UDP]], false);
    client.#realm = first.get(ATTRIBUTE.realm) ?? client.#realm;
    client.#nonce = first.get(ATTRIBUTE.nonce) ?? client.#nonce;
    const error = errorIn(await client.#ask(ALLOCATE, [[ATTRIBUTE.transport, UDP]], true));
    if (error === null) return client;
    client.close();
    return error;
  }

  /** Asks to relay to an IPv4 address. @returns null, or the error code of the server */
  async permission(address: string): Promise<number | null> {
    return errorIn(await this.#ask(CREATE_PERMISSION, [[ATTRIBUTE.peer, peerOf(address)]], true));
  }

  /** Asks for a channel to an IPv4 address. @returns null, or the error code of the server */
  async channel(address: string, port: number): Promise<number | null> {
    const asked: [number, Buffer][] = [
      [ATTRIBUTE.channel, CHANNEL],
      [ATTRIBUTE.peer, peerOf(address, port)],
    ];
    return errorIn(await this.#ask(CHANNEL_BIND, asked, true));
  }

  /** Sends a datagram to an IPv4 address, which the server drops without a permission. */
  send(address: string, port: number, text: string): void {
    const body = Buffer.concat([
      encoded(ATTRIBUTE.peer, peerOf(address, port)),
      encoded(ATTRIBUTE.data, Buffer.from(text)),
    ]);
    this.socket.send(Buffer.concat([headerOf(SEND_INDICATION, body.length), body]), this.server.port, this.server.host);
  }

  close(): void {
    this.socket.close();
  }

  async #ask(type: number, attributes: [number, Buffer][], isSigned: boolean): Promise<Map<number, Buffer>> {
    const { username, credential } = this.credentials;
    const own: [number, Buffer][] = [
      [ATTRIBUTE.username, Buffer.from(username)],
      [ATTRIBUTE.realm, this.#realm],
      [ATTRIBUTE.nonce, this.#nonce],
    ];
    const body = Buffer.concat([...attributes, ...(isSigned ? own : [])].map(([name, value]) => encoded(name, value)));
    const header = headerOf(type, body.length + (isSigned ? 24 : 0));
    const message = Buffer.concat([header, body]);
    const key = createHash('md5').update(`${username}:${this.#realm.toString()}:${credential}`).digest();
    const signature = encoded(ATTRIBUTE.integrity, createHmac('sha1', key).update(message).digest());
    this.socket.send(isSigned ? Buffer.concat([message, signature]) : message, this.server.port, this.server.host);
    const [answer] = (await once(this.socket, 'message')) as [Buffer];
    return attributesOf(answer);
  }
}

function headerOf(type: number, length: number): Buffer {
  const header = Buffer.alloc(20);
  header.writeUInt16BE(type, 0);
  header.writeUInt16BE(length, 2);
  header.writeUInt32BE(COOKIE, 4);
  randomBytes(12).copy(header, 8);
  return header;
}

/** XOR-PEER-ADDRESS (RFC 8489 §14.2). */
function peerOf(address: string, port = 4096): Buffer {
  const cookie = [0x21, 0x12, 0xa4, 0x42];
  const bytes = address.split('.').map((byte, index) => Number(byte) ^ (cookie[index] ?? 0));
  const hidden = port ^ 0x2112;
  return Buffer.from([0, 1, hidden >> 8, hidden & 0xff, ...bytes]);
}

function encoded(name: number, value: Buffer): Buffer {
  const attribute = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4);
  attribute.writeUInt16BE(name, 0);
  attribute.writeUInt16BE(value.length, 2);
  value.copy(attribute, 4);
  return attribute;
}

function attributesOf(message: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (let at = 20; at + 4 <= message.length;) {
    const length = message.readUInt16BE(at + 2);
    found.set(message.readUInt16BE(at), message.subarray(at + 4, at + 4 + length));
    at += 4 + Math.ceil(length / 4) * 4;
  }
  return found;
}

function errorIn(attributes: Map<number, Buffer>): number | null {
  const error = attributes.get(ATTRIBUTE.errorCode);
  return error === undefined ? null : error.readUInt8(2) * 100 + error.readUInt8(3);
}
