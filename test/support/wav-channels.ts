import wavefile from 'wavefile';
import { audioOf, type Audio } from './audio.js';

/** Each channel of a whole 16-bit PCM wav by itself, first channel first; its header must be right. */
export function wavChannels(bytes: Uint8Array): Audio[] {
  const wav = new wavefile.WaveFile(bytes);
  const { numChannels, sampleRate } = wav.fmt as { numChannels: number; sampleRate: number };
  if (wav.bitDepth !== '16') throw new Error(`Not 16-bit PCM: ${wav.bitDepth}`);
  const all = wav.getSamples(true, Int16Array);
  return Array.from({ length: numChannels }, (_, channel) => {
    const samples = Float64Array.from(
      { length: Math.floor(all.length / numChannels) },
      (_, frame) => (all[frame * numChannels + channel] ?? 0) / 32768,
    );
    return audioOf(samples, sampleRate);
  });
}
