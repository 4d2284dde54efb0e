import { join, resolve } from 'node:path';
import { resolveTool } from '../../../adapters/embedded/index.js';
import { openSpeech } from '../../../adapters/speech/index.js';
import { spokenDigits, type SpokenLanguage } from '../../../core/model/spoken/index.js';
import type { Speech } from '../../../core/ports/speech.js';
import { readWav, rmsDb, slice, type Audio } from './audio.js';

const FRAME_SECONDS = 0.01;
const QUIET_DB = -50;
/** The shortest silence between two words; silences within a word are shorter. */
const GAP_SECONDS = 0.2;
/** The greatest shift of a word against its prompt. */
const SHIFT_SECONDS = 0.02;
/** Samples; speech at 8 kHz changes little within them. */
const COARSE = 2;
/** A prompt over the line has a higher likeness to itself, even with a lost packet; two digits have less than half. */
const LIKENESS = 0.5;

/** A voice's audio for each digit. */
export type DigitPrompts = ReadonlyMap<string, Audio>;

/** The prompts that the platform plays in this language; reuses the files that it has synthesized already. */
export async function digitPrompts(speech: Speech, language: SpokenLanguage): Promise<DigitPrompts> {
  const prompts = new Map<string, Audio>();
  for (const digit of '0123456789') {
    const audio = readWav(`${await speech.synthesize(spokenDigits(digit, language), language)}.wav`);
    const [word] = words(audio);
    if (!word) throw new Error(`the prompt for ${digit} is silent`);
    prompts.set(digit, word);
  }
  return prompts;
}

/** {@link digitPrompts} of a platform whose media are in its data folder. */
export async function digitPromptsOf(dataDir: string, language: SpokenLanguage): Promise<DigitPrompts> {
  const espeak = await resolveTool('espeak-ng', { cacheDir: process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache') });
  return digitPrompts(await openSpeech({ espeak }, join(dataDir, 'media', 'speech')), language);
}

/** The digits that the audio says, in order; other words are left out. Compares the samples. */
export function digitsSaid(audio: Audio, prompts: DigitPrompts): string {
  return words(audio)
    .map((word) => {
      const ranked = [...prompts]
        .map(([digit, prompt]) => ({ digit, likeness: likeness(word, prompt) }))
        .sort((a, b) => b.likeness - a.likeness);
      const [best] = ranked;
      return best && best.likeness >= LIKENESS ? best.digit : '';
    })
    .join('');
}

/** The words between pauses. */
function words(audio: Audio): readonly Audio[] {
  const frames = Math.floor(audio.seconds / FRAME_SECONDS);
  const found: { from: number; to: number }[] = [];
  for (let frame = 0; frame < frames; frame += 1) {
    const at = frame * FRAME_SECONDS;
    if (rmsDb(slice(audio, at, at + FRAME_SECONDS)) < QUIET_DB) continue;
    const last = found.at(-1);
    if (last && at - last.to < GAP_SECONDS) last.to = at + FRAME_SECONDS;
    else found.push({ from: at, to: at + FRAME_SECONDS });
  }
  return found.map(({ from, to }) => slice(audio, from, to));
}

/** The best correlation, 0 to 1, over small shifts: first a rough search, then around its best result. */
function likeness({ samples: heard }: Audio, { samples: prompt, sampleRate }: Audio): number {
  const at = (shift: number): { shift: number; value: number } => ({ shift, value: correlation(heard, prompt, shift) });
  const best = (shifts: readonly number[]) => shifts.map(at).reduce((a, b) => (b.value > a.value ? b : a));
  const most = Math.round(SHIFT_SECONDS * sampleRate);
  const rough = best(Array.from({ length: Math.ceil((2 * most) / COARSE) + 1 }, (_, i) => i * COARSE - most));
  if (rough.value < LIKENESS / 2) return rough.value;
  return best(Array.from({ length: 2 * COARSE + 1 }, (_, i) => rough.shift + i - COARSE)).value;
}

function correlation(a: Float64Array, b: Float64Array, shift: number): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let i = Math.min(0, shift); i < Math.max(a.length, b.length + shift); i += 1) {
    const [x, y] = [a[i] ?? 0, b[i - shift] ?? 0];
    product += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return ofA === 0 || ofB === 0 ? 0 : product / Math.sqrt(ofA * ofB);
}
