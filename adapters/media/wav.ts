export const WAV_HEADER_BYTES = 44;

/** Builds a WAV file in the most portable form: 16-bit PCM, mono. */
export function wavOf(samples: Int16Array, sampleRate: number): Uint8Array<ArrayBuffer> {
  const wav = new Uint8Array(WAV_HEADER_BYTES + 2 * samples.length);
  const view = new DataView(wav.buffer);
  const name = (at: number, text: string): void => wav.set(Buffer.from(text, 'latin1'), at);
  name(0, 'RIFF');
  view.setUint32(4, wav.length - 8, true);
  name(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, 2 * sampleRate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  name(36, 'data');
  view.setUint32(40, 2 * samples.length, true);
  samples.forEach((sample, i) => view.setInt16(WAV_HEADER_BYTES + 2 * i, sample, true));
  return wav;
}
