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
  /** The folder with `en-us`, its language model and its dictionary. */
  readonly model: string;
}

/** What the model was made for. */
const SAMPLE_RATE = 16_000;
/** On a busy machine it takes several times as long as the sound, and gives way to calls. */
const [TIMEOUT_MS, TIMEOUT_FACTOR, NICENESS] = [60_000, 10, 15];
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Of full scale. On a woman's voice at 8 kHz 50 words of a hundred are wrong with it, and 58 without. */
const NOISE = 0.002;
/** A pause that ends a segment. */
const PAUSE_SECONDS = 0.35;

const word = z.object({ b: z.number(), d: z.number(), p: z.number(), t: z.string() });
const answer = z.object({ w: z.array(word) });
type Word = z.output<typeof word>;

/**
 * The embedded fallback: English only, and poor on what comes over a telephone; its confidence says so. Nothing leaves the machine.
 */
export class PocketsphinxTranscriber implements Transcriber {
  readonly engine = 'pocketsphinx';
  /** One after another: it takes a whole processor. */
  readonly #gate = new Gate(1, 64);

  #program: PocketsphinxProgram | null = null;

  /** @param find asked when something is first to be heard, and again after it threw: the program may have to be fetched */
  constructor(private readonly find: () => Promise<PocketsphinxProgram>) {}

  async transcribe({ samples, sampleRate }: AudioChunk): Promise<Transcription> {
    const turn = this.#gate.enter(() => this.#listen(samples, sampleRate));
    if (turn === null) throw new TranscriptionError('too much is waiting to be transcribed', false);
    try {
      return { language: 'en', segments: segmentsOf(answer.parse(JSON.parse(await turn)).w) };
    } catch (error) {
      throw new TranscriptionError('pocketsphinx could not be used', false, { cause: error });
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #listen(samples: Int16Array, sampleRate: number): Promise<string> {
    const program = (this.#program ??= await this.find());
    const { model } = program;
    const args = ['-hmm', `${model}/en-us`, '-lm', `${model}/en-us.lm.bin`, '-dict', `${model}/cmudict-en-us.dict`];
    const output = await runProgram(program, [...args, '-loglevel', 'ERROR', 'single', '-'], {
      input: rawOf(samples, sampleRate),
      timeoutMs: TIMEOUT_MS + TIMEOUT_FACTOR * (samples.length / sampleRate) * 1000,
      maxBytes: MAX_OUTPUT_BYTES,
      niceness: NICENESS,
    });
    return Buffer.from(output).toString('utf8');
  }
}

/**
 * Samples without a header, in the order of bytes of this machine, as the program takes them. A telephone's sound ends where half of what the model
 * listens to begins; it takes a faint noise there better than a silence that no microphone makes.
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
      // A second way to say a word is written with its number.
      text: words.map(({ t }) => t.replace(/\(\d+\)$/, '')).join(' '),
      confidence: Math.min(1, words.reduce((sum, { p }) => sum + p, 0) / words.length),
    },
  ];
}

/** Beginnings, ends, silences and noises. */
function isFiller({ t }: Word): boolean {
  return t.startsWith('<') || t.startsWith('[');
}
