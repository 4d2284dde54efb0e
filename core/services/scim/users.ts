import type { Database, Queryable } from '../../data/database.js';
import { violatedUnique } from '../../data/errors.js';
import type { Members } from '../../data/repositories/accounts/members.js';
import { endResetLinks } from '../../data/repositories/accounts/reset-tokens.js';
import type { Users } from '../../data/repositories/accounts/users.js';
import { addAccountMail } from '../../data/repositories/mails/account-mails.js';
import {
  ASKED_OF_USERS,
  directoryUser,
  pageOfUsers,
  revokeKeysOf,
  setProfile,
  type DirectoryUser,
} from '../../data/repositories/scim/users.js';
import type { SsoDomains } from '../../data/repositories/single-sign-on/domains.js';
import type { UserRow } from '../../data/rows.js';
import { maskEmail } from '../../model/access/masking.js';
import { domainOf } from '../../model/accounts/domains.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { scimFault } from '../../model/scim/fault.js';
import { parseFilter } from '../../model/scim/filter.js';
import { patched, type PatchOperation } from '../../model/scim/patch.js';
import { USER_SHAPE, type Document } from '../../model/scim/shape.js';
import { readUser, userDocument, type KeptUser, type WantedUser } from '../../model/scim/user.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { assertNotLastOwner } from '../accounts/last-owner.js';
import { adopted, type Membership } from '../single-sign-on/membership.js';
import { newMember } from '../single-sign-on/new-member.js';
import type { ScimClient } from './gate.js';
import type { ScimPage, WantedPage } from './page.js';

export interface ScimUsersOptions {
  readonly db: Database;
  readonly users: Users;
  readonly members: Members;
  readonly domains: SsoDomains;
  readonly membership: Membership;
  readonly clock: Clock;
  /** Called after a change, so that this process asks the database again for sessions and keys. */
  readonly onChanged: () => void;
}

const TAKEN: Phrase = {
  en: 'another user has the same userName or e-mail address',
  ar: 'يوجد مستخدم آخر بقيمة `userName` نفسها أو بعنوان البريد الإلكتروني نفسه',
};

/** The members of an organization, as its directory sees and changes them. */
export class ScimUsers {
  constructor(private readonly options: ScimUsersOptions) {}

  /** @throws HatifError SCIM_REQUEST_INVALID */
  async page({ organizationId }: ScimClient, { filter, offset, limit }: WantedPage): Promise<ScimPage<KeptUser>> {
    const conditions = filter === null ? [] : parseFilter(filter, ASKED_OF_USERS);
    const { users, total } = await pageOfUsers(this.options.db, organizationId, conditions, { offset, limit });
    return { items: users.map(kept), total };
  }

  /** @throws HatifError NOT_FOUND */
  async get({ organizationId }: ScimClient, id: string): Promise<KeptUser> {
    return kept(found(await directoryUser(this.options.db, organizationId, id), id));
  }

  /**
   * Makes a member, active or not.
   * @throws HatifError SCIM_REQUEST_INVALID, SCIM_CONFLICT
   */
  async create(client: ScimClient, sent: Document): Promise<KeptUser> {
    const { users, members, membership, clock } = this.options;
    const { organizationId } = client;
    const wanted = readUser(sent);
    const id = newId();
    await this.#change(organizationId, async (tx) => {
      await this.#assertOurs(tx, organizationId, wanted.email);
      if ((await members.byEmail(wanted.email, tx)) !== null) throw new HatifError('SCIM_CONFLICT', { problem: TAKEN });
      const now = clock.now();
      const { email, name, locale } = wanted;
      const user = newMember({ id, organization_id: organizationId, email, name, locale: locale ?? 'en' }, now);
      await users.create(user, tx);
      // Nobody has let the member in yet: it gets the role of the rules, or none.
      const scim = { ...adopted(user, now), admitted: false };
      await membership.settle(tx, { user, scim, groups: [] }, saidOf(wanted), now);
    });
    return this.get(client, id);
  }

  /** @throws HatifError NOT_FOUND, SCIM_REQUEST_INVALID, SCIM_CONFLICT, LAST_OWNER */
  replace(client: ScimClient, id: string, sent: Document): Promise<KeptUser> {
    return this.#update(client, id, () => readUser(sent));
  }

  /** All operations, or none. @throws HatifError NOT_FOUND, SCIM_REQUEST_INVALID, SCIM_CONFLICT, LAST_OWNER */
  patch(client: ScimClient, id: string, operations: readonly PatchOperation[]): Promise<KeptUser> {
    return this.#update(client, id, (before) => readUser(patched(userDocument(before), operations, USER_SHAPE)));
  }

  /** Removes the member with its sessions. @throws HatifError NOT_FOUND, LAST_OWNER */
  async remove({ organizationId, keysOfLeavers }: ScimClient, id: string): Promise<void> {
    const { members, clock } = this.options;
    await this.#change(organizationId, async (tx) => {
      const { user } = found(await directoryUser(tx, organizationId, id), id);
      await assertNotLastOwner(members, tx, user);
      if (keysOfLeavers === 'revoke') await revokeKeysOf(tx, user.id, clock.now());
      await members.remove(tx, user.id);
    });
  }

  async #update(client: ScimClient, id: string, want: (before: KeptUser) => WantedUser): Promise<KeptUser> {
    const { membership, clock } = this.options;
    const { organizationId, keysOfLeavers } = client;
    await this.#change(organizationId, async (tx) => {
      const before = found(await directoryUser(tx, organizationId, id), id);
      const wanted = want(kept(before));
      const now = clock.now();
      const user = await this.#withProfile(tx, before.user, wanted, now);
      await membership.settle(tx, { ...before, user }, saidOf(wanted), now);
      if (!wanted.active && keysOfLeavers === 'revoke') await revokeKeysOf(tx, user.id, now);
    });
    return this.get(client, id);
  }

  async #withProfile(tx: Queryable, user: UserRow, { email, name, locale }: WantedUser, at: Date): Promise<UserRow> {
    const after = { ...user, email, name, locale: locale ?? user.locale };
    if (email !== user.email) {
      await this.#assertOurs(tx, user.organization_id, email);
      await endResetLinks(tx, user.id);
      const data = { name: user.name, masked_email: maskEmail(email) };
      await addAccountMail(tx, { to: user.email, locale: user.locale, kind: 'email_changed', data }, at);
    }
    if (email !== user.email || name !== user.name || after.locale !== user.locale) await setProfile(tx, after, at);
    return after;
  }

  /** A directory names people of the organization's own domains only. */
  async #assertOurs(tx: Queryable, organizationId: string, email: string): Promise<void> {
    const domain = domainOf(email);
    if (domain !== null && (await this.options.domains.isVerified(organizationId, domain, tx))) return;
    throw scimFault('invalidValue', {
      en: `the domain of ${email} is not verified for the organization (/v1/sso/domains)`,
      ar: arabic`نطاق العنوان ${email} غير موثّق للمؤسسة (${'/v1/sso/domains'})`,
    });
  }

  async #change(organizationId: string, work: (tx: Queryable) => Promise<void>): Promise<void> {
    try {
      await this.options.members.exclusively(organizationId, work);
    } catch (error) {
      const violated = violatedUnique(error);
      if (violated !== 'users_email' && violated !== 'scim_users_name') throw error;
      throw new HatifError('SCIM_CONFLICT', { problem: TAKEN }, { cause: error });
    }
    this.options.onChanged();
  }
}

function found(user: DirectoryUser | null, id: string): DirectoryUser {
  if (user !== null) return user;
  throw new HatifError('NOT_FOUND', { what: { en: `the user ${id}`, ar: arabic`المستخدم ${id}` } });
}

function kept({ user, scim, groups }: DirectoryUser): KeptUser {
  const said = scim ?? adopted(user, user.created_at);
  return {
    id: user.id,
    userName: said.user_name,
    externalId: said.external_id,
    email: user.email,
    name: user.name,
    locale: user.locale,
    active: said.active,
    document: said.document,
    groups,
    createdAt: user.created_at,
    updatedAt: said.updated_at,
  };
}

function saidOf({ userName, externalId, active, document }: WantedUser) {
  return { user_name: userName, external_id: externalId, active, document };
}
