/** Why audio was refused; each is the user's to mend except `unavailable`. */
export type MediaProblem =
  'not_https' | 'private_address' | 'unreachable' | 'bad_status' | 'too_large' | 'not_audio' | 'empty' | 'unavailable';

export class MediaError extends Error {
  override readonly name = 'MediaError';
  constructor(
    readonly problem: MediaProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface StoredAudio {
  /** Absolute path without extension: `.wav` (8 kHz) and `.wav16` (16 kHz), both 16-bit mono PCM, stand there. */
  readonly path: string;
  readonly durationMs: number;
}

/** Audio made playable on every engine. Input is wav or mp3 up to 10 MB. */
export interface MediaStore {
  /**
   * Fetch from a public https address (checked again at connect time, after DNS; redirects are not followed).
   * @throws MediaError
   */
  fetch(url: string): Promise<StoredAudio>;
  /** Fetch likewise, and keep it as an upload under an id: it stays until it is removed. @throws MediaError */
  keep(id: string, url: string): Promise<StoredAudio>;
  /** Store an upload under an id. @throws MediaError */
  put(id: string, audio: Uint8Array): Promise<StoredAudio>;
  remove(id: string): Promise<void>;
  /** Make audio playable for one call, which gives it back; what a process that died did not give back goes after some hours. @throws MediaError */
  lend(audio: Uint8Array): Promise<StoredAudio>;
  /** Nobody plays it any more. A repeat does nothing. @param path of what was lent @throws MediaError */
  giveBack(path: string): Promise<void>;
  /** Where a stored upload stands. */
  pathOf(id: string): string;
}
