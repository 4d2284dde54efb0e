import { violatedUnique } from '../../data/errors.js';
import type { ProfileRow, Profiles } from '../../data/repositories/accounts/profiles.js';
import type { Cipher } from '../../model/access/cipher.js';
import { maskEmail } from '../../model/access/masking.js';
import { hashSecret } from '../../model/access/secrets.js';
import { isToken } from '../../model/access/tokens.js';
import { detailOf, HatifError, invalidField, type Phrase } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Confirmation } from './confirmation.js';
import type { InSession } from './in-session.js';
import { newMailedLink } from './mailed-link.js';
import type { Tries } from './tries.js';

const VALID_MS = 24 * 60 * 60_000;

const NO_TOKEN: Phrase = {
  en: 'does not work: it is mistyped, was used, or is older than a day',
  ar: 'غير صالح: إما كُتب خطأ، أو سبق استخدامه، أو مضى عليه يوم',
};

const ELSEWHERE: Phrase = {
  en: 'the identity provider or directory of your organization decides about the e-mail address',
  ar: 'يحدد عنوان بريدك الإلكتروني مزوّد الهوية أو الدليل الخاص بمؤسستك',
};
const NAMED = { details: [detailOf('email', ELSEWHERE)] };

export interface EmailChangeOptions {
  readonly profiles: Profiles;
  readonly confirmation: Confirmation;
  readonly tries: Tries;
  readonly cipher: Cipher;
  /** Whether an identity provider or a directory decides about the user's address. */
  readonly isManaged: (user: Pick<ProfileRow, 'id' | 'email'>) => Promise<boolean>;
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

/** A user's new e-mail address: it replaces the old one when its owner opens a link. */
export class EmailChange {
  constructor(private readonly options: EmailChangeOptions) {}

  /**
   * Whether the user may take this address.
   * @throws HatifError INVALID_IDENTITY if it is changed elsewhere, INSUFFICIENT_PERMISSIONS without a recent confirmation,
   * IDENTITY_CONFLICT, RATE_LIMIT_EXCEEDED.
   */
  async check(row: ProfileRow, user: InSession, email: string): Promise<void> {
    const { profiles, confirmation, tries, isManaged } = this.options;
    if (email === row.email) return;
    if (await isManaged(row)) throw new HatifError('INVALID_IDENTITY', { reason: ELSEWHERE }, NAMED);
    await confirmation.require(user);
    await tries.take(`email:${user.id}`);
    if (await profiles.isTaken(email)) throw new HatifError('IDENTITY_CONFLICT');
  }

  /** Sends the link. The user's present address cancels a change that has begun. */
  async begin(row: ProfileRow, email: string): Promise<void> {
    const { profiles, clock } = this.options;
    if (email === row.email) return profiles.cancelEmail(row.id);
    const { link, hash } = newMailedLink(this.options, 'confirm', 'confirm');
    const now = clock.now();
    await profiles.beginEmail(row, { email, hash, link }, new Date(now.getTime() + VALID_MS), now);
  }

  /**
   * The address that the link was sent to is confirmed; a new one becomes the user's.
   * @throws HatifError VALIDATION_ERROR, IDENTITY_CONFLICT if another user got the address meanwhile.
   */
  async confirm(token: string): Promise<void> {
    const { profiles, clock } = this.options;
    try {
      const isLink =
        isToken('confirm', token) && (await profiles.confirmEmail(hashSecret(token), maskEmail, clock.now()));
      if (!isLink) throw invalidField('token', NO_TOKEN);
    } catch (error) {
      if (violatedUnique(error) === 'users_email') throw new HatifError('IDENTITY_CONFLICT');
      throw error;
    }
  }
}
