import { crc32 } from 'node:zlib';
import { base62 } from './base62.js';

/** 62^6 > 2^32: this length holds every value. */
export const CHECKSUM_LENGTH = 6;

/**
 * CRC-32 in base 62: the end of a key, so that a typing error is found without a database lookup.
 */
export function checksum(text: string): string {
  return base62(BigInt(crc32(text)), CHECKSUM_LENGTH);
}
