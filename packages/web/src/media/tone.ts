/** A tone of a telephone: on and off in turn. */
interface Cadence {
  readonly hz: readonly number[];
  readonly onMs: number;
  readonly offMs: number;
}

/** What a caller hears while it rings: 425 Hz (ITU-T E.180). */
export const RINGBACK: Cadence = { hz: [425], onMs: 1_200, offMs: 4_600 };
/** What rings here. */
export const RING: Cadence = { hz: [440, 480], onMs: 1_500, offMs: 2_500 };

const RATE = 8_000;
const FADE_MS = 10;
const HEADER_BYTES = 44;

/** One period of the tone as a wav file (PCM, 16 bits, mono, 8 kHz). */
export function toneFile({ hz, onMs, offMs }: Cadence): Uint8Array {
  const samples = Math.round(((onMs + offMs) * RATE) / 1_000);
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + samples * 2));
  writeHeader(view, samples * 2);
  const sounding = Math.round((onMs * RATE) / 1_000);
  const fade = (FADE_MS * RATE) / 1_000;
  for (let at = 0; at < sounding; at++) {
    const loudness = Math.min(1, at / fade, (sounding - at) / fade);
    const wave = hz.reduce((sum, one) => sum + Math.sin((2 * Math.PI * one * at) / RATE), 0) / hz.length;
    view.setInt16(HEADER_BYTES + at * 2, Math.round(wave * loudness * 12_000), true);
  }
  return new Uint8Array(view.buffer);
}

function writeHeader(view: DataView, bytes: number): void {
  const text = (at: number, word: string): void =>
    Array.from(word).forEach((letter, i) => view.setUint8(at + i, letter.charCodeAt(0)));
  text(0, 'RIFF');
  view.setUint32(4, HEADER_BYTES - 8 + bytes, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, bytes, true);
}
