import type { Segment } from '../model/transcript.js';

/** A piece of one voice, or of several mixed; up to ten minutes. */
export interface Heard {
  /** 16-bit, mono. */
  readonly samples: Int16Array;
  readonly sampleRate: number;
}

export interface Transcription {
  /** ISO 639-1; null where the engine does not tell. */
  readonly language: string | null;
  /** In order, times from the beginning of the piece; empty where nothing was said. */
  readonly segments: readonly Segment[];
}

/** Speech to text. */
export interface Transcriber {
  /** What made the text, for who reads it. */
  readonly engine: string;
  /** @throws TranscriptionError */
  transcribe(heard: Heard): Promise<Transcription>;
  close(): Promise<void>;
}

export class TranscriptionError extends Error {
  override readonly name = 'TranscriptionError';
  constructor(
    message: string,
    /** The same request will fail again. */
    readonly isFinal: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
