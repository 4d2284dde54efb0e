import { MediaError } from '../../core/ports/media-store.js';

export interface DecodeLimits {
  readonly maxSeconds: number;
}

/** Decoded audio: one channel, full-scale at ±1. */
export interface Decoded {
  readonly sampleRate: number;
  readonly samples: Float32Array;
}

/** @throws MediaError `not_audio` for non-finite samples */
export function decodedOf(samples: Float32Array, sampleRate: number): Decoded {
  for (const sample of samples) {
    if (!Number.isFinite(sample)) throw new MediaError('not_audio', 'the file contains samples that are not numbers');
  }
  return { sampleRate, samples };
}
