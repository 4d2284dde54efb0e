import { violatedUnique } from '../../data/errors.js';
import type { ProfileRow, Profiles } from '../../data/repositories/accounts/profiles.js';
import type { Cipher } from '../../model/access/cipher.js';
import { maskEmail } from '../../model/access/masking.js';
import { hashSecret } from '../../model/access/secrets.js';
import { generateToken } from '../../model/access/tokens.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Confirmation } from './confirmation.js';
import type { InSession } from './in-session.js';
import type { Tries } from './tries.js';

const VALID_MS = 24 * 60 * 60_000;

export interface EmailChangeOptions {
  readonly profiles: Profiles;
  readonly confirmation: Confirmation;
  readonly tries: Tries;
  readonly cipher: Cipher;
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

/** A user's new e-mail address: it replaces the old one when its owner opens a link. */
export class EmailChange {
  constructor(private readonly options: EmailChangeOptions) {}

  /**
   * Whether the user may take this address.
   * @throws HatifError INSUFFICIENT_PERMISSIONS without a recent confirmation, IDENTITY_CONFLICT, RATE_LIMIT_EXCEEDED.
   */
  async check(row: ProfileRow, user: InSession, email: string): Promise<void> {
    const { profiles, confirmation, tries } = this.options;
    if (email === row.email) return;
    await confirmation.require(user);
    await tries.take(`email:${user.id}`);
    if (await profiles.isTaken(email)) throw new HatifError('IDENTITY_CONFLICT');
  }

  /** Sends the link. The user's present address cancels a change that has begun. */
  async begin(row: ProfileRow, email: string): Promise<void> {
    const { profiles, cipher, publicUrl, clock } = this.options;
    if (email === row.email) return profiles.cancelEmail(row.id);
    const token = generateToken('confirm');
    const link = cipher.seal(`${publicUrl()}/console/confirm?token=${token}`);
    const now = clock.now();
    await profiles.beginEmail(row, { email, hash: hashSecret(token), link }, new Date(now.getTime() + VALID_MS), now);
  }

  /**
   * The address becomes the user's.
   * @returns false if this is no link of a change that waits
   * @throws HatifError IDENTITY_CONFLICT if another user got the address meanwhile.
   */
  async confirm(token: string): Promise<boolean> {
    try {
      return await this.options.profiles.confirmEmail(hashSecret(token), maskEmail, this.options.clock.now());
    } catch (error) {
      if (violatedUnique(error) === 'users_email') throw new HatifError('IDENTITY_CONFLICT');
      throw error;
    }
  }
}
