import { ACCOUNT_PERMISSIONS, PERMISSIONS, permissionsOf, ROLES } from '../../core/model/access/roles.js';
import { SCOPES } from '../../core/model/access/scopes.js';

/** The tables of `docs/reference/accounts/roles.md`, from the table in the code. */
export function rolesTables(): string {
  const own = ACCOUNT_PERMISSIONS.filter((permission) => !(SCOPES as readonly string[]).includes(permission));
  const scopes = PERMISSIONS.filter((permission) => !(own as readonly string[]).includes(permission));
  return ['### Scopes, as keys have them', tableOf(scopes), '### What only people have', tableOf(own)].join('\n\n');
}

function tableOf(permissions: readonly (typeof PERMISSIONS)[number][]): string {
  const rows = permissions.map((permission) => [
    `\`${permission}\``,
    ...ROLES.map((role) => (permissionsOf(role).has(permission) ? (role === 'agent' ? 'own' : 'yes') : '')),
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(['Permission', ...ROLES]), line(['---', ...ROLES.map(() => '---')]), ...rows.map(line)].join('\n');
}
