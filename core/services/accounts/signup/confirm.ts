import type { Signups } from '../../../data/repositories/accounts/signups.js';
import type { Device } from '../../../data/repositories/accounts/sessions.js';
import type { SessionClient } from '../../../data/rows.js';
import { hashSecret } from '../../../model/access/secrets.js';
import { isToken } from '../../../model/access/tokens.js';
import { HatifError, invalidField, type Phrase } from '../../../model/errors/index.js';
import type { Clock } from '../../../ports/clock.js';
import type { Account, ProvisionAccount } from '../../provisioning/account.js';
import type { Passwords } from '../passwords.js';
import type { LiveSession, SessionService } from '../sessions.js';
import type { Tries } from '../tries.js';
import { orSignupFailed } from './failed.js';

export interface ConfirmSignUpOptions {
  readonly signups: Signups;
  readonly provisioning: ProvisionAccount;
  readonly sessions: SessionService;
  readonly passwords: Pick<Passwords, 'verify'>;
  readonly tries: Tries;
  readonly clock: Clock;
}

/** The new organization, with its owner signed in. */
export interface ConfirmedSignup {
  readonly account: Account;
  readonly session: LiveSession;
}

export interface SignupConfirmation {
  /** Of the link in the mail. */
  readonly token: string;
  /** As at the sign-up. */
  readonly password: string;
  readonly client: SessionClient;
}

const NO_TOKEN: Phrase = {
  en: 'does not work: it is mistyped, was used or replaced, or is older than a day',
  ar: 'غير صالح: إما كُتب خطأ، أو سبق استخدامه أو استبداله، أو مضى عليه يوم',
};

/**
 * Makes the account of a sign-up. The token shows that its holder reads the mails to the address; the password, that it is
 * who signed up: otherwise a stranger could choose the password of an account that the owner of the address confirms.
 */
export class ConfirmSignUp {
  constructor(private readonly options: ConfirmSignUpOptions) {}

  /**
   * All or nothing: if it fails, the link still works.
   * @throws HatifError RATE_LIMIT_EXCEEDED, VALIDATION_ERROR, INVALID_CREDENTIALS, SIGNUP_EMAIL_TAKEN if a user got the
   * address meanwhile, PBX_PROVISIONING_FAILED, SIGNUP_FAILED
   */
  async confirm({ token, password, client }: SignupConfirmation, device: Device): Promise<ConfirmedSignup> {
    const { signups, passwords, provisioning, sessions, tries, clock } = this.options;
    await tries.take(`signup:confirm:${device.ip}`);
    if (!isToken('signup', token)) throw invalidField('token', NO_TOKEN);
    return orSignupFailed(async () => {
      const signup = await signups.byToken(hashSecret(token), clock.now());
      if (signup === null) throw invalidField('token', NO_TOKEN);
      const { email, name, locale, password_hash } = signup;
      await tries.take(`signup:confirm:${signup.id}`);
      if (!(await passwords.verify(password_hash, password))) throw new HatifError('INVALID_CREDENTIALS');
      const owner = { email, name, locale, password_hash, email_confirmed_at: clock.now() };
      const { account, made } = await provisioning.make(
        { name: signup.organization_name, tier: 'sandbox', owner },
        {
          emailTaken: (cause) => new HatifError('SIGNUP_EMAIL_TAKEN', {}, { cause }),
          finish: async (tx, { owner: user, organization }) => {
            await signups.removeOf(email, tx);
            return sessions.begin(user, organization, { client, secondFactor: false, ...device }, tx);
          },
        },
      );
      return { account, session: made };
    });
  }
}
