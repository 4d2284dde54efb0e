import { violatedUnique } from '../../data/errors.js';
import type { Queryable } from '../../data/database.js';
import type { Invites, InviteView } from '../../data/repositories/accounts/invites.js';
import type { Members } from '../../data/repositories/accounts/members.js';
import type { UserRow } from '../../data/rows.js';
import { hashSecret } from '../../model/access/secrets.js';
import { isToken } from '../../model/access/tokens.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import { assertPending } from './invite-status.js';
import type { Passwords } from './passwords.js';

export interface Acceptance {
  readonly token: string;
  readonly name?: string | undefined;
  readonly password?: string | undefined;
  /** Default: the language of the invitation. */
  readonly locale?: 'ar' | 'en' | undefined;
}

export interface AcceptInviteOptions {
  readonly invites: Invites;
  readonly members: Members;
  readonly passwords: Pick<Passwords, 'hash' | 'assertAccepted'>;
  readonly clock: Clock;
  readonly addUser: (tx: Queryable, row: UserRow) => Promise<void>;
}

/** What the invited person does. The token is the proof. */
export class AcceptInvite {
  constructor(private readonly options: AcceptInviteOptions) {}

  /** The invitation, if it can be accepted. @throws HatifError INVITE_NOT_FOUND, INVITE_NOT_PENDING, INVITE_EXPIRED */
  async lookup(token: string): Promise<InviteView> {
    return this.#open(token);
  }

  /**
   * Makes the invited person a member, once. The address counts as confirmed: the token came by mail.
   * @throws HatifError as {@link lookup}; INVITE_ALREADY_MEMBER, INVITE_EMAIL_OTHER_ORG, INVITE_ACCOUNT_DETAILS_REQUIRED,
   * PASSWORD_VALIDATION_FAILED
   */
  async accept({ token, name, password, locale }: Acceptance): Promise<{ invite: InviteView; user: UserRow }> {
    const { invites, members, passwords, clock, addUser } = this.options;
    const seen = await this.#open(token);
    await this.#assertNew(seen);
    if (name === undefined || password === undefined) throw new HatifError('INVITE_ACCOUNT_DETAILS_REQUIRED');
    passwords.assertAccepted(password, { email: seen.email, name });
    const password_hash = await passwords.hash(password);
    try {
      return await members.exclusively(seen.organization_id, async (tx) => {
        const invite = await this.#open(token, tx);
        await this.#assertNew(invite, tx);
        const now = clock.now();
        const user: UserRow = {
          id: newId(),
          organization_id: invite.organization_id,
          email: invite.email,
          name,
          password_hash,
          locale: locale ?? invite.locale,
          phone: null,
          phone_confirmed_at: null,
          email_confirmed_at: now,
          role: invite.role,
          project_ids: invite.project_ids,
          agent: invite.agent,
          disabled_at: null,
          last_sign_in_at: null,
          created_at: now,
        };
        await addUser(tx, user);
        await invites.decide(tx, invite.id, 'accepted', now);
        return { invite, user };
      });
    } catch (error) {
      // The address got an account at the same moment, in another organization: this one's members wait for each other.
      if (violatedUnique(error) === 'users_email') throw new HatifError('INVITE_EMAIL_OTHER_ORG', {}, { cause: error });
      throw error;
    }
  }

  async #open(token: string, tx?: Queryable): Promise<InviteView> {
    const { invites, clock } = this.options;
    const invite = isToken('invite', token) ? await invites.byToken(hashSecret(token), tx, tx !== undefined) : null;
    if (invite === null) throw new HatifError('INVITE_NOT_FOUND');
    assertPending(invite);
    if (invite.expires_at <= clock.now()) {
      throw new HatifError('INVITE_EXPIRED', { expired_at: isoTime(invite.expires_at) });
    }
    return invite;
  }

  async #assertNew({ email, organization_id }: InviteView, tx?: Queryable): Promise<void> {
    const known = await this.options.members.byEmail(email, tx);
    if (known === null) return;
    throw new HatifError(
      known.organization_id === organization_id ? 'INVITE_ALREADY_MEMBER' : 'INVITE_EMAIL_OTHER_ORG',
    );
  }
}
