import { crc32 } from 'node:zlib';

/** The content of one journal line. */
export type Line =
  | { readonly entry: object }
  /** All entries before this file offset are done. */
  | { readonly done: number }
  /** An owner of this epoch started to store the entries. */
  | { readonly taken: number };

const CHECKSUM_DIGITS = 8;

/** Encodes `checksum SP JSON LF`; the checksum is the CRC-32 of the JSON's UTF-8 as eight hexadecimal digits. */
export function encodeLine(line: Line): Buffer {
  const json = JSON.stringify(line);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

/** @param line without its line feed. @returns null for a torn or altered line */
export function decodeLine(line: string): Line | null {
  const json = line.slice(CHECKSUM_DIGITS + 1);
  if (line.slice(0, CHECKSUM_DIGITS + 1) !== `${checksum(json)} `) return null;
  return JSON.parse(json) as Line;
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(CHECKSUM_DIGITS, '0');
}
