import { isDeepStrictEqual } from 'node:util';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
/** Of a request to a receiver. */
const TYPICAL_MS = 85;
const TIME = '2026-01-31T06:00:00.000Z';
/** Names that readers expect, for what {@link Tenant.word} makes. */
const WORDS: Readonly<Record<string, string>> = {
  agent: '1001',
  queue: 'support',
  name: 'Reem',
  order: 'A-1042',
  project: 'web-shop',
  said: 'Good morning.',
  message: 'Please call me back.',
  account: 'Example Trading',
  audio: 'Greeting',
  carrier: 'Example Telecom',
  conference: 'Monday meeting',
  domain: 'clinic',
  event: 'evt-1042',
  flow: 'Main line',
  group: 'Engineers',
  label: 'Head office',
  mailbox: 'reem',
  note: 'Silent calls',
  notes: 'Please not on a Friday.',
  person: 'Reem',
  reason: 'lunch',
  text: 'Your order is ready.',
  user: 'user-81',
  widget: 'Contact us',
};

/** What varies from run to run, or shows that a test made it, and what the examples show instead. */
const REPLACED: readonly (readonly [RegExp, string | ((...parts: string[]) => string)])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, TIME],
  [/\b20\d\d-(0[1-9]|1[0-2])-\d\d\b/g, '2026-01-31'],
  [/^20\d\d-(0[1-9]|1[0-2])$/g, '2026-01'],
  [/\b(?:zumurrud|marjan|yaqut)-([a-z]+)[a-z -]*-\d+\b/g, (_, what = '') => WORDS[what] ?? what],
  [/^(zumurrud|marjan|yaqut) \d+$/g, 'Sundus'],
  [/^علامة \d+$/g, 'سندس'],
  [/\b(zumurrud|marjan|yaqut)\b/g, 'web-shop'],
  [/\+9665\d{8}/g, '+966501234567'],
  [/\+9661\d{8}/g, '+966112345678'],
  [/(\+966\d{2})•+\d{2}/g, (_, start = '') => `${start}••••67`],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'https://hatif.example.com'],
  [/ws:\/\/127\.0\.0\.1:\d+/g, 'wss://hatif.example.com'],
  [/\bweb\.[0-9a-f]{32}\b/g, `web.${'3a'.repeat(16)}`],
  [/whsec_(sandbox_)?[A-Za-z0-9+/=_-]+/g, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  [/\b[0-9a-f]{64}\b/g, '3a'.repeat(32)],
  [/\bHT[0-9A-Z]{10}\b/g, 'HT4QS6YNKA6F'],
  [/\botpauth:\/\/\S+/g, 'otpauth://totp/Hatif:noura%40example.com?secret=JBSWY3DPEHPK3PXP'],
  [/\b[A-Z2-7]{32}\b/g, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
  [/^[\w-]{43}$/g, 'k3s7Qm9vXw2pk3s7Qm9vXw2pk3s7Qm9vXw2pk3s7Qm9'],
  [/^[\w.-]+:\d+:[0-9a-f]{12}$/g, 'voice-1:1921:0426b1c21729'],
  [/\/\S*\/hatif-bare-\w+/g, '/opt/hatif/.hatif'],
  [/\bscim_\w+/g, 'scim_k3s7Qm9v'],
  [/\b(hatif-domain=)[\w-]+/g, '$1k3s7Qm9vXw2p'],
  [/\bwk_[\w-]+/g, 'wk_447cyWgnc3tlVAxIGRBXnh1gMZl8'],
  [/(signature=)[\w-]+/g, '$1q1w2e3r4t5y6u7i8o9p0'],
  [/(expires=)\d+/g, '$11769839800'],
];
/** Members whose value is a secret. */
const SECRET = /password$|^pin$|^token$|_token$|^cursor$|^next_cursor$/;

/** An exchange with values that stay the same from run to run; its members stay as they are. */
export function tidy<T>(exchange: T): T {
  const ids = new Map<string, string>();
  const idOf = (id: string): string => {
    const known = ids.get(id) ?? `0197f3a0-5c00-7000-8000-${String(ids.size + 1).padStart(12, '0')}`;
    ids.set(id, known);
    return known;
  };
  const text = (value: string): string =>
    REPLACED.reduce(
      (tidied, [pattern, by]) => (typeof by === 'string' ? tidied.replace(pattern, by) : tidied.replace(pattern, by)),
      value.replace(UUID, idOf),
    );
  const each = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string') return SECRET.test(name) ? 'k3s7Qm9vXw2p' : text(value);
    if (Array.isArray(value)) return shortened(value.map((item) => each(item)));
    if (name === 'duration_ms') return TYPICAL_MS;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), each(inner, key)]));
  };
  return each(exchange) as T;
}

/** A list with one item of each shape. */
function shortened(items: readonly unknown[]): unknown[] {
  if (!items.every((item) => typeof item === 'object' && item !== null)) return [...items];
  const shapes: unknown[] = [];
  return items.filter((item) => {
    const shape = membersOf(item);
    if (shapes.some((known) => isDeepStrictEqual(known, shape))) return false;
    shapes.push(shape);
    return shapes.length <= 2;
  });
}

/** The paths of an object's members; items of a list have one path. */
export function membersOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => membersOf(item, `${path}[]`)))].sort();
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .flatMap(([name, inner]) => [`${path}.${name}`, ...membersOf(inner, `${path}.${name}`)])
    .sort();
}
