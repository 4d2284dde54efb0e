import type { Role } from './roles.js';

/** What members of a group of the identity provider get. */
export interface GroupRole {
  /** As the claim has it, or the name or external id of a provisioned group. */
  readonly group: string;
  readonly role: Role;
  /** Null: all of the organization. */
  readonly project_ids: readonly string[] | null;
}

/** How an organization gives roles to the people of its identity provider. */
export interface RoleRules {
  /** The first that fits counts. */
  readonly group_roles: readonly GroupRole[];
  /** Of people without a fitting group; null: they do not enter. */
  readonly default_role: Role | null;
  readonly default_project_ids: readonly string[] | null;
  /** Whether the identity provider may name owners. */
  readonly admits_owners: boolean;
}

/** A role for projects. */
export interface Grant {
  readonly role: Role;
  readonly project_ids: readonly string[] | null;
}

/** The rules of an organization that set none: nobody gets a role by them. */
export const NO_RULES: RoleRules = {
  group_roles: [],
  default_role: null,
  default_project_ids: null,
  admits_owners: false,
};

/** What these groups give to somebody who is no member yet; null: nothing. */
export function grantOf(groups: Iterable<string>, rules: RoleRules): Grant | null {
  const held = new Set(groups);
  const entry = entriesOf(rules).find(({ group }) => held.has(group));
  if (entry !== undefined) return { role: entry.role, project_ids: entry.project_ids };
  if (rules.default_role === null) return null;
  return { role: rules.default_role, project_ids: rules.default_project_ids };
}

/**
 * What these groups give to a member. Without entries, members keep what they have. Who is an owner stays one, unless an
 * entry gives the role of owners to a group.
 * @returns null: nothing, so the member does not enter
 */
export function grantOfMember(member: Grant, groups: Iterable<string>, rules: RoleRules): Grant | null {
  const entries = entriesOf(rules);
  if (entries.length === 0) return member;
  if (member.role === 'owner' && !entries.some(({ role }) => role === 'owner')) return member;
  return grantOf(groups, rules);
}

function entriesOf({ group_roles, admits_owners }: RoleRules): readonly GroupRole[] {
  return admits_owners ? group_roles : group_roles.filter(({ role }) => role !== 'owner');
}
