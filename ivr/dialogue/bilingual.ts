import type { MediaItem } from '../../core/ports/engine.js';
import type { SpeechLanguage } from '../../core/ports/speech.js';
import type { Prompts } from '../../core/services/call-state/program.js';

/** What a prompt says, in each language. */
export type BilingualPrompt = Readonly<Record<SpeechLanguage, string>>;

const BOTH = ['ar', 'en'] as const;

/** The prompt in Arabic, then in English, or in some of them; without what no voice can say. */
export async function bilingualItems(
  prompts: Prompts,
  text: BilingualPrompt,
  languages: readonly SpeechLanguage[] = BOTH,
): Promise<readonly MediaItem[]> {
  const spoken = await Promise.all(languages.map((language) => prompts.say(text[language], language)));
  return spoken.filter((item) => item !== null);
}
