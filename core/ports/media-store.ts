/** Why audio was refused. The user can fix each one except `unavailable`. */
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
  /**
   * Absolute path without extension of two files, `.wav` (8 kHz) and `.wav16` (16 kHz), both 16-bit
   * mono PCM.
   */
  readonly path: string;
  readonly durationMs: number;
}

/** The bytes of a WAV or MP3 file, or the path of one. */
export type AudioInput = Uint8Array | { readonly file: string };

/**
 * Audio that every engine can play. Input is wav or mp3 up to 10 MB. Projects take
 * turns at the conversion, and what a call needs does not wait for uploads.
 */
export interface MediaStore {
  /**
   * Fetches audio from a public https address (checked again at connect time, after DNS; redirects
   * are not followed).
   * @throws MediaError
   */
  fetch(url: string, projectId: string): Promise<StoredAudio>;
  /**
   * Like {@link fetch}, but stores the audio under an id until it is removed. @throws MediaError
   */
  fetchAs(id: string, url: string, projectId: string): Promise<StoredAudio>;
  /** Stores an upload under an id. @throws MediaError */
  put(id: string, audio: AudioInput, projectId: string): Promise<StoredAudio>;
  remove(id: string): Promise<void>;
  /**
   * Stores audio for one call, which releases it at its end. Audio that a dead process did not
   * release is deleted after some hours. @throws MediaError
   */
  putTemporary(audio: AudioInput, projectId: string): Promise<StoredAudio>;
  /**
   * Deletes temporary audio. A repeat does nothing. @param path as returned by `putTemporary` @throws
   * MediaError
   */
  release(path: string): Promise<void>;
  /** Path of a stored upload. */
  pathOf(id: string): string;
}
