const A = 'a'.charCodeAt(0);
let codes: ReadonlyMap<string, string> | null = null;

/**
 * Returns the ISO 639-1 code for a server's language: the code itself, or its English name, as OpenAI sends it;
 * otherwise null.
 */
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
    // A withdrawn code has the same name as its successor.
    if (name !== undefined && Intl.getCanonicalLocales(code)[0] === code) found.set(name.toLowerCase(), code);
  }
  return found;
}
