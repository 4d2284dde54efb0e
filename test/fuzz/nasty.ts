import type { Random } from '../chaos/random.js';

/** Strings that software often mishandles. */
export const TEXTS: readonly string[] = [
  '',
  ' ',
  'plain',
  '\0',
  'a\0b',
  '\ud800',
  'مرحبا بالعالم',
  '\u202eabc\u202c\u200f',
  '👩‍👩‍👧 ﷽',
  "'; DROP TABLE calls; --",
  '{{ agent }} { n }',
  '${7*7} %s %n',
  '../../../../etc/passwd',
  '%00%0a%ff',
  '<script>alert(1)</script>',
  '\r\nX-Injected: 1',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '1e309',
  '-0',
  '00000000-0000-0000-0000-000000000000',
  '+966500000000000000',
  '٠١٢٣٤٥٦٧٨٩',
  'sip:1002@127.0.0.1;transport=tcp',
  'http://169.254.169.254/latest/meta-data',
  '2026-02-30T25:61:61Z',
  'x'.repeat(300),
  'é'.repeat(70_000),
];

const NUMBERS: readonly number[] = [-1, -0, 0.1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21, 1e308, Number.MIN_VALUE];

/** A value that a schema hardly expects. */
export function nastyValue(random: Random): unknown {
  return random.pick<() => unknown>([
    () => random.pick(TEXTS),
    () => random.pick(NUMBERS),
    () => random.pick([null, true, false, [], {}, [[]], [null], { '': '' }]),
    () => nested(random.between(2, 200)),
    () => Array.from({ length: random.between(2, 300) }, () => random.pick(TEXTS.slice(0, 12))),
    () => JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": 1}}') as unknown,
  ])();
}

/** The value with one member, element or the whole of it replaced, removed or added. */
export function mutated(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.1)) return nastyValue(random);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.2)) return [...(value as unknown[]), nastyValue(random)];
    const at = random.between(0, value.length - 1);
    return value.map((item: unknown, index) => (index === at ? mutated(item, random) : item));
  }
  const members = Object.entries(value);
  if (members.length === 0 || random.chance(0.15)) return { ...value, [random.pick(TEXTS)]: nastyValue(random) };
  const [name] = random.pick(members);
  if (random.chance(0.15)) return Object.fromEntries(members.filter(([other]) => other !== name));
  return Object.fromEntries(members.map(([each, item]) => [each, each === name ? mutated(item, random) : item]));
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
  return value;
}
