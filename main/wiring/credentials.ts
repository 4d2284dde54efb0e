import { argon2 } from '../../adapters/passwords/argon2.js';
import { ZxcvbnStrength } from '../../adapters/passwords/zxcvbn.js';
import type { Database } from '../../core/data/database.js';
import { Credentials } from '../../core/data/repositories/accounts/credentials.js';
import { Passkeys } from '../../core/data/repositories/accounts/passkeys.js';
import { Profiles } from '../../core/data/repositories/accounts/profiles.js';
import { ResetTokens } from '../../core/data/repositories/accounts/reset-tokens.js';
import { SecondFactors } from '../../core/data/repositories/accounts/second-factors.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import type { Clock } from '../../core/ports/clock.js';
import type { RateLimiter } from '../../core/services/access/rate-limit.js';
import { Confirmation } from '../../core/services/accounts/confirmation.js';
import { EmailChange } from '../../core/services/accounts/email-change.js';
import { PasskeyChallenges } from '../../core/services/accounts/passkey-challenges.js';
import { PasskeySetup } from '../../core/services/accounts/passkey-setup.js';
import { PasskeySignIn } from '../../core/services/accounts/passkey-sign-in.js';
import { PasswordChange } from '../../core/services/accounts/password-change.js';
import { PasswordReset } from '../../core/services/accounts/password-reset.js';
import { Passwords } from '../../core/services/accounts/passwords.js';
import { PhoneChange } from '../../core/services/accounts/phone-change.js';
import { Profile } from '../../core/services/accounts/profile.js';
import { SecondFactor } from '../../core/services/accounts/second-factor.js';
import { TotpSetup } from '../../core/services/accounts/totp-setup.js';
import { Tries } from '../../core/services/accounts/tries.js';
import type { Verify } from '../../core/services/verify/verify.js';

export interface CredentialsOptions {
  readonly db: Database;
  readonly cipher: Cipher;
  readonly rateLimiter: RateLimiter;
  readonly verify: Pick<Verify, 'start' | 'check'>;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly onSessionChanged: () => void;
}

/** What users prove their identity with, and what they change of themselves. */
export interface OpenedCredentials {
  readonly passwords: Passwords;
  readonly factor: SecondFactor;
  readonly passkeySignIn: PasskeySignIn;
  readonly confirmation: Confirmation;
  readonly totp: TotpSetup;
  readonly passkeys: PasskeySetup;
  readonly change: PasswordChange;
  readonly reset: PasswordReset;
  readonly emails: EmailChange;
  readonly phones: PhoneChange;
  readonly profile: Profile;
}

export function openPasswords(): Passwords {
  return new Passwords({ hasher: argon2, strength: new ZxcvbnStrength() });
}

export function openCredentials(options: CredentialsOptions): OpenedCredentials {
  const { db, cipher, rateLimiter, verify, publicUrl, clock, onSessionChanged } = options;
  const credentials = new Credentials(db);
  const factors = new SecondFactors(db);
  const profiles = new Profiles(db);
  const rows = new Passkeys(db);
  const passwords = openPasswords();
  const tries = new Tries(rateLimiter);
  const factor = new SecondFactor({ factors, credentials, cipher, clock });
  const challenges = new PasskeyChallenges({ passkeys: rows, publicUrl, clock });
  const passkeySignIn = new PasskeySignIn({ passkeys: rows, challenges, clock });
  const confirmation = new Confirmation({
    credentials,
    passwords,
    factor,
    passkeys: passkeySignIn,
    tries,
    clock,
    onSessionChanged,
  });
  const emails = new EmailChange({ profiles, confirmation, tries, cipher, publicUrl, clock });
  const phones = new PhoneChange({ profiles, verify, clock });
  return {
    passwords,
    factor,
    passkeySignIn,
    confirmation,
    totp: new TotpSetup({ factors, factor, credentials, confirmation, tries, cipher, clock, onSessionChanged }),
    passkeys: new PasskeySetup({ passkeys: rows, challenges, credentials, confirmation, clock, onSessionChanged }),
    change: new PasswordChange({ credentials, passwords, tries, clock, onSessionChanged }),
    reset: new PasswordReset({
      credentials,
      tokens: new ResetTokens(db),
      passwords,
      tries,
      cipher,
      publicUrl,
      clock,
      onSessionChanged,
    }),
    emails,
    phones,
    profile: new Profile({ profiles, emails, phones, clock }),
  };
}
