import type { Queryable } from '../../data/database.js';
import type { Members, MemberSettings } from '../../data/repositories/accounts/members.js';
import type { UserRow } from '../../data/rows.js';
import { mayGrant, type Role } from '../../model/access/roles.js';
import { HatifError } from '../../model/errors/index.js';
import { assertOfAllProjects, reaches, type ActingMember } from './acting-member.js';
import { assertNotLastOwner } from './last-owner.js';
import { checkSettings, roleToManage } from './member-settings.js';

/** An omitted or undefined member is left unchanged. */
export type MemberChange = { readonly [K in keyof MemberSettings]?: MemberSettings[K] | undefined };

export interface MemberServiceOptions {
  readonly members: Members;
  /** Called after a change, so that this process asks the database again for the sessions of members. */
  readonly onChanged: () => void;
}

/** Lists, changes and removes the members of an organization. */
export class MemberService {
  constructor(private readonly options: MemberServiceOptions) {}

  page({ organizationId }: ActingMember, afterId: string | null, limit: number): Promise<UserRow[]> {
    return this.options.members.page(organizationId, afterId, limit);
  }

  /** @throws HatifError NOT_FOUND */
  async get({ organizationId }: ActingMember, id: string): Promise<UserRow> {
    return found(await this.options.members.get(organizationId, id), id);
  }

  /**
   * The member's sessions get the new permissions at once in this process, and within 2 s in others.
   * @throws HatifError NOT_FOUND, INSUFFICIENT_ROLE, VALIDATION_ERROR, LAST_OWNER
   */
  async change(actor: ActingMember, id: string, { role, project_ids, agent }: MemberChange): Promise<UserRow> {
    const { members, onChanged } = this.options;
    const changed = await members.exclusively(actor.organizationId, async (tx) => {
      const before = await this.#managed(tx, actor, id);
      const after: MemberSettings = {
        role: role ?? before.role,
        project_ids: project_ids === undefined ? before.project_ids : project_ids,
        agent: agent === undefined ? before.agent : agent,
      };
      await this.#assertMayGive(tx, actor, after.role);
      await checkSettings(members, actor, after, tx);
      if (after.role !== 'owner') await assertNotLastOwner(members, tx, before);
      await members.set(tx, id, after);
      return { ...before, ...after };
    });
    onChanged();
    return changed;
  }

  /** Removes a member, whose sessions end. @throws HatifError NOT_FOUND, INSUFFICIENT_ROLE, LAST_OWNER */
  async remove(actor: ActingMember, id: string): Promise<void> {
    const { members, onChanged } = this.options;
    await members.exclusively(actor.organizationId, async (tx) => {
      const member = await this.#managed(tx, actor, id);
      await assertNotLastOwner(members, tx, member);
      await members.remove(tx, id);
    });
    onChanged();
  }

  /** The member, if the actor may manage it. */
  async #managed(tx: Queryable, actor: ActingMember, id: string): Promise<UserRow> {
    const member = found(await this.options.members.get(actor.organizationId, id, tx), id);
    await this.#assertMayGive(tx, actor, member.role);
    if (!reaches(actor, member.project_ids)) assertOfAllProjects(actor);
    return member;
  }

  async #assertMayGive(tx: Queryable, actor: ActingMember, role: Role): Promise<void> {
    const own = await roleToManage(this.options.members, actor, tx);
    if (!mayGrant(own, role)) throw new HatifError('INSUFFICIENT_ROLE', { role: 'owner' });
  }
}

function found(member: UserRow | null, id: string): UserRow {
  if (member !== null) return member;
  throw new HatifError('NOT_FOUND', { what: { en: `the member ${id}`, ar: `العضو ${id}` } });
}
