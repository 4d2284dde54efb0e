import { z } from 'zod';
import type { Segment } from '../../core/model/transcript.js';
import {
  TranscriptionError,
  type AudioChunk,
  type Transcriber,
  type Transcription,
} from '../../core/ports/transcription.js';
import { Gate } from '../media/gate.js';
import { resample } from '../media/resample.js';
import { runProgram, type Program } from '../programs/run-program.js';

/** pocketsphinx 5 with its English model. */
export interface PocketsphinxProgram extends Program {
  /** The directory with `en-us`, its language model and its dictionary. */
  readonly model: string;
}

/** The rate of the model. */
const SAMPLE_RATE = 16_000;
/** On a busy machine it takes several times the audio's duration, and its low priority favours calls. */
const [TIMEOUT_MS, TIMEOUT_FACTOR, NICENESS] = [60_000, 10, 15];
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Relative to full scale. On a woman's voice at 8 kHz the word error rate is 50 % with it, and 58 % without. */
const NOISE = 0.002;
/** The length of a pause that ends a segment. */
const PAUSE_SECONDS = 0.35;

const word = z.object({ b: z.number(), d: z.number(), p: z.number(), t: z.string() });
const answer = z.object({ w: z.array(word) });
type Word = z.output<typeof word>;

/**
 * The embedded fallback: English only and inaccurate on telephone audio, which its confidence shows. No audio leaves
 * the machine.
 */
export class PocketsphinxTranscriber implements Transcriber {
  readonly engine = 'pocketsphinx';
  /** One at a time, because it uses a whole processor. */
  readonly #gate = new Gate(1, 64);

  readonly #closing = new AbortController();
  #program: PocketsphinxProgram | null = null;

  /** @param find called at the first use, and again after it threw: the program may have to be downloaded */
  constructor(private readonly find: () => Promise<PocketsphinxProgram>) {}

  async transcribe({ samples, sampleRate }: AudioChunk): Promise<Transcription> {
    const turn = this.#gate.enter(() => this.#run(samples, sampleRate));
    if (turn === null) throw new TranscriptionError('too many recordings are waiting to be transcribed', false);
    try {
      return { language: 'en', segments: segmentsOf(answer.parse(JSON.parse(await turn)).w) };
    } catch (error) {
      throw new TranscriptionError('pocketsphinx did not transcribe the audio', false, { cause: error });
    }
  }

  close(): Promise<void> {
    this.#closing.abort();
    return Promise.resolve();
  }

  async #run(samples: Int16Array, sampleRate: number): Promise<string> {
    const program = (this.#program ??= await this.find());
    const { model } = program;
    const args = ['-hmm', `${model}/en-us`, '-lm', `${model}/en-us.lm.bin`, '-dict', `${model}/cmudict-en-us.dict`];
    const output = await runProgram(program, [...args, '-loglevel', 'ERROR', 'single', '-'], {
      input: rawOf(samples, sampleRate),
      timeoutMs: TIMEOUT_MS + TIMEOUT_FACTOR * (samples.length / sampleRate) * 1000,
      maxBytes: MAX_OUTPUT_BYTES,
      niceness: NICENESS,
      signal: this.#closing.signal,
    });
    return Buffer.from(output).toString('utf8');
  }
}

/**
 * Returns raw samples in this machine's byte order, as the program expects. Telephone audio has only the lower half of
 * the band that the model uses; in the upper half, faint noise gives better results than digital silence.
 */
function rawOf(samples: Int16Array, sampleRate: number): Uint8Array {
  const full = Float32Array.from(samples, (sample) => sample / 32768);
  const level = sampleRate < SAMPLE_RATE ? NOISE : 0;
  let random = 1;
  const wide = Int16Array.from(resample(full, sampleRate, SAMPLE_RATE), (sample) => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) | 0;
    const noisy = sample + (level * random) / 2 ** 31;
    return Math.max(-32768, Math.min(32767, Math.round(noisy * 32767)));
  });
  return new Uint8Array(wide.buffer);
}

function segmentsOf(words: readonly Word[]): Segment[] {
  const groups: Word[][] = [[]];
  for (const one of words) {
    if (isFiller(one)) {
      if (one.d >= PAUSE_SECONDS) groups.push([]);
    } else {
      groups.at(-1)?.push(one);
    }
  }
  return groups.flatMap(segmentOf);
}

function segmentOf(words: readonly Word[]): Segment[] {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) return [];
  return [
    {
      startMs: Math.round(first.b * 1000),
      endMs: Math.round((last.b + last.d) * 1000),
      // Alternative pronunciations of a word are numbered.
      text: words.map(({ t }) => t.replace(/\(\d+\)$/, '')).join(' '),
      confidence: Math.min(1, words.reduce((sum, { p }) => sum + p, 0) / words.length),
    },
  ];
}

/** Sentence starts and ends, silences and noises. */
function isFiller({ t }: Word): boolean {
  return t.startsWith('<') || t.startsWith('[');
}
