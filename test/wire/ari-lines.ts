import { createHash } from 'node:crypto';
import type { Asked, Said } from './transcript.js';

/** A request with its number, because responses may arrive in another order. */
export interface AriAsked extends Asked {
  readonly request: number;
}

export interface AriAnswer extends Said {
  readonly from: 'asterisk';
  readonly request: number;
  readonly status: number;
  /** Undefined if there is none. */
  readonly body?: unknown;
}

/** A websocket message. */
export interface AriTold extends Said {
  readonly from: 'asterisk';
  readonly event: { readonly type: string };
}

export type AriSaid = AriAnswer | AriTold;

/** Formats a request as one text, without the configuration in a PUT, which may contain new secrets each time. */
export function textOf(method: string, path: string, body: string): string {
  return `${method} ${path}${method === 'PUT' || body === '' ? '' : ` ${body}`}`;
}

const OPCODES = { text: 1, close: 8, ping: 9, pong: 10 } as const;
const FINAL = 0x80;
const MASKED = 0x80;

/** Builds a server's websocket message (RFC 6455): one unmasked frame. */
export function frame(kind: keyof typeof OPCODES, payload: Buffer): Buffer {
  const { length } = payload;
  const size = length < 126 ? Buffer.from([length]) : Buffer.from([126, length >> 8, length & 0xff]);
  if (length > 0xffff) throw new RangeError('The event is too long for one frame');
  return Buffer.concat([Buffer.from([FINAL | OPCODES[kind]]), size, payload]);
}

/** Returns a server's response to the handshake key. */
export function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/** Splits a websocket's stream, from either side, into frames. */
export class FrameReader {
  #buffer = Buffer.alloc(0);

  constructor(private readonly onFrame: (kind: keyof typeof OPCODES, payload: Buffer) => void) {}

  push(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const [first, second] = this.#buffer;
      if (first === undefined || second === undefined) return;
      const short = second & 0x7f;
      const sizeBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
      const maskBytes = (second & MASKED) === 0 ? 0 : 4;
      const start = 2 + sizeBytes + maskBytes;
      if (this.#buffer.length < start) return;
      const length =
        sizeBytes === 0
          ? short
          : sizeBytes === 2
            ? this.#buffer.readUInt16BE(2)
            : Number(this.#buffer.readBigUInt64BE(2));
      if (this.#buffer.length < start + length) return;
      const mask = this.#buffer.subarray(start - maskBytes, start);
      const payload = this.#buffer.subarray(start, start + length).map((byte, at) => byte ^ (mask[at % 4] ?? 0));
      this.#buffer = this.#buffer.subarray(start + length);
      const kind = Object.entries(OPCODES).find(([, opcode]) => opcode === (first & 0x0f))?.[0];
      if (kind !== undefined) this.onFrame(kind as keyof typeof OPCODES, Buffer.from(payload));
    }
  }
}
