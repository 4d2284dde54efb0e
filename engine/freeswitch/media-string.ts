import type { MediaItem } from '../../core/ports/engine.js';
import { EngineError } from '../../core/ports/engine.js';
import { recordingFile } from './recorded/recording-file.js';

type Tone = Extract<MediaItem, { type: 'tone' }>['tone'];

/** Saudi Arabia's call progress tones (ITU-T E.180 supplement 2) in mod_tone_stream's syntax: `%(on ms,off ms,frequency)`. */
const TONES: Readonly<Record<Tone, string>> = {
  ringback: 'tone_stream://%(1200,4600,425);loops=-1',
  busy: 'tone_stream://%(500,500,425);loops=-1',
  congestion: 'tone_stream://%(250,250,425);loops=-1',
  beep: 'tone_stream://%(250,0,1000)',
};

/** mod_dptools accepts at most 128 items in one string. */
const MAX_IN_ONE = 100;
const MAX_ITEMS = 500;

/**
 * Builds the strings that FreeSWITCH plays in order for a list of items and its repeats: one string holds up to a
 * hundred items (`file_string://a!b`), and FreeSWITCH skips items that it cannot open.
 * @param recordings the recording directory
 * @throws EngineError `rejected`
 */
export function mediaStrings(items: readonly MediaItem[], recordings: string, loop = 1): readonly string[] {
  const once = items.map((item) => stringOf(item, recordings));
  const all = Array.from({ length: loop }, () => once).flat();
  if (all.length === 0 || all.length > MAX_ITEMS) {
    throw new EngineError('rejected', `A playback has 1 to ${MAX_ITEMS} items, repeats included`);
  }
  const strings: string[] = [];
  for (let at = 0; at < all.length; at += MAX_IN_ONE) {
    const part = all.slice(at, at + MAX_IN_ONE);
    strings.push(part.length === 1 ? part.join('') : `file_string://${part.join('!')}`);
  }
  return strings;
}

function stringOf(item: MediaItem, recordings: string): string {
  switch (item.type) {
    case 'file':
      return fileOf(`${item.path}.wav`);
    case 'recording':
      return fileOf(recordingFile(recordings, item.recordingId));
    case 'tone':
      return TONES[item.tone];
    case 'silence':
      return `silence_stream://${Math.max(20, Math.round(item.durationMs))}`;
  }
}

function fileOf(path: string): string {
  if (/[!\s'"{}@]/.test(path))
    throw new EngineError('rejected', 'The path contains characters that FreeSWITCH cannot play');
  return path;
}
