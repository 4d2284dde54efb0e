import { confidenceOf, turnsOf, type Segment, type Speaker, type Turn } from '../../model/transcript.js';
import type { Transcriber } from '../../ports/transcription.js';
import type { Piece } from './pieces.js';

/** What a whole recording says. */
export interface Listened {
  readonly turns: readonly Turn[];
  /** The one in which most was said; null where no engine told, or nothing was said. */
  readonly language: string | null;
  readonly confidence: number | null;
}

/** RMS of a tenth of a second, in units of a sample: -45 dBFS. What has none louder is silence, in which engines hear things. */
const AUDIBLE = 32768 * 10 ** (-45 / 20);

/**
 * Every piece of a recording, each channel by itself, put together as a conversation.
 * @param speakers whose voice each channel is
 * @param before told before each piece
 * @throws TranscriptionError
 */
export async function listen(
  pieces: AsyncIterable<Piece>,
  speakers: readonly (Speaker | null)[],
  transcriber: Transcriber,
  before: () => Promise<void>,
): Promise<Listened> {
  const channels = speakers.map((speaker) => ({ speaker, segments: [] as Segment[] }));
  const said = new Map<string, number>();
  for await (const { startMs, sampleRate, channels: heard } of pieces) {
    for (const [index, samples] of heard.entries()) {
      if (!isAudible(samples, sampleRate)) continue;
      await before();
      const { language, segments } = await transcriber.transcribe({ samples, sampleRate });
      const length = segments.reduce((sum, { text }) => sum + text.length, 0);
      if (language !== null && length > 0) said.set(language, (said.get(language) ?? 0) + length);
      channels[index]?.segments.push(...segments.map((segment) => later(segment, startMs)));
    }
  }
  const [[language] = [null]] = [...said].sort(([, a], [, b]) => b - a);
  return { turns: turnsOf(channels), language, confidence: confidenceOf(channels.flatMap(({ segments }) => segments)) };
}

function later(segment: Segment, byMs: number): Segment {
  return { ...segment, startMs: segment.startMs + byMs, endMs: segment.endMs + byMs };
}

function isAudible(samples: Int16Array, sampleRate: number): boolean {
  const length = Math.round(sampleRate / 10);
  for (let start = 0; start < samples.length; start += length) {
    const frame = samples.subarray(start, start + length);
    let sum = 0;
    for (const sample of frame) sum += sample * sample;
    if (Math.sqrt(sum / frame.length) > AUDIBLE) return true;
  }
  return false;
}
