/** Patterns of secrets. Customers of the tests have Saudi mobile numbers, lines have geographic ones. */
const FORMS: readonly (readonly [string, RegExp])[] = [
  ['an API key', /sk_(?:live|sandbox)_[0-9A-Za-z]{20,}/],
  ['a signing secret', /whsec_[0-9A-Za-z+/=]{8,}/],
  ['a customer number', /(?:\+|00|%2B)?9665\d{8}|\b05\d{8}\b/],
  ['a database password', /postgres(?:ql)?:\/\/[^:/\s"]+:[^@\s"]+@/],
  ['a Redis password', /rediss?:\/\/[^/\s"]*:[^@\s"]+@/],
];

/** @returns one line for each secret in a line of the log: a known one, or text that looks like one */
export function secretsIn(log: string, known: readonly string[]): string[] {
  const found: string[] = [];
  for (const line of log.split('\n')) {
    for (const secret of known) if (line.includes(secret)) found.push(`a known secret: ${line}`);
    for (const [name, form] of FORMS) if (line.search(form) >= 0) found.push(`${name}: ${line}`);
  }
  return found;
}
