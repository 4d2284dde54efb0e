import { v7, validate, version } from 'uuid';

/**
 * A new id: UUID v7 in lower case. Ids made by one process sort in the order in which they were made, also within
 * one millisecond and when the wall clock steps back (RFC 9562 §6.2).
 */
export function newId(): string {
  return v7();
}

/** Whether the text is an id that Hatif could have made. Letter case does not matter. */
export function isId(text: string): boolean {
  return validate(text) && version(text) === 7;
}

/** An id that no id made at this time or later is below (RFC 9562 §5.7: the first 48 bits are the milliseconds). */
export function lowestIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** When an id was made, to the millisecond. */
export function timeOfId(id: string): Date {
  return new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
