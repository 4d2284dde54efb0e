/** The payload type of keys that `sdp` of the scripted phones names. */
export const TELEPHONE_EVENT = 101;
/** The keys in the order of their events. */
export const KEYS = '0123456789*#ABCD';
export const MARKER = 0x80;
const HEADER_BYTES = 12;
const SAMPLES_PER_MS = 8;
/** A-law inverts every other bit; these three bits are the segment, about 6 dB each. */
const [INVERTED, SEGMENT, LOUD] = [0x55, 0x70, 0x40] as const;

export interface HeardKey {
  readonly key: string;
  readonly durationMs: number;
}

/**
 * Counts the keys in received RTP by their RFC 4733 events: all packets of an event have one timestamp, so that the same
 * key pressed twice is two events. baresip 1.1 reports it once, because it never reports the end of a key.
 */
export class HeardKeys {
  readonly #events = new Map<number, HeardKey>();
  #isSounding = false;

  /** In the order in which they began. */
  get all(): readonly HeardKey[] {
    return [...this.#events.values()];
  }

  get text(): string {
    return this.all.map(({ key }) => key).join('');
  }

  /** Whether a sound has arrived; silence is none. */
  get isSounding(): boolean {
    return this.#isSounding;
  }

  /** @param packet RTP without extensions; audio in G.711 A-law */
  take(packet: Buffer): void {
    if (packet.length < HEADER_BYTES + 4) return;
    if ((packet[1]! & ~MARKER) !== TELEPHONE_EVENT) {
      this.#isSounding ||= packet.subarray(HEADER_BYTES).some((byte) => ((byte ^ INVERTED) & SEGMENT) >= LOUD);
      return;
    }
    const key = KEYS[packet[HEADER_BYTES]!] ?? '?';
    const durationMs = packet.readUInt16BE(HEADER_BYTES + 2) / SAMPLES_PER_MS;
    this.#events.set(packet.readUInt32BE(4), { key, durationMs });
  }
}
