import type { MemberProjects, ProjectHold } from '../../data/repositories/accounts/member-projects.js';
import type { ProjectRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import { checkedOrigins } from '../access/allowed-origins.js';
import { assertOfAllProjects, type ActingMember } from './acting-member.js';
import { newProjectRow } from './new-account.js';

export interface ProjectServiceOptions {
  readonly projects: MemberProjects;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Notifies the processes that own engines that softphones are gone. */
  readonly announce: () => Promise<void>;
  /** Called after a change, so that this process asks the database again for projects, keys and sessions. */
  readonly onChanged: () => void;
}

export interface ProjectChanges {
  readonly name?: string | undefined;
  readonly allowed_origins?: readonly string[] | undefined;
}

const HOLDS: Readonly<Record<ProjectHold, Phrase>> = {
  numbers: { en: 'it has numbers', ar: 'له أرقام' },
  orders: { en: 'numbers are on their way to it', ar: 'له أرقام في طريقها إليه' },
  calls: { en: 'calls are live', ar: 'فيه مكالمات جارية' },
  money: { en: 'its balance is not zero', ar: 'رصيده ليس صفرًا' },
};

/** The projects of an organization. */
export class ProjectService {
  constructor(private readonly options: ProjectServiceOptions) {}

  /** Those that the member has. */
  page(member: ActingMember, afterId: string | null, limit: number): Promise<ProjectRow[]> {
    return this.options.projects.page(member, afterId, limit);
  }

  /** @throws HatifError PROJECT_NOT_FOUND */
  async get(member: ActingMember, id: string): Promise<ProjectRow> {
    return known(await this.options.projects.get(member, id), id);
  }

  /** @throws HatifError INSUFFICIENT_ROLE for a member of named projects */
  async add(member: ActingMember, name: string): Promise<ProjectRow> {
    assertOfAllProjects(member);
    const { projects, cipher, clock, onChanged } = this.options;
    const row = newProjectRow(member.organizationId, name, cipher, clock.now());
    await projects.add(row);
    onChanged();
    return row;
  }

  /** Absent members stay unchanged. @throws HatifError PROJECT_NOT_FOUND, VALIDATION_ERROR */
  async change(member: ActingMember, id: string, wanted: ProjectChanges): Promise<ProjectRow> {
    const project = await this.get(member, id);
    const { projects, onChanged } = this.options;
    const { name, allowed_origins: origins } = wanted;
    const change = {
      ...(name !== undefined && { name }),
      ...(origins !== undefined && { allowed_origins: checkedOrigins(origins) }),
    };
    if (Object.keys(change).length > 0) await projects.change(project.id, change);
    onChanged();
    return { ...project, ...change };
  }

  /**
   * Removes a project with its keys, agents, queues, widgets and webhook endpoints; what was recorded of its calls and
   * money stays.
   * @throws HatifError PROJECT_NOT_FOUND, PROJECT_IN_USE
   */
  async remove(member: ActingMember, id: string): Promise<void> {
    const { projects, clock, announce, onChanged } = this.options;
    await projects.exclusively(member.organizationId, async (tx) => {
      const project = known(await projects.get(member, id, tx, true), id);
      const hold = await projects.holdOf(tx, project.id);
      if (hold !== null) throw new HatifError('PROJECT_IN_USE', { reason: HOLDS[hold] });
      await projects.remove(tx, project, clock.now());
    });
    onChanged();
    await announce();
  }
}

function known(project: ProjectRow | null, id: string): ProjectRow {
  if (project === null) throw new HatifError('PROJECT_NOT_FOUND', { project_id: id });
  return project;
}
