/** Zero crossings of the sinc on each side: about 80 dB between the pass band and aliases. */
const ZERO_CROSSINGS = 16;
const KAISER_BETA = 8;
/** The pass band as a fraction of the lower of the two bands; the rest is the filter's slope. */
const PASS = 0.94;

/**
 * Band-limited resampling with a windowed sinc, with one filter for each phase of the ratio. (wavefile's own resampler
 * takes forty times as long, which for a long file is more processor time than a call needs.)
 */
export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples;
  const divisor = gcd(from, to);
  const [up, down] = [to / divisor, from / divisor];
  const cutoff = PASS * Math.min(1, to / from);
  const half = Math.ceil(ZERO_CROSSINGS / cutoff);
  const filters = new Map<number, Float32Array>();
  const out = new Float32Array(Math.floor((samples.length * up) / down));
  for (let n = 0; n < out.length; n++) {
    const position = n * down;
    const phase = position % up;
    let filter = filters.get(phase);
    if (!filter) filters.set(phase, (filter = filterOf(phase / up, half, cutoff)));
    out[n] = convolve(samples, Math.floor(position / up) - half + 1, filter);
  }
  return out;
}

function convolve(samples: Float32Array, first: number, filter: Float32Array): number {
  const from = Math.max(0, -first);
  const to = Math.min(filter.length, samples.length - first);
  let sum = 0;
  for (let k = from; k < to; k++) sum += (samples[first + k] ?? 0) * (filter[k] ?? 0);
  return sum;
}

/**
 * Returns the filter for a point `fraction` of a sample after the middle of `2 * half` samples; a constant passes
 * unchanged.
 */
function filterOf(fraction: number, half: number, cutoff: number): Float32Array {
  const filter = new Float32Array(2 * half);
  let sum = 0;
  for (let k = 0; k < filter.length; k++) {
    const x = k - half + 1 - fraction;
    const value = sinc(x * cutoff) * kaiser(x / half);
    filter[k] = value;
    sum += value;
  }
  return filter.map((value) => value / sum);
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number): number {
  return Math.abs(x) > 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
}

/** The modified Bessel function of the first kind, order zero. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
