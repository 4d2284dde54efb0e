import { ROLES, type Role } from '../../core/model/access/roles.js';
import { MODE_HEADER, PROJECT_HEADER } from '../../api/http/admit-user.js';
import type { Operation } from '../fuzz/operations.js';
import type { RequestOptions } from '../support/api.js';
import type { Asked } from './sample.js';
import type { Tenant } from './tenant.js';
import type { Try } from './try.js';

/** The session of a member of the tenant's organization, on a project of it. */
export function asMember(tenant: Tenant, role: Role, asked: Asked, project = tenant): RequestOptions {
  return {
    key: tenant.members[role].token,
    headers: { [PROJECT_HEADER]: project.ground.projectId, [MODE_HEADER]: asked.by ?? 'live' },
  };
}

/** What the tries need to know of the operation. */
interface Against {
  readonly operation: Operation;
  readonly asked: Asked;
  /** Whether the owner's resource is hidden; null if the request names none. */
  readonly isHidden: Try['isRefused'] | null;
}

/** Shows an organization the paths of its own requests, also of those that were refused because an ID is another's. */
const LISTS_OWN_REQUESTS = 'listAudit';

/** Shows agents the names and extensions of their colleagues. */
const SHOWS_COLLEAGUES = 'searchColleagues';

/** What a member gets whose role is not sufficient, if it is not `INSUFFICIENT_ROLE`. */
const ROLE_CODES: Readonly<Record<string, string>> = { revealKey: 'API_KEY_REVEAL_FORBIDDEN' };

/** A member with each role that must not call the operation. */
export function refusedTries(operation: Operation, asked: Asked, owner: Tenant): Try[] {
  const expected = ROLE_CODES[operation.operationId] ?? 'INSUFFICIENT_ROLE';
  if (operation.roles.length === 0) return [];
  return ROLES.filter((role) => !operation.roles.includes(role)).map((role) => ({
    who: `a member with the role ${role}`,
    asked,
    options: asMember(owner, role, asked),
    of: owner,
    isRefused: (status, code) => status === 403 && code === expected,
  }));
}

/**
 * Tries of members: of the owner's organization with one of the roles that must not, and of another organization. The
 * long test tries every role.
 */
export function memberTries(against: Against, owner: Tenant, stranger: Tenant): Try[] {
  const { operation, asked, isHidden } = against;
  if (operation.roles.length === 0) return [];
  const refused = refusedTries(operation, asked, owner);
  const one = refused.filter((_, index) => index === operation.operationId.length % refused.length);
  const halves = [...foreign(against, owner, stranger), ...otherAgent(against, owner), ...keyOnly(against, owner)];
  return [...one, ...halves.map((each) => ({ ...each, isRefused: each.isRefused ?? isHidden ?? (() => true) }))];
}

type Half = Omit<Try, 'isRefused'> & { readonly isRefused?: Try['isRefused'] };

function foreign({ operation, asked, isHidden }: Against, owner: Tenant, stranger: Tenant): Half[] {
  const ofOthers =
    isHidden === null
      ? []
      : [
          {
            who: `an owner of ${stranger.name}`,
            asked,
            options: asMember(stranger, 'owner', asked),
            of: owner,
            ...(operation.operationId === LISTS_OWN_REQUESTS && { except: owner.secrets }),
          },
        ];
  if (operation.keyKind === 'user') return ofOthers;
  const onProject = {
    who: `an owner of ${stranger.name} on a project of ${owner.name}`,
    asked,
    options: asMember(stranger, 'owner', asked, owner),
    of: owner,
    // The answer repeats it.
    except: new Set([owner.ground.projectId]),
    isRefused: (status: number, code: string) => status === 404 && code === 'PROJECT_NOT_FOUND',
  };
  return [...ofOthers, onProject];
}

/** Another agent of the same project sees nothing of the resource. */
function otherAgent({ operation, asked, isHidden }: Against, owner: Tenant): Half[] {
  if (operation.keyKind === 'user' || !operation.roles.includes('agent') || isHidden === null) return [];
  if (operation.operationId === SHOWS_COLLEAGUES) return [];
  return [{ who: 'another agent of the project', asked, options: asMember(owner, 'agent', asked), of: owner }];
}

function keyOnly({ operation, asked }: Against, owner: Tenant): Half[] {
  if (operation.keyKind !== 'user') return [];
  const isRefused = (status: number, code: string): boolean => status === 403 && code === 'SESSION_REQUIRED';
  return [{ who: 'a key', asked, options: { key: owner.keys.live }, of: owner, isRefused }];
}
