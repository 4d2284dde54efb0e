export type RecordingAudioProblem =
  /** A tap does not exist. */
  | 'missing'
  /** A tap is not a mono 16-bit wav, the taps have different sample rates, or none has a header. */
  | 'unreadable'
  /** The result exceeds what a wav file can hold (4 GiB). */
  | 'too_large'
  /** The file system refuses: the same request may succeed later. */
  | 'unavailable';

export class RecordingAudioError extends Error {
  override readonly name = 'RecordingAudioError';
  constructor(
    readonly problem: RecordingAudioProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface CombinedAudio {
  readonly durationMs: number;
  readonly bytes: number;
  /** Level of the loudest sample: 0 is silence, 1 full scale. */
  readonly peak: number;
}

/** Combines an engine's recorded taps into one recording. */
export interface RecordingAudio {
  /**
   * Writes `out` (absolute path; replaced atomically) with one channel per tap, in their order. A
   * tap is a mono 16-bit PCM wav, or null for silence. All taps end at the same moment: one that
   * started later is padded with silence at its start.
   * @param taps one or two absolute paths; their headers may come from a writer that was killed.
   * @param maxMs audio after this time is left out.
   * @throws RecordingAudioError
   */
  combine(taps: readonly (string | null)[], out: string, maxMs?: number): Promise<CombinedAudio>;
}
