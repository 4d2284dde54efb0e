import { randomBase62 } from './base62.js';
import { checksum, CHECKSUM_LENGTH } from './checksum.js';

/** 62^22 > 2^128: this length holds every value. */
const LENGTH = 22;
const SHAPE = new RegExp(`^(wk_[0-9A-Za-z]{${LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/**
 * Generates a widget key: `wk_`, 16 random bytes in base 62, and a checksum. It appears in web
 * pages, so it is no secret: it names the widget and allows very little.
 */
export function generateWidgetKey(): string {
  const body = `wk_${randomBase62(16, LENGTH)}`;
  return body + checksum(body);
}

/** Whether the text has the shape of a widget key. */
export function isWidgetKey(text: string): boolean {
  const [, body, sum] = SHAPE.exec(text) ?? [];
  return body !== undefined && checksum(body) === sum;
}
