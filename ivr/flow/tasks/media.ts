import type { MediaItem } from '../../../core/ports/engine.js';
import type { FlowCall } from '../flow-call.js';
import type { RenderedPrompt } from '../prompt.js';

/** The prompts as an engine plays them. Texts that no voice can speak are left out and noted in the timeline; the flow continues without them. */
export async function mediaOf(
  { call, prompts, deps }: Pick<FlowCall, 'call' | 'prompts' | 'deps'>,
  rendered: readonly RenderedPrompt[],
): Promise<MediaItem[]> {
  const items = await Promise.all(
    rendered.map(async (item): Promise<MediaItem | null> => {
      if ('text' in item) return item.text.trim() === '' ? null : prompts.say(item.text, item.language);
      return { type: 'file', path: deps.audioPath(item.audioId) };
    }),
  );
  const playable = items.filter((item) => item !== null);
  if (playable.length < items.length) call.note('flow.prompt_missing', { missing: items.length - playable.length });
  return playable;
}
