import type { Asked } from './sample.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Where a request names a resource: `params.call_id`, `body.connect.target`. */
export function placesOf({ params = {}, query = {}, body, names = [] }: Asked): string[] {
  return [
    ...Object.keys(params).map((name) => `params.${name}`),
    ...idsIn('query', query),
    ...idsIn('body', body),
    ...names,
  ];
}

/** The request with this place's value in another one. */
export function withPlace(asked: Asked, place: string, other: Asked): Asked {
  const copy = { ...asked, ...structuredClone({ params: asked.params, query: asked.query, body: asked.body }) };
  const path = place.split('.');
  const last = path.pop() ?? '';
  const holder = path.reduce<unknown>(member, copy) as Record<string, unknown>;
  holder[last] = [...path, last].reduce<unknown>(member, other);
  return copy as Asked;
}

function member(of: unknown, name: string): unknown {
  return (of as Readonly<Record<string, unknown>>)[name];
}

function idsIn(path: string, value: unknown): string[] {
  if (typeof value === 'string') return UUID.test(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => idsIn(`${path}.${name}`, inner));
}
