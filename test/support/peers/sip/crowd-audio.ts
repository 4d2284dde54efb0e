import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** Audio of one call: an engine gives a call up after a minute without any. */
interface Stream {
  readonly host: string;
  readonly port: number;
  sequence: number;
}

const EVERY_MS = 1_000;
/** The number of turns; each call gets a burst in one of them. */
const TURNS = 5;
/** Engines take packets only after a few in a row (strict RTP). */
const PACKETS = 6;
const PACKET_MS = 20;
const SAMPLES = (8_000 * PACKET_MS) / 1_000;
/** Silence, A-law. */
const PAYLOAD = Buffer.alloc(SAMPLES, 0xd5);

/** Short bursts of silence for many calls, from one port, which takes what comes back. */
export class CrowdAudio {
  readonly #streams = new Map<string, Stream>();
  #turn = 0;
  readonly #timer: NodeJS.Timeout;

  private constructor(private readonly socket: Socket) {
    this.#timer = setInterval(() => this.#send(), EVERY_MS);
  }

  static async open(): Promise<CrowdAudio> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    socket.on('error', () => undefined);
    return new CrowdAudio(socket);
  }

  get port(): number {
    return this.socket.address().port;
  }

  /** Sends to where a session description wants its audio, until {@link end}. */
  begin(callId: string, sdp: string): void {
    const host = /^c=IN IP4 (\S+)/m.exec(sdp)?.[1];
    const port = Number(/^m=audio (\d+)/m.exec(sdp)?.[1]);
    if (host !== undefined && port > 0) this.#streams.set(callId, { host, port, sequence: 0 });
  }

  end(callId: string): void {
    this.#streams.delete(callId);
  }

  close(): void {
    clearInterval(this.#timer);
    this.socket.close();
  }

  #send(): void {
    this.#turn = (this.#turn + 1) % TURNS;
    [...this.#streams.values()].forEach((stream, at) => {
      if (at % TURNS !== this.#turn) return;
      for (let packet = 0; packet < PACKETS; packet += 1) {
        this.socket.send(packetOf(stream, at), stream.port, stream.host);
        stream.sequence += 1;
      }
    });
  }
}

/** RFC 3550 §5.1. */
function packetOf({ sequence }: Stream, source: number): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt8(0x80, 0);
  head.writeUInt8(8, 1);
  head.writeUInt16BE(sequence % 0x1_0000, 2);
  head.writeUInt32BE(sequence * SAMPLES, 4);
  head.writeUInt32BE(source + 1, 8);
  return Buffer.concat([head, PAYLOAD]);
}
