import { expect } from 'chai';
import { levelled } from '../../../adapters/media/level.js';
import { loudnessOf } from '../../../adapters/media/loudness.js';

/** Generates consecutive sines: frequency in Hz, peak level in dBFS, seconds. */
function sines(rate: number, ...parts: readonly (readonly [number, number, number])[]): Float32Array {
  const samples: number[] = [];
  for (const [hz, db, seconds] of parts) {
    const level = 10 ** (db / 20);
    for (let i = 0; i < Math.round(rate * seconds); i++) samples.push(level * Math.sin((2 * Math.PI * hz * i) / rate));
  }
  return Float32Array.from(samples);
}

describe('Loudness', () => {
  // BS.1770-4 annex 1: a full-scale sine of 997 Hz on one channel is -3.01 LKFS.
  for (const rate of [8000, 16000, 44100, 48000]) {
    it(`of the recommendation's reference sine is -3.01 LUFS, at ${rate} Hz`, () => {
      expect(loudnessOf(sines(rate, [997, 0, 3]), rate)).to.be.closeTo(-3.01, 0.1);
    });
  }

  // EBU Tech 3341 table 1. Its signals have two channels: a single channel is 3.01 LU lower.
  for (const [number, parts, lufs] of [
    [1, [[1000, -23, 20]], -23],
    [2, [[1000, -33, 20]], -33],
    [
      3,
      [
        [1000, -36, 10],
        [1000, -23, 60],
        [1000, -36, 10],
      ],
      -23,
    ],
    [
      4,
      [
        [1000, -72, 10],
        [1000, -36, 10],
        [1000, -23, 60],
        [1000, -36, 10],
        [1000, -72, 10],
      ],
      -23,
    ],
    [
      5,
      [
        [1000, -26, 20],
        [1000, -20, 20.1],
        [1000, -26, 20],
      ],
      -23,
    ],
  ] as const) {
    it(`meets test ${number} of EBU Tech 3341`, () => {
      expect(loudnessOf(sines(16000, ...parts), 16000)).to.be.closeTo(lufs - 3.01, 0.1);
    });
  }

  // BS.1770-4 annex 1, figure 4 and the high-pass: hearing is less sensitive at low frequencies and more at high ones.
  for (const [hz, weight] of [
    [25, -10],
    [100, -1.1],
    [500, 0],
    [3000, 3.4],
    [6000, 4],
  ] as const) {
    it(`weighs ${hz} Hz by ${weight} dB`, () => {
      expect(loudnessOf(sines(48000, [hz, -20, 3]), 48000) + 23.7).to.be.closeTo(weight, 1.2);
    });
  }

  it('of empty audio, silence and anything below the gate is -Infinity', () => {
    expect(loudnessOf(new Float32Array(0), 8000)).to.equal(-Infinity);
    expect(loudnessOf(new Float32Array(8000), 8000)).to.equal(-Infinity);
    expect(loudnessOf(sines(8000, [1000, -80, 2]), 8000)).to.equal(-Infinity);
  });

  it('is reached through a limiter that removes all peaks and affects nothing far from them', () => {
    const samples = sines(16000, [500, -30, 2]);
    samples[16000] = 0.9;
    const { samples: loud, gainDb } = levelled(samples, 16000, -20);
    expect(Math.max(...loud.map(Math.abs))).to.be.at.most(0.9701);
    expect(loudnessOf(loud, 16000)).to.be.closeTo(-20, 0.5);
    const gain = 10 ** (gainDb / 20);
    for (const at of [100, 8001, 30001]) expect(loud[at]).to.be.closeTo((samples[at] ?? 0) * gain, 1e-4);
  });
});
