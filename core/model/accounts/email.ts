import { z } from 'zod';
import type { Phrase } from '../errors/index.js';

const EMAIL = z.email().max(254);

/** The rule of {@link readEmail}. */
export const EMAIL_RULE: Phrase = {
  en: 'must be an e-mail address such as name@example.com',
  ar: 'يجب أن يكون عنوان بريد إلكتروني مثل `name@example.com`',
};

/** The address as people are found by: in lower case, without spaces around it; null if it is none. */
export function readEmail(text: string): string | null {
  return EMAIL.safeParse(text.trim()).data?.toLowerCase() ?? null;
}

export function isEmail(text: string): boolean {
  return EMAIL.safeParse(text).success;
}
