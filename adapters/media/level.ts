import { loudnessOf } from './loudness.js';

/** Headroom below full scale, because clipped peaks are audible. */
const MAX_PEAK = 0.97;
/** In dB. Anything much quieter than speech is noise and is not amplified fully. */
const MAX_GAIN_DB = 40;
/**
 * The time over which a peak is turned down; slower than a period of a low voice, so that it is not audible as
 * distortion.
 */
const LIMITER_SECONDS = 0.005;
const [ROUNDS, CLOSE_ENOUGH_DB] = [4, 0.2];

/**
 * Brings audio to a loudness; single peaks that would clip are turned down for a few milliseconds.
 * @param lufs the target, by ITU-R BS.1770
 * @param maxGainDb the maximum gain
 */
export function levelled(
  samples: Float32Array,
  sampleRate: number,
  lufs: number,
  maxGainDb = MAX_GAIN_DB,
): { readonly samples: Float32Array; readonly gainDb: number } {
  let gainDb = lufs - loudnessOf(samples, sampleRate);
  if (!Number.isFinite(gainDb)) return { samples, gainDb: 0 };
  for (let round = 1; ; round++) {
    gainDb = Math.min(gainDb, maxGainDb);
    const louder = limited(samples, 10 ** (gainDb / 20), sampleRate);
    // Compensate for the loudness that the limiter removed.
    const missingDb = lufs - loudnessOf(louder, sampleRate);
    if (round === ROUNDS || missingDb < CLOSE_ENOUGH_DB || gainDb === maxGainDb) return { samples: louder, gainDb };
    gainDb += missingDb;
  }
}

/** Multiplies `samples` by `gain`, limited to {@link MAX_PEAK}. */
function limited(samples: Float32Array, gain: number, sampleRate: number): Float32Array {
  const out = samples.map((sample) => sample * gain);
  const reach = Math.round(LIMITER_SECONDS * sampleRate);
  const factors = smoothed(lowest(out, reach), reach);
  for (let i = 0; i < out.length; i++) out[i] = (out[i] ?? 0) * (factors[i] ?? 1);
  return out;
}

/** Returns for each sample the smallest factor that any sample within reach needs. */
function lowest(samples: Float32Array, reach: number): Float32Array {
  const factors = new Float32Array(samples.length).fill(1);
  samples.forEach((sample, at) => {
    const size = Math.abs(sample);
    if (size <= MAX_PEAK) return;
    const factor = MAX_PEAK / size;
    const end = Math.min(samples.length - 1, at + reach);
    for (let i = Math.max(0, at - reach); i <= end; i++) factors[i] = Math.min(factors[i] ?? 1, factor);
  });
  return factors;
}

/** Averages over the samples within reach: at a peak, all of them are as low as the peak needs. */
function smoothed(factors: Float32Array, reach: number): Float32Array {
  const at = (i: number): number => factors[Math.max(0, Math.min(factors.length - 1, i))] ?? 1;
  const out = new Float32Array(factors.length);
  let sum = 0;
  for (let i = -reach; i <= reach; i++) sum += at(i);
  for (let i = 0; i < out.length; i++) {
    out[i] = sum / (2 * reach + 1);
    sum += at(i + reach + 1) - at(i - reach);
  }
  return out;
}
