export type RecordingAudioProblem =
  /** A tap is not there. */
  | 'missing'
  /** A tap is no mono 16-bit wav, the taps have different sample rates, or none of them has a header. */
  | 'unreadable'
  /** More than a wav file can hold (4 GiB). */
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
  /** Of the loudest sample of all: 0 is silence, 1 full scale. */
  readonly peak: number;
}

/** Makes one recording of what an engine wrote. */
export interface RecordingAudio {
  /**
   * Write `out` (absolute path; replaced, whole or not at all) with one channel per tap, in their order. A tap is a mono 16-bit PCM wav, or
   * null for silence. All end at the same moment: one that began later than another has silence before it.
   * @param taps one or two absolute paths; their headers may be of a writer that was killed.
   * @param maxMs what lies behind this time is left out.
   * @throws RecordingAudioError
   */
  combine(taps: readonly (string | null)[], out: string, maxMs?: number): Promise<CombinedAudio>;
}
