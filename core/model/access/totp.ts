import { Secret, TOTP } from 'otpauth';
import { asciiDigits } from '../phone-numbers.js';

/** What every authenticator app assumes: RFC 6238 with SHA-1, six digits and steps of half a minute. */
const PERIOD_SECONDS = 30;
const FORM = { algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS } as const;
/** Steps before and after the present one whose code is accepted: clocks differ, and people type slowly. */
const WINDOW = 1;
/** As long as the output of SHA-1, as RFC 4226 asks for. */
const SECRET_BYTES = 20;

/** A new secret, in base 32. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** What an authenticator app reads from a QR code. */
export function totpUri(secret: string, issuer: string, label: string): string {
  return new TOTP({ ...FORM, issuer, label, secret: Secret.fromBase32(secret) }).toString();
}

/** The time-step whose code this is; null if it is not the code of one near `at`. */
export function totpStep(secret: string, code: string, at: Date): number | null {
  const totp = new TOTP({ ...FORM, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: at.getTime(), window: WINDOW });
  return delta === null ? null : Math.floor(at.getTime() / 1000 / PERIOD_SECONDS) + delta;
}

/** Whether the text has the form of such a code. */
export function isTotpCode(text: string): boolean {
  return /^\d{6}$/.test(text);
}

/** The code as the app shows it, however it was typed; null if the text has not the form of one. */
export function readTotpCode(text: string): string | null {
  const code = asciiDigits(text.replace(/\s/g, ''));
  return isTotpCode(code) ? code : null;
}
