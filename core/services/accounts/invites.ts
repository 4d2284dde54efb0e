import type { Queryable } from '../../data/database.js';
import { addAccountMail } from '../../data/repositories/mails/account-mails.js';
import type { Invites, InviteView } from '../../data/repositories/accounts/invites.js';
import type { Members } from '../../data/repositories/accounts/members.js';
import type { InviteRow } from '../../data/rows.js';
import type { Cipher, Sealed } from '../../model/access/cipher.js';
import { isRole, mayGrant, type Role } from '../../model/access/roles.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { ActingMember } from './acting-member.js';
import { assertPending } from './invite-status.js';
import { newMailedLink, type MailedLink } from './mailed-link.js';
import { checkSettings, roleToManage } from './member-settings.js';

export interface NewInvite {
  readonly email: string;
  readonly role: string;
  readonly projectIds: readonly string[] | null;
  readonly agent: string | null;
  readonly locale: 'ar' | 'en';
}

export interface InviteServiceOptions {
  readonly invites: Invites;
  readonly members: Members;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Where the invited person opens the console, without a trailing slash. */
  readonly publicUrl: () => string;
}

const VALID_MS = 7 * 86_400_000;

/** Invites people into an organization. */
export class InviteService {
  constructor(private readonly options: InviteServiceOptions) {}

  page({ organizationId }: ActingMember, beforeId: string | null, limit: number): Promise<InviteView[]> {
    return this.options.invites.page(organizationId, beforeId, limit);
  }

  /**
   * Sends an invitation. It replaces a pending one to the same address. Whether the address belongs to a member of
   * another organization is not reported here.
   * @throws HatifError INVITE_ROLE_INVALID, VALIDATION_ERROR, INVITE_ALREADY_MEMBER
   */
  async invite(actor: ActingMember, wanted: NewInvite): Promise<InviteView> {
    const { invites, members, clock } = this.options;
    const { organizationId } = actor;
    const role = this.#givable(actor.role, wanted.role);
    const email = wanted.email.toLowerCase();
    const settings = { role, project_ids: wanted.projectIds, agent: wanted.agent };
    const id = newId();
    await members.exclusively(organizationId, async (tx) => {
      this.#givable(await roleToManage(members, actor, tx), role);
      await checkSettings(members, actor, settings, tx);
      const known = await members.byEmail(email, tx);
      if (known?.organization_id === organizationId) throw new HatifError('INVITE_ALREADY_MEMBER');
      const now = clock.now();
      const { link, hash } = this.#newLink();
      const row: InviteRow = {
        id,
        organization_id: organizationId,
        email,
        ...settings,
        locale: wanted.locale,
        status: 'pending',
        invited_by: actor.id,
        created_at: now,
        decided_at: null,
        ...sentWith(hash, now),
      };
      await invites.revokePending(tx, organizationId, email, now);
      await invites.add(tx, row);
      await this.#mail(tx, await this.#get(actor, id, tx), actor, link, now);
    });
    return this.#get(actor, id);
  }

  /**
   * Sends the invitation again with a new token for seven days; the old link stops working.
   * @throws HatifError INVITE_NOT_FOUND, INVITE_NOT_PENDING, INVITE_ROLE_INVALID
   */
  async resend(actor: ActingMember, id: string): Promise<InviteView> {
    const { invites, members, clock } = this.options;
    await members.exclusively(actor.organizationId, async (tx) => {
      const invite = await this.#pending(tx, actor, id);
      this.#givable(actor.role, invite.role);
      const now = clock.now();
      const { link, hash } = this.#newLink();
      await invites.renew(tx, id, sentWith(hash, now));
      await this.#mail(tx, invite, actor, link, now);
    });
    return this.#get(actor, id);
  }

  /** Ends a pending invitation. @throws HatifError INVITE_NOT_FOUND, INVITE_NOT_PENDING */
  async revoke(actor: ActingMember, id: string): Promise<void> {
    const { invites, members, clock } = this.options;
    await members.exclusively(actor.organizationId, async (tx) => {
      await this.#pending(tx, actor, id);
      await invites.decide(tx, id, 'revoked', clock.now());
    });
  }

  async #get({ organizationId }: ActingMember, id: string, on?: Queryable, lock = false): Promise<InviteView> {
    const row = await this.options.invites.get(organizationId, id, on, lock);
    if (row === null) throw new HatifError('INVITE_NOT_FOUND');
    return row;
  }

  async #pending(tx: Queryable, actor: ActingMember, id: string): Promise<InviteView> {
    const row = await this.#get(actor, id, tx, true);
    assertPending(row);
    return row;
  }

  #givable(own: Role, role: string): Role {
    if (!isRole(role) || !mayGrant(own, role)) throw new HatifError('INVITE_ROLE_INVALID', { role });
    return role;
  }

  #newLink(): MailedLink {
    return newMailedLink(this.options, 'invite', 'invite');
  }

  async #mail(tx: Queryable, invite: InviteView, { name }: ActingMember, link: Sealed, at: Date): Promise<void> {
    const { email: to, locale, organization, role } = invite;
    await addAccountMail(tx, { to, locale, kind: 'invite', data: { organization, inviter: name, role, link } }, at);
  }
}

function sentWith(token_hash: string, now: Date): Pick<InviteRow, 'token_hash' | 'sent_at' | 'expires_at'> {
  return { token_hash, sent_at: now, expires_at: new Date(now.getTime() + VALID_MS) };
}
