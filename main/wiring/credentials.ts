import type { Database } from '../../core/data/database.js';
import { Credentials } from '../../core/data/repositories/accounts/credentials.js';
import { Passkeys } from '../../core/data/repositories/accounts/passkeys.js';
import { Profiles } from '../../core/data/repositories/accounts/profiles.js';
import { ResetTokens } from '../../core/data/repositories/accounts/reset-tokens.js';
import { SecondFactors } from '../../core/data/repositories/accounts/second-factors.js';
import { isManaged } from '../../core/data/repositories/single-sign-on/identities.js';
import type { UserRow } from '../../core/data/rows.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import type { Clock } from '../../core/ports/clock.js';
import { Confirmation } from '../../core/services/accounts/confirmation.js';
import { EmailChange } from '../../core/services/accounts/email-change.js';
import { PasskeyChallenges } from '../../core/services/accounts/passkey-challenges.js';
import { PasskeySetup } from '../../core/services/accounts/passkey-setup.js';
import { PasskeySignIn } from '../../core/services/accounts/passkey-sign-in.js';
import { PasswordChange } from '../../core/services/accounts/password-change.js';
import { PasswordReset } from '../../core/services/accounts/password-reset.js';
import { PhoneChange } from '../../core/services/accounts/phone-change.js';
import { Profile } from '../../core/services/accounts/profile.js';
import { TotpSetup } from '../../core/services/accounts/totp-setup.js';
import type { Verify } from '../../core/services/verify/verify.js';
import type { Accounts } from './accounts.js';

export interface CredentialsOptions {
  readonly db: Database;
  readonly accounts: Pick<Accounts, 'passwords' | 'secondFactor' | 'tries' | 'isForced'>;
  readonly cipher: Cipher;
  readonly verify: Pick<Verify, 'start' | 'check'>;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly onSessionChanged: () => void;
}

/** What users prove their identity with, and what they change of themselves. */
export interface OpenedCredentials {
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

export function openCredentials(options: CredentialsOptions): OpenedCredentials {
  const { db, cipher, verify, publicUrl, clock, onSessionChanged } = options;
  const credentials = new Credentials(db);
  const factors = new SecondFactors(db);
  const profiles = new Profiles(db);
  const rows = new Passkeys(db);
  const { passwords, secondFactor: factor, tries, isForced } = options.accounts;
  const isManagedElsewhere = async ({ id, email }: Pick<UserRow, 'id' | 'email'>): Promise<boolean> =>
    (await isForced(email)) || (await isManaged(db, id));
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
  const emails = new EmailChange({
    ...{ profiles, confirmation, tries, cipher, publicUrl, clock },
    isManaged: isManagedElsewhere,
  });
  const phones = new PhoneChange({ profiles, verify, clock });
  return {
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
      usesSso: async (user) =>
        (await isForced(user.email)) || (user.password_hash === null && (await isManaged(db, user.id))),
      publicUrl,
      clock,
      onSessionChanged,
    }),
    emails,
    phones,
    profile: new Profile({ profiles, emails, phones, clock }),
  };
}
