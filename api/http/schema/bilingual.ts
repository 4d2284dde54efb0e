const arabic = new Map<string, string>();

/**
 * A validation message for zod (`.refine(check, bilingual(…))`, `.regex(pattern, bilingual(…))`) with its Arabic twin.
 * The English text is what zod carries; it must be a constant, since the pairs are kept for the life of the process.
 */
export function bilingual(english: string, inArabic: string): string {
  arabic.set(english, inArabic);
  return english;
}

/** The Arabic twin of a message made by {@link bilingual}, or undefined for one of zod's own. */
export function arabicOf(english: string): string | undefined {
  return arabic.get(english);
}
