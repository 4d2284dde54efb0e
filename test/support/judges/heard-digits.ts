import { rmsDb, SILENCE_DB, slice, type Audio } from './audio.js';

const FRAME_SECONDS = 0.02;
/** The shortest silence between two digits; within one digit silences are shorter. */
const GAP_SECONDS = 0.24;
/** The greatest offset between the beginnings of the same sound. */
const LAG_SECONDS = 0.04;
const ALIKE = 0.8;

/** The digits in the audio, compared with a recording of each. Sounds that match none are left out. */
export function digitsIn(heard: Audio, recordings: ReadonlyMap<string, Audio>): string {
  const known = [...recordings].map(([digit, audio]) => [digit, pieces(audio)[0] ?? audio] as const);
  return pieces(heard)
    .map((piece) => {
      const [best] = known
        .map(([digit, sound]) => ({ digit, like: likeness(piece, sound) }))
        .sort((a, b) => b.like - a.like);
      return best && best.like > ALIKE ? best.digit : '';
    })
    .join('');
}

/** The sounds between silences. */
function pieces(audio: Audio): Audio[] {
  const found: Audio[] = [];
  let [from, until] = [-1, -1];
  for (let at = 0; at + FRAME_SECONDS <= audio.seconds; at += FRAME_SECONDS) {
    const loud = rmsDb(slice(audio, at, at + FRAME_SECONDS)) > SILENCE_DB;
    if (loud && from < 0) from = at;
    if (loud) until = at + FRAME_SECONDS;
    if (!loud && from >= 0 && at - until >= GAP_SECONDS) {
      found.push(slice(audio, from, until));
      from = -1;
    }
  }
  if (from >= 0) found.push(slice(audio, from, until));
  return found;
}

/** The greatest normalised correlation of two sounds over small offsets; 0 if their lengths differ. */
function likeness(one: Audio, other: Audio): number {
  if (Math.abs(one.seconds - other.seconds) > 3 * LAG_SECONDS) return 0;
  const most = Math.round(LAG_SECONDS * one.sampleRate);
  let best = 0;
  for (let lag = -most; lag <= most; lag++) best = Math.max(best, correlation(one.samples, other.samples, lag));
  return best;
}

function correlation(a: Float64Array, b: Float64Array, lag: number): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = Math.max(0, lag); i < Math.min(a.length, b.length + lag); i++) {
    const [x, y] = [a[i] ?? 0, b[i - lag] ?? 0];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}
