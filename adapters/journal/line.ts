import { crc32 } from 'node:zlib';

/** What one line of a journal says. */
export type Line =
  | { readonly entry: object }
  /** Everything before this offset of the file is done with. */
  | { readonly done: number }
  /** An owner of this epoch began to write the entries down. */
  | { readonly taken: number };

const CHECKSUM_DIGITS = 8;

/** `checksum SP JSON LF`: the CRC-32 of the JSON's UTF-8 in eight hexadecimal digits. */
export function encodeLine(line: Line): Buffer {
  const json = JSON.stringify(line);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

/** @param line without its end. @returns null for what was not written whole, or was changed since */
export function decodeLine(line: string): Line | null {
  const json = line.slice(CHECKSUM_DIGITS + 1);
  if (line.slice(0, CHECKSUM_DIGITS + 1) !== `${checksum(json)} `) return null;
  return JSON.parse(json) as Line;
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(CHECKSUM_DIGITS, '0');
}
