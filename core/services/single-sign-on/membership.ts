import type { Queryable } from '../../data/database.js';
import type { Members } from '../../data/repositories/accounts/members.js';
import { endResetLinks } from '../../data/repositories/accounts/reset-tokens.js';
import type { Sessions } from '../../data/repositories/accounts/sessions.js';
import type { Users } from '../../data/repositories/accounts/users.js';
import { hasGroups } from '../../data/repositories/scim/groups.js';
import { directoryUsers, putScimUser, type DirectoryUser, type GroupName } from '../../data/repositories/scim/users.js';
import { endSsoCodes } from '../../data/repositories/single-sign-on/flows.js';
import type { SsoSettings } from '../../data/repositories/single-sign-on/settings.js';
import type { ScimUserRow, UserRow } from '../../data/rows.js';
import { grantOf, grantOfMember, NO_RULES, type Grant, type RoleRules } from '../../model/access/group-roles.js';
import { HatifError } from '../../model/errors/index.js';
import { assertNotLastOwner } from '../accounts/last-owner.js';

/** What happens to the role of the last owner: it stays, or nothing is done. */
export type LastOwner = 'keeps' | 'refuses';

/** What a directory says of a member. */
export type SaidOfUser = Pick<ScimUserRow, 'user_name' | 'external_id' | 'document' | 'active'>;

/** What the rules give to a member; null: nothing. */
interface Decided {
  readonly each: DirectoryUser;
  readonly grant: Grant | null;
}

export interface MembershipOptions {
  readonly members: Members;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly settings: SsoSettings;
}

/**
 * Gives members the roles that their groups have, and disables those who have none, and those that the directory took out. Every
 * method runs while the organization is locked.
 */
export class Membership {
  constructor(private readonly options: MembershipOptions) {}

  async rulesOf(tx: Queryable, organizationId: string): Promise<RoleRules> {
    return (await this.options.settings.get(organizationId, tx)) ?? NO_RULES;
  }

  /** The rules changed, for all members that the directory provisions; the last owner keeps the role. */
  async applyRules(tx: Queryable, organizationId: string, at: Date): Promise<void> {
    const rules = await this.rulesOf(tx, organizationId);
    const provisioned = await hasGroups(tx, organizationId);
    const members = await directoryUsers(tx, organizationId, null);
    const decided = members.map((each) => ({
      each,
      grant: decide(rules, each, provisioned ? namesOf(each.groups) : null),
    }));
    await this.#storeAll(tx, decided, at, 'keeps');
  }

  /** The groups of these members changed. @throws HatifError LAST_OWNER */
  async applyGroups(tx: Queryable, organizationId: string, ids: readonly string[], at: Date): Promise<void> {
    const rules = await this.rulesOf(tx, organizationId);
    const members = await directoryUsers(tx, organizationId, ids);
    const decided = members.map((each) => ({ each, grant: decide(rules, each, namesOf(each.groups)) }));
    await this.#storeAll(tx, decided, at, 'refuses');
  }

  /** The directory says something of a member: stores it, and what follows for role and access. @throws HatifError LAST_OWNER */
  async settle(tx: Queryable, member: DirectoryUser, said: SaidOfUser, at: Date): Promise<void> {
    const { user, scim, groups } = member;
    const provisioned = await hasGroups(tx, user.organization_id);
    const grant = decide(await this.rulesOf(tx, user.organization_id), member, provisioned ? namesOf(groups) : null);
    const row: ScimUserRow = { ...(scim ?? adopted(user, at)), ...said, updated_at: at };
    await this.#store(tx, user, row, grant, at, 'refuses');
  }

  /**
   * The identity provider signs a member in. While the directory provisions groups, the claim is not looked at.
   * @returns the member with the role of its groups; null if none of them has one
   */
  async enter(tx: Queryable, member: DirectoryUser, claimed: readonly string[], at: Date): Promise<UserRow | null> {
    const { user, scim, groups } = member;
    const held = (await hasGroups(tx, user.organization_id)) ? namesOf(groups) : claimed;
    const grant = decide(await this.rulesOf(tx, user.organization_id), member, held);
    if (grant === null) return null;
    if (scim !== null) return this.#store(tx, user, scim, grant, at, 'keeps');
    return this.give(tx, user, grant, 'keeps');
  }

  /** Gives a member the role; the last owner keeps the own one, or the change is refused. @throws HatifError LAST_OWNER */
  async give(tx: Queryable, user: UserRow, grant: Grant, lastOwner: LastOwner): Promise<UserRow> {
    const { members } = this.options;
    const known = grant.project_ids && (await members.knownProjects(user.organization_id, grant.project_ids, tx));
    const project_ids = grant.project_ids?.filter((id) => known?.has(id)) ?? null;
    if (grant.role === user.role && sameProjects(project_ids, user.project_ids)) return user;
    if (user.role === 'owner' && grant.role !== 'owner' && !(await this.#hasOtherOwner(tx, user))) {
      if (lastOwner === 'refuses') throw new HatifError('LAST_OWNER');
      return user;
    }
    const { agent: extension } = user;
    const keeps = extension !== null && (await members.hasAgent(user.organization_id, project_ids, extension, tx));
    const after = { role: grant.role, project_ids, agent: keeps ? extension : null };
    await members.set(tx, user.id, after);
    return { ...user, ...after };
  }

  /** Nobody acts as the user any more, and no link that was sent to it works. */
  async endAccess(tx: Queryable, { id }: Pick<UserRow, 'id'>, at: Date): Promise<void> {
    await this.options.sessions.revokeAll(id, null, 'deprovisioned', at, tx);
    await endResetLinks(tx, id);
    await endSsoCodes(tx, id);
  }

  /** New owners first: one may follow another. */
  async #storeAll(tx: Queryable, decided: readonly Decided[], at: Date, lastOwner: LastOwner): Promise<void> {
    const becomesOwner = ({ grant }: Decided): boolean => grant?.role === 'owner';
    const ordered = [...decided.filter(becomesOwner), ...decided.filter((one) => !becomesOwner(one))];
    for (const { each, grant } of ordered) {
      await this.#store(tx, each.user, each.scim ?? adopted(each.user, at), grant, at, lastOwner);
    }
  }

  /** @param grant null: the member has no role, so it does not enter */
  async #store(
    tx: Queryable,
    user: UserRow,
    said: ScimUserRow,
    grant: Grant | null,
    at: Date,
    lastOwner: LastOwner,
  ): Promise<UserRow> {
    const { users } = this.options;
    const member = grant === null ? user : await this.give(tx, user, grant, lastOwner);
    const row = { ...said, admitted: grant !== null };
    const isOut = !row.active || !row.admitted;
    if (!isOut) {
      // Only what the directory took away comes back: an administrator of the installation may have disabled the user, too.
      if (row.held_since !== null) await users.setDisabled(member.id, null, tx);
      await putScimUser(tx, { ...row, held_since: null });
      return row.held_since === null ? member : { ...member, disabled_at: null };
    }
    if (member.disabled_at !== null) {
      await putScimUser(tx, row);
      return member;
    }
    if (lastOwner === 'refuses') await assertNotLastOwner(this.options.members, tx, member);
    else if (member.role === 'owner' && !(await this.#hasOtherOwner(tx, member))) return member;
    await users.setDisabled(member.id, at, tx);
    await this.endAccess(tx, member, at);
    await putScimUser(tx, { ...row, held_since: at });
    return { ...member, disabled_at: at };
  }

  #hasOtherOwner(tx: Queryable, { organization_id, id }: UserRow): Promise<boolean> {
    return this.options.members.hasOtherOwner(tx, organization_id, id);
  }
}

/**
 * The role of a member by the rules; null if it has none.
 * @param groups null: they are not known, so who has a role keeps it
 */
function decide(rules: RoleRules, { user, scim }: DirectoryUser, groups: readonly string[] | null): Grant | null {
  if (scim?.admitted === false) return grantOf(groups ?? [], rules);
  return groups === null ? user : grantOfMember(user, groups, rules);
}

/** What the rules of roles can name of a group. */
export function namesOf(groups: readonly GroupName[]): string[] {
  return groups.flatMap(({ display_name, external_id }) => [
    display_name,
    ...(external_id === null ? [] : [external_id]),
  ]);
}

/** A member that the directory did not mention before. */
export function adopted(user: UserRow, at: Date): ScimUserRow {
  return {
    user_id: user.id,
    organization_id: user.organization_id,
    user_name: user.email,
    external_id: null,
    document: { displayName: user.name },
    active: user.disabled_at === null,
    admitted: true,
    held_since: null,
    created_at: at,
    updated_at: at,
  };
}

function sameProjects(one: readonly string[] | null, other: readonly string[] | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
