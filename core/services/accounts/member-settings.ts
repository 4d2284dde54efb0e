import type { Queryable } from '../../data/database.js';
import type { Members, MemberSettings } from '../../data/repositories/accounts/members.js';
import { permissionsOf, seesOwnRowsOnly, type Role } from '../../model/access/roles.js';
import { invalidField } from '../../model/errors/index.js';
import { lacks, reaches, type ActingMember } from './acting-member.js';

const PHRASES = {
  owner: {
    en: 'must be null for an owner, who has every project',
    ar: 'يجب أن يكون `null` للمالك، فله جميع المشاريع',
  },
  project: { en: 'is not a project that you have in this organization', ar: 'ليس مشروعًا لك في هذه المؤسسة' },
  all: { en: 'must name projects: you do not have all of them', ar: 'يجب أن يحدد المشاريع، فليست جميعها متاحة لك' },
  agent: { en: 'is not the extension of an agent of these projects', ar: 'ليس تحويلة موظف في هذه المشاريع' },
  agentNeeded: { en: 'is needed for the role agent', ar: 'مطلوب للدور `agent`' },
};

/**
 * Checks what an invited person or a member is to have.
 * @throws HatifError VALIDATION_ERROR
 */
export async function checkSettings(
  members: Members,
  actor: Pick<ActingMember, 'organizationId' | 'projectIds'>,
  { role, project_ids, agent }: MemberSettings,
  on?: Queryable,
): Promise<void> {
  const { organizationId } = actor;
  if (role === 'owner' && project_ids !== null) throw invalidField('project_ids', PHRASES.owner);
  if (project_ids === null && actor.projectIds !== null) throw invalidField('project_ids', PHRASES.all);
  if (project_ids !== null) {
    const known = await members.knownProjects(organizationId, project_ids, on);
    const unknown = project_ids.findIndex((id) => !known.has(id) || !reaches(actor, [id]));
    if (unknown >= 0) throw invalidField(`project_ids[${unknown}]`, PHRASES.project);
  }
  if (agent === null) {
    if (seesOwnRowsOnly(role)) throw invalidField('agent', PHRASES.agentNeeded);
    return;
  }
  if (!(await members.hasAgent(organizationId, project_ids, agent, on))) throw invalidField('agent', PHRASES.agent);
}

/** The actor's role now, which it may have lost since the request began. @throws HatifError INSUFFICIENT_ROLE */
export async function roleToManage(members: Members, { id }: Pick<ActingMember, 'id'>, tx: Queryable): Promise<Role> {
  const own = await members.roleOf(id, tx);
  if (own === null || !permissionsOf(own).has('members:write')) throw lacks('members:write');
  return own;
}
