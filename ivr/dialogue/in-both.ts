import type { MediaItem } from '../../core/ports/engine.js';
import type { SpeechLanguage } from '../../core/ports/speech.js';
import type { Prompts } from '../../core/services/calls/program.js';

/** What a prompt says, in each language. */
export type InBoth = Readonly<Record<SpeechLanguage, string>>;

/** The prompt in Arabic, then in English; without what no voice can say. */
export async function sayInBoth(prompts: Prompts, text: InBoth): Promise<readonly MediaItem[]> {
  const spoken = await Promise.all([prompts.say(text.ar, 'ar'), prompts.say(text.en, 'en')]);
  return spoken.filter((item) => item !== null);
}
