import type { RequestOptions } from '../support/api.js';
import { PAGE } from '../support/api.js';
import { mutated, nastyValue, TEXTS } from './nasty.js';
import type { Operation, Parameter } from './operations.js';
import { valueOf, type Source } from './schema-value.js';

/** Keys of the requests. All requests of one run share them. */
export interface Keys {
  readonly live: readonly string[];
  readonly sandbox: readonly string[];
  readonly widget: string;
  /** Access tokens of owners: requests end some of their sessions. */
  readonly sessions: readonly string[];
  /** Tokens of administrators. */
  readonly administrators: readonly string[];
  /** Tokens of directories. */
  readonly directories: readonly string[];
}

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly options: RequestOptions;
}

const MUTATED_SHARE = 0.25;
const HEADER_SHARE = 0.15;
/** Node.js itself rejects requests with more than 16 KiB of headers, before there is a route. */
const MOST_IN_URL = 1_000;

/** Headers that a client may send, apart from those that choose the request. */
const HEADERS = [
  'Accept-Language',
  'Idempotency-Key',
  'If-Match',
  'Last-Event-ID',
  'Range',
  'User-Agent',
  'X-Forwarded-For',
  'X-Request-Id',
  'X-Simulate',
];

/** A request to the operation: mostly one that its schemas accept, sometimes with one part replaced by a nasty value. */
export function requestTo(operation: Operation, source: Source, keys: Keys): FuzzRequest {
  const { random } = source;
  const spoilt = random.chance(MUTATED_SHARE) ? random.pick(spoilable(operation)) : null;
  const query = new URLSearchParams(
    operation.parameters.filter((each) => each.in === 'query').flatMap((each) => queryOf(each, source)),
  );
  if (operation.keyKind === 'widget') query.set('key', keys.widget);
  if (spoilt === 'query')
    query.set(random.pick([...query.keys(), 'limit', 'cursor']), String(nastyValue(random)).slice(0, MOST_IN_URL));
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = operation.parameters.find((each) => each.in === 'path' && each.name === name);
    const value =
      spoilt === 'path' ? random.pick(TEXTS).slice(0, MOST_IN_URL) : valueOf(parameter?.schema ?? {}, source);
    return spoilt === 'path' && random.chance(0.2) ? '%00' : encodeURIComponent(wellFormed(String(value)));
  });
  return {
    method: operation.method,
    path: query.size > 0 ? `${path}?${query.toString()}` : path,
    options: { ...credentials(operation, source, keys), ...bodyOf(operation, source, spoilt === 'body') },
  };
}

function spoilable({ parameters, body }: Operation): readonly ('path' | 'query' | 'body')[] {
  const parts = [...(parameters.some((each) => each.in === 'path') ? (['path'] as const) : []), 'query' as const];
  return body ? [...parts, 'body', 'body', 'body'] : parts;
}

function queryOf({ name, required, schema }: Parameter, source: Source): [string, string][] {
  if (name === 'key' || (!required && !source.random.chance(0.25))) return [];
  const value = valueOf(schema, source);
  return [[name, Array.isArray(value) ? value.join(',') : wellFormed(String(value))]];
}

function credentials(operation: Operation, { random }: Source, keys: Keys): RequestOptions {
  const headers: Record<string, string> = {};
  if (random.chance(HEADER_SHARE)) headers[random.pick(HEADERS)] = headerValue(random.pick(TEXTS));
  if (operation.keyKind === 'widget') return { headers: { ...headers, origin: PAGE } };
  if (operation.keyKind === 'none') return { headers };
  if (operation.keyKind === 'user') return { headers, key: random.pick(keys.sessions) };
  if (operation.keyKind === 'administrator') return { headers, key: random.pick(keys.administrators) };
  if (operation.keyKind === 'scim') return { headers, key: random.pick(keys.directories) };
  return { headers, key: random.pick(operation.keyKind === 'live' || random.chance(0.6) ? keys.live : keys.sandbox) };
}

/** `fetch` itself rejects line breaks and characters beyond Latin-1 in a header. */
function headerValue(text: string): string {
  return text.replaceAll(/[^\x20-\xff]/g, '?').slice(0, 4000);
}

function bodyOf({ body, method }: Operation, source: Source, isSpoilt: boolean): RequestOptions {
  const { random } = source;
  if (method === 'GET' || !body) return {};
  const value = valueOf(body.schema, source);
  if (body.type === 'multipart/form-data') return { raw: formOf(isSpoilt ? mutated(value, random) : value, random) };
  if (isSpoilt && random.chance(0.1)) return { raw: random.pick(['{', '[]]', '{"a":\ud800}', ...TEXTS]), headers: {} };
  return { json: isSpoilt ? mutated(value, random) : value };
}

function formOf(value: unknown, random: Source['random']): FormData {
  const form = new FormData();
  for (const [name, text] of Object.entries(Object(value) as object)) {
    if (name !== 'file') form.append(name, wellFormed(String(text)));
  }
  const bytes = random.pick([silence(), Buffer.alloc(random.between(0, 5000), random.between(0, 255))]);
  if (random.chance(0.9))
    form.append('file', new Blob([new Uint8Array(bytes)]), wellFormed(random.pick(TEXTS)).slice(0, 200));
  return form;
}

/** A tenth of a second of silence as WAV. */
function silence(): Buffer {
  const bytes = Buffer.alloc(44 + 1600);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + 1600, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(1600, 40);
  return bytes;
}

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}
