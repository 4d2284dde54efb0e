import type { VirtualNumberRow } from '../../data/rows.js';
import type { ProgramSpec } from '../call-state/program.js';

/** The type of binding that leads to an end user's number; its target is the virtual number's id. */
export const VIRTUAL_NUMBER = 'virtual_number';

/** What a call to it does; null where nothing is set, so that nobody answers. */
export function instructionsOf({ instructions, audio_path }: VirtualNumberRow): ProgramSpec | null {
  const { text, language, forward_to } = instructions;
  if (text === null && audio_path === null && forward_to === null) return null;
  return {
    type: 'instructions',
    say: text === null ? null : { text, language: language ?? 'en' },
    audio: audio_path,
    forwardTo: forward_to,
  };
}
