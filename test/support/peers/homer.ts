import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { Waiting } from '../waiting.js';

/** One packet of the Homer Encapsulation Protocol, version 3 (https://github.com/sipcapture/HEP). */
export interface HepPacket {
  readonly protocol: 'sip' | 'rtcp' | number;
  readonly from: string;
  readonly to: string;
  readonly captureId: number;
  readonly password: string | null;
  /** In reports: the Call-ID of their call. */
  readonly correlation: string | null;
  readonly payload: string;
}

const HEADER = 'HEP3';
const HEADER_BYTES = 6;
/** Vendor, type and length of a chunk. */
const CHUNK_BYTES = 6;
const CHUNK = {
  from: 3,
  to: 4,
  fromPort: 7,
  toPort: 8,
  protocol: 11,
  captureId: 12,
  password: 14,
  payload: 15,
} as const;
const CORRELATION = 17;
const PROTOCOLS: Readonly<Record<number, 'sip' | 'rtcp'>> = { 1: 'sip', 5: 'rtcp' };

/** @throws Error unless the bytes are one complete packet */
export function parseHep(bytes: Buffer): HepPacket {
  if (bytes.toString('latin1', 0, 4) !== HEADER || bytes.readUInt16BE(4) !== bytes.length) {
    throw new Error('Not a complete HEP 3 packet');
  }
  const chunks = new Map<number, Buffer>();
  for (let at = HEADER_BYTES; at < bytes.length;) {
    const length = bytes.readUInt16BE(at + 4);
    if (length < CHUNK_BYTES || at + length > bytes.length) throw new Error(`A HEP chunk of ${length} bytes at ${at}`);
    chunks.set(bytes.readUInt16BE(at + 2), bytes.subarray(at + CHUNK_BYTES, at + length));
    at += length;
  }
  const chunk = (type: number): Buffer => {
    const found = chunks.get(type);
    if (!found) throw new Error(`A HEP packet without chunk ${type}`);
    return found;
  };
  const protocol = chunk(CHUNK.protocol).readUInt8();
  const text = (type: number): string | null => chunks.get(type)?.toString() ?? null;
  return {
    protocol: PROTOCOLS[protocol] ?? protocol,
    from: `${chunk(CHUNK.from).join('.')}:${chunk(CHUNK.fromPort).readUInt16BE()}`,
    to: `${chunk(CHUNK.to).join('.')}:${chunk(CHUNK.toPort).readUInt16BE()}`,
    captureId: chunk(CHUNK.captureId).readUInt32BE(),
    password: text(CHUNK.password),
    correlation: text(CORRELATION),
    payload: chunk(CHUNK.payload).toString(),
  };
}

/** A Homer server that keeps the packets that engines send. */
export class Homer {
  readonly packets: HepPacket[] = [];
  readonly #waiting = new Waiting();

  private constructor(private readonly socket: Socket) {
    socket.on('message', (bytes) => {
      this.packets.push(parseHep(bytes));
      this.#waiting.changed();
    });
  }

  static async start(): Promise<Homer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new Homer(socket);
  }

  get port(): number {
    return this.socket.address().port;
  }

  /** The first packet that matches, already received or still to come. */
  packet(what: string, isIt: (packet: HepPacket) => boolean): Promise<HepPacket> {
    return this.#waiting.until(
      () => this.packets.find(isIt),
      () => `Homer received no ${what} among ${this.packets.length} packets`,
    );
  }

  close(): void {
    this.socket.close();
  }
}
