import type { Phrase } from '../errors/index.js';
import { arabic } from '../wording/wording.js';

const LONGEST_NAME = 100;

/** The rule of {@link isName}. */
export const NAME_RULE: Phrase = {
  en: `must have 1 to ${LONGEST_NAME} characters and no line breaks`,
  ar: arabic`يجب ألا يكون فارغًا، وألا يزيد عدد أحرفه على ${LONGEST_NAME}، وألا يحتوي على أسطر جديدة`,
};

/** Whether a person or an organization can have this name. */
export function isName(text: string): boolean {
  return text.length > 0 && Array.from(text).length <= LONGEST_NAME && !/\p{Cc}/u.test(text);
}
