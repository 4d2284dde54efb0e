import { randomBytes } from 'node:crypto';

export const RECOVERY_CODES = 10;

/** Crockford's alphabet: no letters that look like digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 12;
const GROUP = 4;

/** As many new codes as a user has, such as `9k3m-c7q2-x0fw`: 60 random bits each. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
}

function newRecoveryCode(): string {
  const letters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return Array.from({ length: LENGTH / GROUP }, (_, index) =>
    letters.slice(index * GROUP, (index + 1) * GROUP).join(''),
  ).join('-');
}

/** The code as it was made, however it was typed; null if the text has not the form of one. */
export function readRecoveryCode(text: string): string | null {
  const letters = text.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
  const isCode = letters.length === LENGTH && Array.from(letters).every((letter) => ALPHABET.includes(letter));
  return isCode ? (letters.match(/.{4}/g) ?? []).join('-') : null;
}
