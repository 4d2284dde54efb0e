import { randomFillSync } from 'node:crypto';
import { v5, v7, validate, version } from 'uuid';

const RANDOM_BYTES_PER_ID = 16;
/**
 * Filled for many ids at once: a call takes about ten ids, and filling costs more than the rest of
 * creating an id.
 */
const random = Buffer.alloc(256 * RANDOM_BYTES_PER_ID);
let nextOffset = random.length;
let lastMs = -Infinity;
let sequence = 0;

/**
 * Creates an id: UUID v7 in lower case. Ids of one process sort in the order of creation, even
 * within one millisecond and when the wall clock steps back (RFC 9562 §6.2, method 1 with a 32-bit
 * counter).
 */
export function newId(): string {
  if (nextOffset === random.length) {
    randomFillSync(random);
    nextOffset = 0;
  }
  const bytes = random.subarray(nextOffset, nextOffset + RANDOM_BYTES_PER_ID);
  nextOffset += RANDOM_BYTES_PER_ID;
  const nowMs = Date.now();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    // Clearing the top bit leaves room for increments within the millisecond.
    sequence = bytes.readUInt32BE() & 0x7fff_ffff;
  } else {
    sequence = (sequence + 1) >>> 0;
    if (sequence === 0) lastMs += 1;
  }
  return v7({ random: bytes, msecs: lastMs, seq: sequence });
}

/** The UUID that stands for a part of something that has an id: always the same for the same part (RFC 9562 §5.5). */
export function idFrom(id: string, part: string): string {
  return v5(part, id);
}

/** Whether the text is an id that Hatif could have created. Letter case does not matter. */
export function isId(text: string): boolean {
  return validate(text) && version(text) === 7;
}

/**
 * The lowest possible id created at this time or later (RFC 9562 §5.7: the first 48 bits are the
 * milliseconds).
 */
export function lowestIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** The creation time of an id, to the millisecond. */
export function timeOfId(id: string): Date {
  return new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
