/** GSM 7-bit default alphabet (3GPP TS 23.038 §6.2.1), by code. The escape, code 27, is no character. */
const BASIC = [
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ',
  ' !"#¤%&\'()*+,-./0123456789:;<=>?',
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§',
  '¿abcdefghijklmnopqrstuvwxyzäöñüà',
].join('');
/** The extension table: each takes two codes, of which the first is the escape. */
const EXTENSION: readonly (readonly [string, number])[] = [
  ['\f', 0x0a],
  ['^', 0x14],
  ['{', 0x28],
  ['}', 0x29],
  ['\\', 0x2f],
  ['[', 0x3c],
  ['~', 0x3d],
  [']', 0x3e],
  ['|', 0x40],
  ['€', 0x65],
];
const ESCAPE = 0x1b;

const CODES = new Map<string, readonly number[]>([
  ...Array.from(BASIC, (character, code): [string, readonly number[]] => [character, [code]]),
  ...EXTENSION.map(([character, code]): [string, readonly number[]] => [character, [ESCAPE, code]]),
]);
CODES.delete('\u001b');
const EXTENDED = new Map(EXTENSION.map(([character, code]) => [code, character]));
/** How many codes a character takes in GSM-7, by its UTF-16 code; 0: it has none. */
const CODES_TAKEN = new Uint8Array(Math.max(...[...CODES.keys()].map((character) => character.charCodeAt(0))) + 1);
for (const [character, codes] of CODES) CODES_TAKEN[character.charCodeAt(0)] = codes.length;

/** `gsm7`: one byte for each 7-bit code, as SMPP takes it. `ucs2`: UTF-16, big-endian. */
export type SmsEncoding = 'gsm7' | 'ucs2';

/** How the parts of a long message are numbered: by a header with a reference of one byte or of two. */
export type ReferenceBytes = 1 | 2;

export interface SmsParts {
  readonly encoding: SmsEncoding;
  /** The bytes of each part, without a header. */
  readonly parts: readonly Buffer[];
}

/** Bytes of a UTF-16 code unit. */
const UCS2_BYTES = 2;

/** Bytes of one part (3GPP TS 23.040): alone, and beside a header of 6 or 7 bytes. */
const LIMITS: Readonly<
  Record<SmsEncoding, { readonly alone: number; readonly of: Readonly<Record<ReferenceBytes, number>> }>
> = {
  gsm7: { alone: 160, of: { 1: 153, 2: 152 } },
  ucs2: { alone: 140, of: { 1: 134, 2: 132 } },
};

/**
 * Encodes a text, and splits what is too long for one message. No character is split. GSM-7 is chosen if every character
 * has a code in it, otherwise UCS-2.
 */
export function smsParts(text: string, referenceBytes: ReferenceBytes): SmsParts {
  const { encoding, pieces } = split(text, referenceBytes);
  return { encoding, parts: pieces.map(encoding === 'gsm7' ? gsmBytes : ucs2Bytes) };
}

/** How many messages the text takes at the carrier. */
export function smsSegments(text: string, referenceBytes: ReferenceBytes = 1): number {
  return split(text, referenceBytes).pieces.length;
}

/** The texts of the parts. */
function split(
  text: string,
  referenceBytes: ReferenceBytes,
): { readonly encoding: SmsEncoding; readonly pieces: readonly string[] } {
  const codes = gsmCodes(text);
  const encoding: SmsEncoding = codes === null ? 'ucs2' : 'gsm7';
  const { alone, of } = LIMITS[encoding];
  if ((codes ?? text.length * UCS2_BYTES) <= alone) return { encoding, pieces: [text] };
  const sizeOf = (character: string): number =>
    encoding === 'gsm7' ? (CODES.get(character)?.length ?? 1) : character.length * UCS2_BYTES;
  const pieces: string[] = [];
  let piece = '';
  let filled = 0;
  for (const character of text) {
    const size = sizeOf(character);
    if (filled + size > of[referenceBytes]) {
      pieces.push(piece);
      piece = '';
      filled = 0;
    }
    piece += character;
    filled += size;
  }
  return { encoding, pieces: [...pieces, piece] };
}

/** How many codes the text takes in GSM-7; null if a character has none. */
function gsmCodes(text: string): number | null {
  let sum = 0;
  for (let at = 0; at < text.length; at++) {
    const taken = CODES_TAKEN[text.charCodeAt(at)] ?? 0;
    if (taken === 0) return null;
    sum += taken;
  }
  return sum;
}

/** The text of 7-bit codes, one a byte. A code that the tables lack is a blank, as 3GPP TS 23.038 asks for. */
export function gsmText(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] ?? 0;
    if (code === ESCAPE) text += EXTENDED.get(bytes[++at] ?? -1) ?? ' ';
    else text += BASIC[code] ?? ' ';
  }
  return text;
}

/** The text of UTF-16, big-endian. An odd last byte is left out. */
export function ucs2Text(bytes: Uint8Array): string {
  const whole = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  return whole.swap16().toString('utf16le');
}

function gsmBytes(text: string): Buffer {
  const codes: number[] = [];
  for (const character of text) codes.push(...(CODES.get(character) ?? [0x20]));
  return Buffer.from(codes);
}

function ucs2Bytes(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}
