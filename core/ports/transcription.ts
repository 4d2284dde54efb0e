import type { Segment } from '../model/transcript.js';

/** Audio of one voice, or of several mixed; up to ten minutes. */
export interface AudioChunk {
  /** 16-bit, mono. */
  readonly samples: Int16Array;
  readonly sampleRate: number;
}

export interface Transcription {
  /** ISO 639-1; null if the engine does not report it. */
  readonly language: string | null;
  /** In order, with times from the start of the audio; empty if there is no speech. */
  readonly segments: readonly Segment[];
}

/** Speech to text. */
export interface Transcriber {
  /** Name of the engine that made the text, shown to readers. */
  readonly engine: string;
  /** @throws TranscriptionError */
  transcribe(audio: AudioChunk): Promise<Transcription>;
  close(): Promise<void>;
}

export class TranscriptionError extends Error {
  override readonly name = 'TranscriptionError';
  constructor(
    message: string,
    /** Whether the same request will fail again. */
    readonly isFinal: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
