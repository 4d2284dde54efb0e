const HIDDEN = '\u2022'.repeat(4);

/**
 * How many characters stay visible at either end, by length: the first row that fits. A short
 * number shows almost nothing.
 */
const VISIBLE: readonly { from: number; head: number; tail: number }[] = [
  { from: 11, head: 6, tail: 2 },
  { from: 7, head: 2, tail: 2 },
  { from: 4, head: 0, tail: 1 },
];

/** What carriers send in place of a withheld number: shown as it is. */
const WITHHELD: ReadonlySet<string> = new Set(['anonymous', 'restricted', 'unavailable', 'unknown']);

/**
 * A customer's address as lists, webhooks and logs may show it: first six characters, four bullets,
 * last two digits (`+96650••••17`); fewer for a shorter one. In a SIP address only the user part is
 * hidden; its password and parameters are dropped. The number of bullets does not reveal the
 * length.
 */
export function maskNumber(address: string): string {
  const [, scheme, user, host] = /^(sips?:)(?:([^@:]*)(?::[^@]*)?@)?([^;?]*)/i.exec(address) ?? [];
  if (scheme === undefined) return maskUser(address);
  return user === undefined ? `${scheme}${HIDDEN}` : `${scheme}${maskUser(user)}@${host ?? ''}`;
}

function maskUser(user: string): string {
  if (WITHHELD.has(user.toLowerCase())) return user;
  const row = VISIBLE.find(({ from }) => user.length >= from);
  if (row === undefined) return HIDDEN;
  return user.slice(0, row.head) + HIDDEN + user.slice(-row.tail);
}

/**
 * An e-mail address as lists, webhooks and logs may show it: first two characters and the domain
 * (`re••••@example.com`).
 */
export function maskEmail(address: string): string {
  const at = address.lastIndexOf('@');
  const shown = at > 2 ? address.slice(0, 2) : '';
  return `${shown}${HIDDEN}${at === -1 ? '' : address.slice(at)}`;
}
