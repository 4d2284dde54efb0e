const arabic = new Map<string, string>();

/**
 * Registers the Arabic text of a validation message for zod (`.refine(check, bilingual(…))`) and returns the English
 * text. The English text must be a constant, because the pairs are kept for the life of the process.
 */
export function bilingual(english: string, inArabic: string): string {
  arabic.set(english, inArabic);
  return english;
}

/** The Arabic text of a message made by {@link bilingual}, or undefined for one of zod's own. */
export function arabicOf(english: string): string | undefined {
  return arabic.get(english);
}
