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
