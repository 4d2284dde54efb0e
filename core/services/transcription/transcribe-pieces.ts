import { confidenceOf, turnsOf, type Segment, type Speaker, type Turn } from '../../model/transcript.js';
import type { Transcriber } from '../../ports/transcription.js';
import type { Piece } from './pieces.js';

/** The transcript of a whole recording. */
export interface TranscriptContent {
  readonly turns: readonly Turn[];
  /** The language with the most text; null if the engine reports none, or nothing was said. */
  readonly language: string | null;
  readonly confidence: number | null;
}

/**
 * Minimum RMS of a tenth of a second, in sample units: -45 dBFS. Anything quieter is treated as silence, in which
 * engines hallucinate text.
 */
const AUDIBLE_RMS = 32768 * 10 ** (-45 / 20);

/**
 * Transcribes every piece of a recording, each channel separately, and merges the channels into a conversation.
 * @param speakers the speaker on each channel
 * @param before called before each request to the engine
 * @throws TranscriptionError
 */
export async function transcribePieces(
  pieces: AsyncIterable<Piece>,
  speakers: readonly (Speaker | null)[],
  transcriber: Transcriber,
  before: () => Promise<void>,
): Promise<TranscriptContent> {
  const channels = speakers.map((speaker) => ({ speaker, segments: [] as Segment[] }));
  const lengthByLanguage = new Map<string, number>();
  for await (const { startMs, sampleRate, channels: channelSamples } of pieces) {
    for (const [index, samples] of channelSamples.entries()) {
      if (!isAudible(samples, sampleRate)) continue;
      await before();
      const { language, segments } = await transcriber.transcribe({ samples, sampleRate });
      const length = segments.reduce((sum, { text }) => sum + text.length, 0);
      if (language !== null && length > 0)
        lengthByLanguage.set(language, (lengthByLanguage.get(language) ?? 0) + length);
      channels[index]?.segments.push(...segments.map((segment) => shifted(segment, startMs)));
    }
  }
  const [[language] = [null]] = [...lengthByLanguage].sort(([, a], [, b]) => b - a);
  return { turns: turnsOf(channels), language, confidence: confidenceOf(channels.flatMap(({ segments }) => segments)) };
}

function shifted(segment: Segment, byMs: number): Segment {
  return { ...segment, startMs: segment.startMs + byMs, endMs: segment.endMs + byMs };
}

function isAudible(samples: Int16Array, sampleRate: number): boolean {
  const length = Math.round(sampleRate / 10);
  for (let start = 0; start < samples.length; start += length) {
    const frame = samples.subarray(start, start + length);
    let sum = 0;
    for (const sample of frame) sum += sample * sample;
    if (Math.sqrt(sum / frame.length) > AUDIBLE_RMS) return true;
  }
  return false;
}
