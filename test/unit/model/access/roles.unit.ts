import { expect } from 'chai';
import {
  ACCOUNT_PERMISSIONS,
  isRole,
  mayGrant,
  PERMISSIONS,
  permissionsOf,
  ROLES,
  rolesWith,
  seesOwnRowsOnly,
  type Permission,
  type Role,
} from '../../../../core/model/access/roles.js';
import { SCOPES } from '../../../../core/model/access/scopes.js';

const sorted = (permissions: Iterable<Permission>) => [...permissions].sort();

describe('Roles', () => {
  it('lets an owner do everything, and an admin everything but what could make owners', () => {
    expect(sorted(permissionsOf('owner'))).to.deep.equal(sorted(new Set([...SCOPES, ...ACCOUNT_PERMISSIONS])));
    expect(PERMISSIONS.filter((permission) => !permissionsOf('admin').has(permission))).to.deep.equal(['scim:write']);
  });

  it('keeps money, members and the secrets of keys from a developer', () => {
    const refused = PERMISSIONS.filter((permission) => !permissionsOf('developer').has(permission));
    expect(refused).to.have.members([
      'billing:read',
      'billing:write',
      'members:write',
      'keys:reveal',
      'projects:write',
      'production:write',
      'sso:write',
      'scim:write',
      'audit:read',
      'privacy:write',
    ]);
  });

  it('lets a supervisor work with calls, queues, voicemail, contacts and messages, and read usage', () => {
    expect(sorted(permissionsOf('supervisor'))).to.deep.equal(
      sorted([
        ...(['calls', 'queues', 'voicemail', 'contacts', 'messages'] as const).flatMap(
          (subject) => [`${subject}:read`, `${subject}:write`] as const,
        ),
        'recordings:read',
        'usage:read',
      ]),
    );
  });

  it('limits an agent, and nobody else, to own rows', () => {
    expect(ROLES.filter(seesOwnRowsOnly)).to.deep.equal(['agent']);
    for (const refused of ['contacts:read', 'usage:read', 'numbers:read', 'pii:read', 'keys:read'] as const) {
      expect(permissionsOf('agent').has(refused), refused).to.equal(false);
    }
  });

  it('lets finance read usage and the audit log, and work with money', () => {
    expect(sorted(permissionsOf('finance'))).to.deep.equal(
      sorted(['audit:read', 'billing:read', 'billing:write', 'usage:read']),
    );
  });

  it('lets a viewer read, but no voicemail, recordings, money or full numbers, and change nothing', () => {
    const held = permissionsOf('viewer');
    expect([...held].filter((permission) => !permission.endsWith(':read'))).to.deep.equal([]);
    const refused = PERMISSIONS.filter((permission) => permission.endsWith(':read') && !held.has(permission));
    expect(refused).to.have.members(['voicemail:read', 'recordings:read', 'billing:read', 'pii:read']);
  });

  it('lets only an owner make owners', () => {
    expect(ROLES.filter((role) => mayGrant(role, 'owner'))).to.deep.equal(['owner']);
    expect(ROLES.every((role) => mayGrant('owner', role))).to.equal(true);
    expect(ROLES.filter((role) => !mayGrant('admin', role))).to.deep.equal(['owner']);
  });

  it('lets nobody give a role that may do more than the own one', () => {
    for (const own of ROLES) {
      for (const other of ROLES) {
        if (!mayGrant(own, other)) continue;
        const more = [...permissionsOf(other)].filter((permission) => !permissionsOf(own).has(permission));
        expect(more, `${own} gives ${other}`).to.deep.equal([]);
      }
    }
    expect(mayGrant('developer', 'finance')).to.equal(false);
    expect(mayGrant('developer', 'supervisor')).to.equal(true);
  });

  it('says which roles may do something', () => {
    expect(rolesWith('keys:reveal')).to.deep.equal(['owner', 'admin']);
    expect(rolesWith('billing:read')).to.deep.equal(['owner', 'admin', 'finance']);
  });

  it('knows the names of roles', () => {
    expect(ROLES.every((role: Role) => isRole(role))).to.equal(true);
    expect(isRole('root')).to.equal(false);
    expect(isRole('constructor')).to.equal(false);
  });
});
