import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const COOKIE = 0x2112a442;
const [ALLOCATE, CREATE_PERMISSION] = [0x0003, 0x0008];
const ATTRIBUTE = {
  username: 0x0006,
  integrity: 0x0008,
  errorCode: 0x0009,
  peer: 0x0012,
  realm: 0x0014,
  nonce: 0x0015,
  transport: 0x0019,
} as const;
const UDP = Buffer.from([17, 0, 0, 0]);

interface Credentials {
  readonly username: string;
  readonly credential: string;
}

/** A TURN client (RFC 8656) that only allocates and asks for permissions. */
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
    const bytes = address.split('.').map(Number);
    const mask = [0x21, 0x12, 0xa4, 0x42];
    const peer = Buffer.from([0, 1, 0x21 ^ 0x10, 0x12, ...bytes.map((byte, index) => byte ^ (mask[index] ?? 0))]);
    return errorIn(await this.#ask(CREATE_PERMISSION, [[ATTRIBUTE.peer, peer]], true));
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
    const header = Buffer.alloc(20);
    header.writeUInt16BE(type, 0);
    header.writeUInt16BE(body.length + (isSigned ? 24 : 0), 2);
    header.writeUInt32BE(COOKIE, 4);
    randomBytes(12).copy(header, 8);
    const message = Buffer.concat([header, body]);
    const key = createHash('md5').update(`${username}:${this.#realm.toString()}:${credential}`).digest();
    const signature = encoded(ATTRIBUTE.integrity, createHmac('sha1', key).update(message).digest());
    this.socket.send(isSigned ? Buffer.concat([message, signature]) : message, this.server.port, this.server.host);
    const [answer] = (await once(this.socket, 'message')) as [Buffer];
    return attributesOf(answer);
  }
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
