import type { Cipher } from '../../model/access/cipher.js';
import { isSameSecret } from '../../model/access/secrets.js';

/** Crockford's base 32: no letter that looks like a digit. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 20;
const GROUP = /.{5}(?=.)/g;

/**
 * The code with which the first administrator is made: 100 bits in four groups. It derives from the installation's
 * secret, so that it is the same in every process and at every start, and nothing has to be stored.
 */
export function setupCode(cipher: Cipher): string {
  const bytes = Buffer.from(cipher.mac('setup', 'the first administrator'), 'base64url');
  const letters = Array.from(bytes.subarray(0, LENGTH), (byte) => LETTERS[byte % LETTERS.length]);
  return letters.join('').replace(GROUP, '$&-');
}

/** Whether a person typed the code: without regard to case, dashes and spaces, and in constant time. */
export function isSetupCode(cipher: Cipher, typed: string): boolean {
  return isSameSecret(bare(typed), bare(setupCode(cipher)));
}

function bare(code: string): string {
  return code.replace(/[\s-]/g, '').toUpperCase();
}
