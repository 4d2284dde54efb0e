import { randomBase62 } from './base62.js';
import { checksum, CHECKSUM_LENGTH } from './checksum.js';

/** 62^22 > 2^128: the length that holds every value. */
const LENGTH = 22;
const SHAPE = new RegExp(`^(wk_[0-9A-Za-z]{${LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/**
 * A new key of a widget: `wk_`, 16 random bytes in base 62, and a checksum. It stands in web pages, so it is no secret: it names the
 * widget, and what it may do is next to nothing.
 */
export function generateWidgetKey(): string {
  const body = `wk_${randomBase62(16, LENGTH)}`;
  return body + checksum(body);
}

/** Whether the text can be a key of a widget. */
export function isWidgetKey(text: string): boolean {
  const [, body, sum] = SHAPE.exec(text) ?? [];
  return body !== undefined && checksum(body) === sum;
}
