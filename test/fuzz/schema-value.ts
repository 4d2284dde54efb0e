import fc from 'fast-check';
import type { JsonSchema } from '../../api/http/schema/json-schema.js';
import type { Random } from '../chaos/random.js';
import { TEXTS } from './nasty.js';

/** What the values of a schema are drawn from. */
export interface Source {
  readonly random: Random;
  /** IDs that the API returned earlier. */
  readonly ids: readonly string[];
  /** The document that `$ref` refers to. */
  readonly document: unknown;
}

const MAX_DEPTH = 6;
const OPTIONAL_SHARE = 0.35;
const EXAMPLE_SHARE = 0.9;
const KNOWN_ID_SHARE = 0.8;

/** A value that the schema accepts, as far as JSON Schema says what is accepted. */
export function valueOf(schema: JsonSchema, source: Source, depth = 0): unknown {
  const { random } = source;
  if (typeof schema.$ref === 'string') return valueOf(referred(schema.$ref, source.document), source, depth + 1);
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return random.pick(schema.enum as unknown[]);
  const choices = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  if (choices) return valueOf(random.pick(choices), source, depth + 1);
  const examples = schema.examples as readonly unknown[] | undefined;
  if (examples && examples.length > 0 && random.chance(EXAMPLE_SHARE)) return random.pick(examples);
  switch (Array.isArray(schema.type) ? random.pick(schema.type as string[]) : schema.type) {
    case 'object':
      return objectOf(schema, source, depth);
    case 'array':
      return listOf(schema, source, depth);
    case 'string':
      return textOf(schema, source);
    case 'integer':
      return Math.round(numberOf(schema, random));
    case 'number':
      return numberOf(schema, random);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return random.pick(TEXTS);
  }
}

function referred(ref: string, document: unknown): JsonSchema {
  const found = ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document);
  return found as JsonSchema;
}

function objectOf(schema: JsonSchema, source: Source, depth: number): object {
  const { random } = source;
  const required = new Set((schema.required ?? []) as string[]);
  const members: [string, unknown][] = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
    .filter(([name]) => required.has(name) || (depth < MAX_DEPTH && random.chance(OPTIONAL_SHARE)))
    .map(([name, member]) => [name, valueOf(member, source, depth + 1)]);
  const others = schema.additionalProperties;
  if (typeof others === 'object' && others !== null) {
    const names = (schema.propertyNames ?? { type: 'string' }) as JsonSchema;
    for (let count = random.between(0, 2); count > 0; count--) {
      members.push([String(valueOf(names, source, depth + 1)), valueOf(others as JsonSchema, source, depth + 1)]);
    }
  }
  return Object.fromEntries(members);
}

function listOf(schema: JsonSchema, source: Source, depth: number): unknown[] {
  const fewest = Number(schema.minItems ?? 0);
  const most = Math.min(Number(schema.maxItems ?? 3), fewest + (depth < MAX_DEPTH ? 2 : 0));
  const length = source.random.between(fewest, Math.max(fewest, most));
  return Array.from({ length }, () => valueOf((schema.items ?? {}) as JsonSchema, source, depth + 1));
}

function textOf(schema: JsonSchema, { random, ids }: Source): string {
  const seed = random.between(1, 1_000_000_000);
  if (schema.format === 'uuid') {
    return ids.length > 0 && random.chance(KNOWN_ID_SHARE) ? random.pick(ids) : one(fc.uuid({ version: 7 }), seed);
  }
  if (schema.format === 'date-time') return new Date(Date.now() + random.between(-9e9, 9e9)).toISOString();
  if (schema.format === 'uri') return random.pick(['https://example.com/a?b=1', 'https://example.com:8443/%D9%85']);
  if (schema.format === 'email') return 'someone@example.com';
  if (schema.format === 'ipv4') return '192.0.2.7';
  if (schema.format === 'ipv6') return '2001:db8::7';
  if (typeof schema.pattern === 'string' && !schema.pattern.includes('\\p{')) {
    return one(fc.stringMatching(new RegExp(schema.pattern)), seed);
  }
  const [fewest, most] = [Number(schema.minLength ?? 0), Number(schema.maxLength ?? 200)];
  const text = random.pick(TEXTS.filter((each) => !each.includes('\0') && !/\p{Surrogate}/u.test(each)));
  return Array.from(text.padEnd(fewest, 'x'))
    .slice(0, Math.max(fewest, Math.floor(most / 2)))
    .join('');
}

function numberOf(schema: JsonSchema, random: Random): number {
  const lowest = Number(schema.minimum ?? schema.exclusiveMinimum ?? 0);
  const highest = Number(schema.maximum ?? schema.exclusiveMaximum ?? lowest + 1000);
  return random.pick([lowest, highest, random.between(Math.ceil(lowest), Math.floor(highest))]);
}

function one<T>(arbitrary: fc.Arbitrary<T>, seed: number): T {
  const [made] = fc.sample(arbitrary, { seed, numRuns: 1 });
  return made as T;
}
