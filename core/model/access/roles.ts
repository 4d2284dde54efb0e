import { SCOPES, UNMASKING_SCOPE, type Scope } from './scopes.js';

/** What a signed-in member is in the organization, from the role that may do most. */
export const ROLES = ['owner', 'admin', 'developer', 'supervisor', 'agent', 'finance', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/**
 * What only people may do, beside the scopes that they share with API keys. `recordings:read` parts recordings and
 * transcripts from calls: a key hears them with `calls:read`. `scim:write` makes the token with which a directory adds and
 * removes members, owners included.
 */
export const ACCOUNT_PERMISSIONS = [
  'members:write',
  'keys:read',
  'keys:write',
  'keys:reveal',
  'projects:write',
  'billing:write',
  'production:write',
  'sso:write',
  'scim:write',
  'audit:read',
  'recordings:read',
  'privacy:write',
] as const;
export type AccountPermission = (typeof ACCOUNT_PERMISSIONS)[number];

export type Permission = Scope | AccountPermission;

/** Every permission once, in the order of the tables that print them. */
export const PERMISSIONS: readonly Permission[] = [...new Set<Permission>([...SCOPES, ...ACCOUNT_PERMISSIONS])];

const isBilling = (permission: Permission) => permission.startsWith('billing:');

const READING_FOR_VIEWERS = PERMISSIONS.filter(
  (permission) =>
    permission.endsWith(':read') &&
    permission !== UNMASKING_SCOPE &&
    permission !== 'recordings:read' &&
    permission !== 'voicemail:read' &&
    !isBilling(permission),
);

/** What everybody needs who answers customers. */
const ANSWERING_CUSTOMERS = [
  'calls:read',
  'calls:write',
  'queues:read',
  'queues:write',
  'voicemail:read',
  'voicemail:write',
  'messages:read',
  'messages:write',
] as const;

const PERMISSIONS_OF: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: new Set(PERMISSIONS),
  admin: new Set(PERMISSIONS.filter((permission) => permission !== 'scim:write')),
  developer: new Set([...SCOPES.filter((scope) => !isBilling(scope)), 'keys:read', 'keys:write', 'recordings:read']),
  supervisor: new Set([...ANSWERING_CUSTOMERS, 'contacts:read', 'contacts:write', 'usage:read', 'recordings:read']),
  agent: new Set([...ANSWERING_CUSTOMERS, 'web_calling:write', 'recordings:read']),
  finance: new Set(['usage:read', 'billing:read', 'billing:write', 'audit:read']),
  viewer: new Set(READING_FOR_VIEWERS),
};

const roles: ReadonlySet<string> = new Set(ROLES);

export function isRole(text: string): text is Role {
  return roles.has(text);
}

/** What the role may do. The permissions of `agent` reach the agent's own rows only: {@link seesOwnRowsOnly}. */
export function permissionsOf(role: Role): ReadonlySet<Permission> {
  return PERMISSIONS_OF[role];
}

/** The roles that may do this, the one that may do most first. */
export function rolesWith(permission: Permission): readonly Role[] {
  return ROLES.filter((role) => permissionsOf(role).has(permission));
}

/** Whether a member with the role sees and controls only what concerns the member's own agent. */
export function seesOwnRowsOnly(role: Role): boolean {
  return role === 'agent';
}

/**
 * Whether a member with the role `own` may give a role to others, and take it from them: its permissions must be a
 * subset, and only an owner makes owners. Whether the member may manage members at all is `members:write`.
 */
export function mayGrant(own: Role, other: Role): boolean {
  if (other === 'owner') return own === 'owner';
  const held = permissionsOf(own);
  return [...permissionsOf(other)].every((permission) => held.has(permission));
}
