import type { Json } from './api-client.js';
import { plain } from './output.js';

export interface TimelineEntry {
  readonly at: string;
  readonly type: string;
  readonly data: Json;
}

/** One line: the time as given, the type, and the plain values of the data. */
export function timelineLine({ type, data }: TimelineEntry, at: string): string {
  // The data of an event is the whole call object: too long for a line.
  const details = type.startsWith('call.')
    ? []
    : Object.entries(data).flatMap(([name, value]) => (isPlain(value) ? [`${name}=${String(value)}`] : []));
  return plain([at, type, ...details].join('  '));
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
