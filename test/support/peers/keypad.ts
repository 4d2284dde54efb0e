import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { HeardKeys, KEYS, MARKER, TELEPHONE_EVENT } from '../judges/heard-keys.js';

const PACKET_MS = 20;
const SAMPLES_PER_PACKET = 160;
const RTP_VERSION_2 = 0x80;
const PCMA = 8;
const SSRC = 0x48617469;
/** Silence in G.711 A-law. */
const SILENCE = Buffer.alloc(SAMPLES_PER_PACKET, 0xd5);
const END_AND_VOLUME = [0x80 | 10, 10] as const;
/** The last packet of a key is sent three times (RFC 4733 §2.5.1.4). */
const LAST_PACKETS = 3;

export interface Press {
  readonly key: string;
  /** A multiple of 20 ms, as are the gaps. */
  readonly durationMs: number;
  /** The time from its release to the next press. */
  readonly gapMs: number;
}

/**
 * The media side of a phone that sends silence, and keys as RFC 4733 events with exact durations and gaps. It counts the
 * keys of the other side.
 */
export class Keypad {
  readonly heard = new HeardKeys();
  #timer: NodeJS.Timeout | undefined;
  #timestamp = 0;
  #sequence = 0;
  #stalledUntil = 0;
  /** What to send instead of silence, one entry per 20 ms. */
  readonly #script: (() => Buffer[])[] = [];

  private constructor(private readonly socket: Socket) {
    socket.on('message', (packet) => this.heard.take(packet));
  }

  static async open(): Promise<Keypad> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new Keypad(socket);
  }

  get port(): number {
    return this.socket.address().port;
  }

  /** Begins to send. */
  connect({ host, port }: { readonly host: string; readonly port: number }): void {
    const startedAt = performance.now();
    let sent = 0;
    this.#timer = setInterval(() => {
      const now = performance.now();
      for (; now > this.#stalledUntil && startedAt + sent * PACKET_MS <= now; sent += 1) {
        this.#timestamp += SAMPLES_PER_PACKET;
        const packets = this.#script.shift()?.() ?? [this.#silence()];
        for (const packet of packets) this.socket.send(packet, port, host);
      }
    }, 5);
  }

  /** Presses keys one after the other, after those already pressed. @returns when the last gap has passed */
  press(presses: readonly Press[]): Promise<void> {
    for (const { key, durationMs, gapMs } of presses) {
      const packets = durationMs / PACKET_MS;
      let beganAt = 0;
      for (let index = 1; index <= packets; index += 1) {
        this.#script.push(() => {
          if (index === 1) beganAt = this.#timestamp;
          return this.#event(key, beganAt, index, index === packets);
        });
      }
      for (let gap = 0; gap < gapMs / PACKET_MS; gap += 1) this.#script.push(() => [this.#silence()]);
    }
    return new Promise((resolve) => {
      this.#script.push(() => {
        resolve();
        return [this.#silence()];
      });
    });
  }

  /** Delays what is due in the next `ms` milliseconds, and then sends it at once. */
  stall(ms: number): void {
    this.#stalledUntil = performance.now() + ms;
  }

  close(): void {
    clearInterval(this.#timer);
    this.socket.close();
  }

  #event(key: string, beganAt: number, packets: number, isLast: boolean): Buffer[] {
    const payload = Buffer.alloc(4);
    payload[0] = KEYS.indexOf(key);
    payload[1] = END_AND_VOLUME[isLast ? 0 : 1];
    payload.writeUInt16BE(packets * SAMPLES_PER_PACKET, 2);
    const type = TELEPHONE_EVENT | (packets === 1 ? MARKER : 0);
    return Array.from({ length: isLast ? LAST_PACKETS : 1 }, () => this.#packet(type, beganAt, payload));
  }

  #silence(): Buffer {
    return this.#packet(PCMA, this.#timestamp, SILENCE);
  }

  #packet(type: number, timestamp: number, payload: Buffer): Buffer {
    const header = Buffer.alloc(12);
    header[0] = RTP_VERSION_2;
    header[1] = type;
    this.#sequence = (this.#sequence + 1) % 2 ** 16;
    header.writeUInt16BE(this.#sequence, 2);
    header.writeUInt32BE(timestamp, 4);
    header.writeUInt32BE(SSRC, 8);
    return Buffer.concat([header, payload]);
  }
}
