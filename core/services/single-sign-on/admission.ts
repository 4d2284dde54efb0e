import type { Queryable } from '../../data/database.js';
import type { Members } from '../../data/repositories/accounts/members.js';
import type { Profiles } from '../../data/repositories/accounts/profiles.js';
import type { Users } from '../../data/repositories/accounts/users.js';
import { hasGroups } from '../../data/repositories/scim/groups.js';
import { directoryUser, type DirectoryUser } from '../../data/repositories/scim/users.js';
import type { SsoDomains } from '../../data/repositories/single-sign-on/domains.js';
import {
  hasSubject,
  linkSubject,
  userOfSubject,
  type SsoSubject,
} from '../../data/repositories/single-sign-on/identities.js';
import type { SsoSettingsRow, UserRow } from '../../data/rows.js';
import { grantOf } from '../../model/access/group-roles.js';
import { domainOf } from '../../model/accounts/domains.js';
import { readEmail } from '../../model/accounts/email.js';
import { isName } from '../../model/accounts/names.js';
import { newId } from '../../model/ids.js';
import type { OpenIdAssertion } from '../../ports/openid.js';
import type { Membership } from './membership.js';
import { newMember } from './new-member.js';
import { notAdmitted } from './phrases.js';

export interface AdmissionOptions {
  readonly members: Members;
  readonly users: Users;
  readonly domains: SsoDomains;
  readonly membership: Membership;
  readonly profiles: Pick<Profiles, 'cancelEmail'>;
}

/** Decides who a person of the identity provider is here, and makes a member of somebody who is new. */
export class Admission {
  constructor(private readonly options: AdmissionOptions) {}

  /**
   * Runs while the organization is locked.
   * @returns the member, with the role of its groups @throws HatifError SSO_NOT_ADMITTED
   */
  async admit(tx: Queryable, settings: SsoSettingsRow, assertion: OpenIdAssertion, at: Date): Promise<UserRow> {
    const { membership, profiles } = this.options;
    const organizationId = settings.organization_id;
    const person: SsoSubject = { organizationId, issuer: settings.issuer, subject: assertion.subject };
    const groups = await this.#groupsIn(tx, settings, assertion);
    const found = await this.#member(tx, settings, person, assertion, groups, at);
    if (found.user.role === 'owner' && !settings.admits_owners) throw notAdmitted('owner');
    const entered = await membership.enter(tx, found, groups, at);
    if (entered === null) throw notAdmitted('no_role');
    if (entered.disabled_at !== null) throw notAdmitted('disabled');
    await linkSubject(tx, person, entered.id, at);
    // From now on, the provider decides about the address.
    await profiles.cancelEmail(entered.id, tx);
    return entered;
  }

  /** Who the person was before; otherwise the member with the address, otherwise somebody new. */
  async #member(
    tx: Queryable,
    settings: SsoSettingsRow,
    person: SsoSubject,
    { claims }: OpenIdAssertion,
    groups: readonly string[],
    at: Date,
  ): Promise<DirectoryUser> {
    const { members, domains, users } = this.options;
    const known = await userOfSubject(tx, person);
    if (known !== null) return this.#withDirectory(tx, known);
    const email = emailIn(claims);
    if (email === null) throw notAdmitted('no_email');
    const domain = domainOf(email);
    const isOurs = domain !== null && (await domains.isVerified(person.organizationId, domain, tx));
    if (!isOurs) throw notAdmitted('other_domain');
    const user = await members.byEmail(email, tx);
    if (user === null) {
      const grant = grantOf(groups, settings);
      if (grant === null) throw notAdmitted('no_role');
      const row = newUser(settings.organization_id, email, claims, at);
      await users.create(row, tx);
      // The rules say the projects, of which some may be gone.
      return { user: await this.options.membership.give(tx, row, grant, 'keeps'), scim: null, groups: [] };
    }
    if (user.organization_id !== person.organizationId) throw notAdmitted('other_organization');
    if (await hasSubject(tx, user.id, person.issuer)) throw notAdmitted('other_subject');
    // The provider and the owner of the domain vouch for the address.
    if (user.email_confirmed_at === null) await users.confirmEmail(user.id, at, tx);
    return this.#withDirectory(tx, user);
  }

  async #withDirectory(tx: Queryable, user: UserRow): Promise<DirectoryUser> {
    return (await directoryUser(tx, user.organization_id, user.id)) ?? { user, scim: null, groups: [] };
  }

  /** The groups that the provider says; none if the directory provisions them. */
  async #groupsIn(tx: Queryable, settings: SsoSettingsRow, { claims }: OpenIdAssertion): Promise<readonly string[]> {
    if (settings.group_roles.length === 0 || (await hasGroups(tx, settings.organization_id))) return [];
    const elsewhere = claims._claim_names;
    if (typeof elsewhere === 'object' && elsewhere !== null && settings.group_claim in elsewhere) {
      throw notAdmitted('groups_elsewhere');
    }
    return textsIn(claimNamed(claims, settings.group_claim));
  }
}

/** The claims that are needed to admit somebody. */
export function claimsNeeded({ group_claim, group_roles }: SsoSettingsRow): readonly string[] {
  return ['email', ...(group_roles.length === 0 || group_claim.includes('.') ? [] : [group_claim])];
}

/** A claim, or a part of one behind a dot (`realm_access.roles`). */
function claimNamed(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined,
      claims,
    );
}

function textsIn(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each): each is string => typeof each === 'string');
}

/** The address, unless the provider says that nobody confirmed it. */
function emailIn({ email, email_verified }: Readonly<Record<string, unknown>>): string | null {
  if (typeof email !== 'string' || email_verified === false || email_verified === 'false') return null;
  return readEmail(email);
}

/** Without access until it gets a role. */
function newUser(
  organizationId: string,
  email: string,
  { name, given_name, family_name, locale }: Readonly<Record<string, unknown>>,
  at: Date,
): UserRow {
  const whole = [given_name, family_name].filter((part) => typeof part === 'string').join(' ');
  const names = [name, whole, email.slice(0, email.lastIndexOf('@'))];
  const chosen = names.map((each) => (typeof each === 'string' ? each.trim() : '')).find(isName);
  const known = {
    id: newId(),
    organization_id: organizationId,
    email,
    name: chosen ?? email.slice(0, 100),
    locale: typeof locale === 'string' && /^ar(?:[-_]|$)/i.test(locale) ? ('ar' as const) : ('en' as const),
  };
  return newMember(known, at);
}
