import type { MediaItem } from '../../../core/ports/engine.js';
import type { CallControl, Prompts } from '../../../core/services/call-state/program.js';
import type { Spoken } from '../actions.js';
import type { FlowDeps } from './deps.js';

/** What the caller hears, as an engine plays it. What cannot be had is left out, and noted: the flow goes on without it. */
export async function soundOf(
  call: CallControl,
  items: readonly Spoken[],
  prompts: Prompts,
  deps: Pick<FlowDeps, 'audioPath'>,
): Promise<MediaItem[]> {
  const made = await Promise.all(
    items.map(async (item): Promise<MediaItem | null> => {
      if ('text' in item) return item.text.trim() === '' ? null : prompts.say(item.text, item.language);
      return { type: 'file', path: deps.audioPath(item.audioId) };
    }),
  );
  const sound = made.filter((item) => item !== null);
  if (sound.length < made.length) call.note('flow.prompt_missing', { missing: made.length - sound.length });
  return sound;
}
