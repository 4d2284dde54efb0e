import { SILENCE_DB, rmsDb, slice, type Audio } from './audio.js';

const PIECE_SECONDS = 0.3;
/** Samples; speech at 8 kHz changes little within them. */
const COARSE = 2;
/** The rough search compares one in four samples. */
const ONE_OF = 4;
/** The greatest shift of a piece against its expected position. */
const SLIP_SECONDS = 0.06;
/** The line changes the shape of a sound a little; two different sounds have less than half of this likeness. */
const ALIKE = 0.75;

/**
 * The share of a prompt that is in the audio, 0 to 1. Compares the samples piece by piece, each at its position
 * relative to the loudest piece, which is searched in all of the audio.
 */
export function shareSaid(heard: Audio, prompt: Audio): number {
  const pieces: { readonly at: number; readonly sound: Audio; readonly db: number }[] = [];
  for (let at = 0; at + PIECE_SECONDS <= prompt.seconds; at += PIECE_SECONDS) {
    const sound = slice(prompt, at, at + PIECE_SECONDS);
    const db = rmsDb(sound);
    if (db > SILENCE_DB) pieces.push({ at, sound, db });
  }
  const loudest = pieces.reduce((a, b) => (b.db > a.db ? b : a), pieces[0] ?? { at: 0, sound: prompt, db: 0 });
  const found = best(heard.samples, loudest.sound.samples, 0, heard.samples.length);
  if (found.value < ALIKE) return 0;
  const start = found.at - loudest.at * heard.sampleRate;
  const slip = SLIP_SECONDS * heard.sampleRate;
  const said = pieces.filter(({ at, sound }) => {
    const expected = start + at * heard.sampleRate;
    return best(heard.samples, sound.samples, expected - slip, expected + slip).value >= ALIKE;
  });
  return said.length / pieces.length;
}

/** The position of the best match within these bounds, and its correlation, 0 to 1. */
function best(heard: Float64Array, sound: Float64Array, from: number, to: number): { at: number; value: number } {
  let found = { at: 0, value: 0 };
  const look = (at: number, step: number): void => {
    const value = correlation(heard, sound, at, step);
    if (value > found.value) found = { at, value };
  };
  const [first, last] = [Math.max(0, Math.round(from)), Math.min(heard.length - sound.length, Math.round(to))];
  for (let at = first; at <= last; at += COARSE) look(at, ONE_OF);
  const { at: rough } = found;
  found = { at: rough, value: 0 };
  for (let at = Math.max(first, rough - COARSE); at <= Math.min(last, rough + COARSE); at += 1) look(at, 1);
  return found;
}

function correlation(heard: Float64Array, sound: Float64Array, from: number, step: number): number {
  let [product, ofHeard, ofSound] = [0, 0, 0];
  for (let i = 0; i < sound.length; i += step) {
    const x = heard[from + i] ?? 0;
    const y = sound[i] ?? 0;
    product += x * y;
    ofHeard += x * x;
    ofSound += y * y;
  }
  return ofHeard === 0 || ofSound === 0 ? 0 : product / Math.sqrt(ofHeard * ofSound);
}
