const A = 'a'.charCodeAt(0);
let codes: ReadonlyMap<string, string> | null = null;

/** ISO 639-1 of what a server calls a language: the code itself, or its English name, as OpenAI's does; null for neither. */
export function languageCode(name: unknown): string | null {
  if (typeof name !== 'string' || name === '') return null;
  const lower = name.toLowerCase();
  if (/^[a-z]{2}(?:-|$)/.test(lower)) return lower.slice(0, 2);
  codes ??= namesOfLanguages();
  return codes.get(lower) ?? null;
}

function namesOfLanguages(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  const found = new Map<string, string>();
  for (let i = 0; i < 26 * 26; i++) {
    const code = String.fromCharCode(A + Math.floor(i / 26), A + (i % 26));
    const name = names.of(code);
    // Withdrawn codes share a name with the one in use.
    if (name !== undefined && Intl.getCanonicalLocales(code)[0] === code) found.set(name.toLowerCase(), code);
  }
  return found;
}
