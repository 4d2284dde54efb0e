const LONGEST = 80;
const WORD_JOINER = '\u2060';
/** A full stop inside a word, a slash or an at sign: what mail programs look for when they make links of text. */
const LINK_SIGN = /[.:@/\\](?=\S)/g;

/**
 * A name that a stranger may have chosen, for a mail: on one line, not too long, and never turned into a link. People
 * sign up with the address of a victim and an advertisement as their name.
 */
export function shownName(name: string, longest = LONGEST): string {
  const line = name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  const characters = Array.from(line);
  const short = characters.length > longest ? `${characters.slice(0, longest).join('')}…` : line;
  return short.replace(LINK_SIGN, (sign) => sign + WORD_JOINER);
}
