/**
 * Loudness of one channel by ITU-R BS.1770-4: K-weighted, in 400 ms blocks that overlap by three quarters, with two
 * gates.
 */
const [BLOCK_SECONDS, STEPS_A_BLOCK] = [0.4, 4];
const OFFSET_DB = -0.691;
/** LUFS. Quieter blocks count as silence. */
const ABSOLUTE_GATE = -70;
/** LU below the mean of the blocks that passed the first gate. Quieter blocks count as pauses. */
const RELATIVE_GATE = -10;

/**
 * Returns the integrated loudness in LUFS. Audio shorter than a block counts as one block. A 1 kHz sine at full scale
 * has -3.
 * @param samples full-scale at ±1
 * @returns -Infinity for silence
 */
export function loudnessOf(samples: Float32Array, sampleRate: number): number {
  const blocks = blockPowers(samples, sampleRate);
  const audible = blocks.filter((power) => lufs(power) > ABSOLUTE_GATE);
  const gate = lufs(mean(audible)) + RELATIVE_GATE;
  return lufs(mean(audible.filter((power) => lufs(power) > gate)));
}

function lufs(power: number): number {
  return OFFSET_DB + 10 * Math.log10(power);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the mean squares of the weighted samples per block. */
function blockPowers(samples: Float32Array, sampleRate: number): number[] {
  const step = Math.round((BLOCK_SECONDS / STEPS_A_BLOCK) * sampleRate);
  const sums = stepSums(samples, sampleRate, step);
  if (samples.length < STEPS_A_BLOCK * step) {
    return samples.length === 0 ? [] : [sums.reduce((sum, value) => sum + value, 0) / samples.length];
  }
  const whole = Math.floor(samples.length / step);
  return Array.from({ length: whole - STEPS_A_BLOCK + 1 }, (_, first) => {
    const block = sums.slice(first, first + STEPS_A_BLOCK);
    return block.reduce((sum, value) => sum + value, 0) / (STEPS_A_BLOCK * step);
  });
}

/** Returns the sums of squares of the weighted samples for each tenth of a second. */
function stepSums(samples: Float32Array, sampleRate: number, step: number): number[] {
  const [shelf, highPass] = [new Biquad(shelfAt(sampleRate)), new Biquad(highPassAt(sampleRate))];
  const sums: number[] = [];
  let [sum, count] = [0, 0];
  for (const sample of samples) {
    const weighted = highPass.next(shelf.next(sample));
    sum += weighted * weighted;
    if (++count % step === 0) {
      sums.push(sum);
      sum = 0;
    }
  }
  return [...sums, sum];
}

interface Coefficients {
  readonly b: readonly [number, number, number];
  readonly a: readonly [number, number];
}

/** Annex 1 defines both filters for 48 kHz only; these are the analogue prototypes, for any rate. */
function shelfAt(sampleRate: number): Coefficients {
  const q = 0.7071752369554196;
  const k = Math.tan((Math.PI * 1681.974450955533) / sampleRate);
  const high = 10 ** (3.999843853973347 / 20);
  const band = high ** 0.4996667741545416;
  const a0 = 1 + k / q + k * k;
  return {
    b: [(high + (band * k) / q + k * k) / a0, (2 * (k * k - high)) / a0, (high - (band * k) / q + k * k) / a0],
    a: [(2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0],
  };
}

function highPassAt(sampleRate: number): Coefficients {
  const q = 0.5003270373238773;
  const k = Math.tan((Math.PI * 38.13547087602444) / sampleRate);
  const a0 = 1 + k / q + k * k;
  return { b: [1, -2, 1], a: [(2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0] };
}

class Biquad {
  #z1 = 0;
  #z2 = 0;

  constructor(private readonly coefficients: Coefficients) {}

  next(x: number): number {
    const { b, a } = this.coefficients;
    const y = b[0] * x + this.#z1;
    this.#z1 = b[1] * x - a[0] * y + this.#z2;
    this.#z2 = b[2] * x - a[1] * y;
    return y;
  }
}
