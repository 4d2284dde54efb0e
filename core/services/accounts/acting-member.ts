import { HatifError, type Phrase } from '../../model/errors/index.js';
import { rolesWith, type Permission, type Role } from '../../model/access/roles.js';

/** The signed-in member of a request, as far as the use cases of the organization need it. */
export interface ActingMember {
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
  readonly role: Role;
  /** Null: all of the organization. */
  readonly projectIds: readonly string[] | null;
}

const OF_EVERYTHING: Phrase = {
  en: 'of an owner or admin of all projects',
  ar: '«مالك» أو «مدير» على جميع المشاريع',
};

/** Roles of which one is needed, as an error names them. */
export function oneOf(roles: readonly Role[]): Phrase {
  return { en: roles.join(' or '), ar: roles.map((role) => `\`${role}\``).join(' أو ') };
}

/** The member's role lacks the permission. */
export function lacks(permission: Permission): HatifError<'INSUFFICIENT_ROLE'> {
  return new HatifError('INSUFFICIENT_ROLE', { role: oneOf(rolesWith(permission)) });
}

/** What concerns the whole organization is not for members of named projects. @throws HatifError INSUFFICIENT_ROLE */
export function assertOfAllProjects({ projectIds }: Pick<ActingMember, 'projectIds'>): void {
  if (projectIds !== null) throw new HatifError('INSUFFICIENT_ROLE', { role: OF_EVERYTHING });
}

/** Whether everything that `projectIds` reaches is in the member's own reach. */
export function reaches(member: Pick<ActingMember, 'projectIds'>, projectIds: readonly string[] | null): boolean {
  const own = member.projectIds;
  return own === null || projectIds?.every((id) => own.includes(id)) === true;
}
