import type { Credentials } from '../../data/repositories/accounts/credentials.js';
import type { ResetTokens } from '../../data/repositories/accounts/reset-tokens.js';
import type { UserRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { hashSecret } from '../../model/access/secrets.js';
import { isToken } from '../../model/access/tokens.js';
import { invalidField, type Phrase } from '../../model/errors/index.js';
import { pause, systemClock, type Clock } from '../../ports/clock.js';
import { newMailedLink } from './mailed-link.js';
import type { Passwords } from './passwords.js';
import type { Tries } from './tries.js';

const VALID_MS = 60 * 60_000;
/** Longer than the work for an address that is known, so that the time of the answer does not say which are. */
const ANSWER_MS = 300;
const MAILS_PER_HOUR = 3;
const HOUR_SECONDS = 3600;

const NO_TOKEN: Phrase = {
  en: 'does not work: it is mistyped, was used, or is older than an hour',
  ar: 'غير صالح: إما كُتب خطأ، أو سبق استخدامه، أو مضت عليه ساعة',
};

export interface PasswordResetOptions {
  readonly credentials: Credentials;
  readonly tokens: ResetTokens;
  readonly passwords: Passwords;
  readonly tries: Tries;
  readonly cipher: Cipher;
  /** Whether the user signs in through an identity provider, so that it has no password, or cannot use one. */
  readonly usesSso: (user: UserRow) => Promise<boolean>;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  /** Called after a session was proved or has ended, so that this process sees it at once. */
  readonly onSessionChanged: () => void;
}

/** A new password for a user who forgot the old one, by a link in a mail. */
export class PasswordReset {
  constructor(private readonly options: PasswordResetOptions) {}

  /**
   * Sends a link if a user with a password has this address; the answer and its time are the same if nobody has.
   * @throws HatifError RATE_LIMIT_EXCEEDED, which counts addresses that nobody has, too.
   */
  async ask(email: string, ip: string): Promise<void> {
    const { tries, cipher } = this.options;
    const address = email.trim().toLowerCase();
    await tries.take(`forgot:${ip}`);
    await tries.take(`forgot:${cipher.mac('code', address)}`, MAILS_PER_HOUR, HOUR_SECONDS);
    // Real time, because the client measures it.
    await Promise.all([this.#send(address), pause(systemClock, ANSWER_MS)]);
  }

  /**
   * Sets the password and ends every session of the user. A password that is not accepted leaves the link usable.
   * @throws HatifError VALIDATION_ERROR for a link that does not work, PASSWORD_VALIDATION_FAILED.
   */
  async reset(token: string, password: string): Promise<void> {
    const { credentials, tokens, passwords, clock, onSessionChanged } = this.options;
    if (!isToken('reset', token)) throw invalidField('token', NO_TOKEN);
    const hash = hashSecret(token);
    const user = await tokens.userOf(hash, clock.now());
    if (user === null) throw invalidField('token', NO_TOKEN);
    passwords.assertAccepted(password, user);
    const change = { from: user.password_hash, to: await passwords.hash(password), keptSession: null };
    const now = clock.now();
    const isSet = await credentials.setPassword(user, change, now, (tx) => tokens.use(tx, hash, now));
    if (!isSet) throw invalidField('token', NO_TOKEN);
    onSessionChanged();
  }

  async #send(email: string): Promise<void> {
    const { credentials, tokens, clock } = this.options;
    const user = await credentials.userByEmail(email);
    if (user === null || (await this.options.usesSso(user))) return;
    const { link, hash } = newMailedLink(this.options, 'reset', 'reset');
    const now = clock.now();
    await tokens.create(user, hash, link, new Date(now.getTime() + VALID_MS), now);
  }
}
