import { Secret, TOTP } from 'otpauth';

const ISSUER = 'Hatif';
const PERIOD_SECONDS = 30;
/** Steps before and after the present one that are accepted, for clocks that differ (RFC 6238, section 5.2). */
const WINDOW = 1;
const SECRET_BYTES = 20;

/** A new secret for an authenticator application, in base 32. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The address that an authenticator application reads from a QR code. @param account shown in the application */
export function totpUri(secret: string, account: string): string {
  return totpOf(secret, account).toString();
}

/** The time step whose code this is; null if it is none of the present moment. */
export function totpStep(secret: string, code: string, at: Date): number | null {
  const token = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const delta = totpOf(secret, '').validate({ token, timestamp: at.getTime(), window: WINDOW });
  return delta === null ? null : Math.floor(at.getTime() / 1000 / PERIOD_SECONDS) + delta;
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS });
}
