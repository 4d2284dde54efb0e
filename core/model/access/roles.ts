import { SCOPES, UNMASKING_SCOPE, type Scope } from './scopes.js';

/** The roles of an organization's users. */
export const ROLES = ['owner', 'admin', 'developer', 'supervisor', 'agent', 'finance', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** What users may do beside the scopes, which they share with API keys. */
export const ACCOUNT_PERMISSIONS = [
  'members:write',
  'keys:read',
  'keys:write',
  'keys:reveal',
  'projects:write',
  'billing:write',
  'production:write',
  'sso:write',
  'audit:read',
] as const;
export type AccountPermission = (typeof ACCOUNT_PERMISSIONS)[number];
export type Permission = Scope | AccountPermission;

const EVERYTHING: readonly Permission[] = [...SCOPES, ...ACCOUNT_PERMISSIONS];

function scopesOf(...resources: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => resources.includes(scope.split(':', 1)[0] ?? ''));
}

const SUPERVISED = scopesOf('calls', 'queues', 'voicemail', 'contacts', 'messages');

const PERMISSIONS: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: new Set(EVERYTHING),
  admin: new Set(EVERYTHING),
  developer: new Set<Permission>([
    ...SCOPES.filter((scope) => !scope.startsWith('billing:')),
    'keys:read',
    'keys:write',
  ]),
  supervisor: new Set<Permission>([...SUPERVISED, 'usage:read']),
  agent: new Set<Permission>([
    'calls:read',
    'calls:write',
    'voicemail:read',
    'voicemail:write',
    'queues:read',
    'messages:read',
    'messages:write',
    'web_calling:write',
  ]),
  finance: new Set<Permission>([...scopesOf('billing'), 'usage:read', 'audit:read']),
  viewer: new Set<Permission>(
    SCOPES.filter(
      (scope) => scope.endsWith(':read') && scope !== UNMASKING_SCOPE && !/^(?:voicemail|billing):/.test(scope),
    ),
  ),
};

/** What a role may do. */
export function permissionsOf(role: Role): ReadonlySet<Permission> {
  return PERMISSIONS[role];
}

/** The roles that may do this, most powerful first. */
export function rolesWith(permission: Permission): readonly Role[] {
  return ROLES.filter((role) => PERMISSIONS[role].has(permission));
}
