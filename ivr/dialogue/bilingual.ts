import type { MediaItem } from '../../core/ports/engine.js';
import type { SpeechLanguage } from '../../core/ports/speech.js';
import type { Prompts } from '../../core/services/call-state/program.js';

/** The text of a prompt in each language. */
export type BilingualPrompt = Readonly<Record<SpeechLanguage, string>>;

const LANGUAGES = ['ar', 'en'] as const;

/** The prompt in the given languages, Arabic first by default. A text that no voice can speak is left out. */
export async function bilingualItems(
  prompts: Prompts,
  text: BilingualPrompt,
  languages: readonly SpeechLanguage[] = LANGUAGES,
): Promise<readonly MediaItem[]> {
  const spoken = await Promise.all(languages.map((language) => prompts.say(text[language], language)));
  return spoken.filter((item) => item !== null);
}
