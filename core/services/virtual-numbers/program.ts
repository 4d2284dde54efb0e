import type { VirtualNumberRow } from '../../data/rows.js';
import type { ProgramSpec } from '../call-state/program.js';

/** The binding type of a virtual number; its target is the virtual number's id. */
export const VIRTUAL_NUMBER = 'virtual_number';

/** Returns the program of calls to the number; null if no instructions are set, so that the call is not answered. */
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
