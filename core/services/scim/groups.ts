import type { Database, Queryable } from '../../data/database.js';
import { violatedUnique } from '../../data/errors.js';
import type { Members } from '../../data/repositories/accounts/members.js';
import {
  ASKED_OF_GROUPS,
  directoryGroup,
  pageOfGroups,
  putScimGroup,
  removeScimGroup,
  setGroupMembers,
  type DirectoryGroup,
} from '../../data/repositories/scim/groups.js';
import type { ScimGroupRow } from '../../data/rows.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { scimFault } from '../../model/scim/fault.js';
import { parseFilter } from '../../model/scim/filter.js';
import { groupDocument, readGroup, type KeptGroup, type WantedGroup } from '../../model/scim/group.js';
import { patched, type PatchOperation } from '../../model/scim/patch.js';
import { GROUP_SHAPE, type Document } from '../../model/scim/shape.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { Membership } from '../single-sign-on/membership.js';
import type { ScimClient } from './gate.js';
import type { ScimPage, WantedPage } from './page.js';

export interface ScimGroupsOptions {
  readonly db: Database;
  readonly members: Members;
  readonly membership: Membership;
  readonly clock: Clock;
  /** Called after a change, so that this process asks the database again for the sessions of members. */
  readonly onChanged: () => void;
}

const TAKEN: Phrase = {
  en: 'another group has the same displayName',
  ar: 'توجد مجموعة أخرى بقيمة `displayName` نفسها',
};
const UNKNOWN_MEMBER: Phrase = {
  en: 'one of the members is no user of the organization; groups in groups are not supported',
  ar: 'أحد الأعضاء ليس مستخدمًا في المؤسسة، ولا تُقبل مجموعات داخل المجموعات',
};

/** The groups of a directory. Members get the roles that the rules of the organization give to their groups. */
export class ScimGroups {
  constructor(private readonly options: ScimGroupsOptions) {}

  /** @param withMembers otherwise the lists of members are empty @throws HatifError SCIM_REQUEST_INVALID */
  async page(
    { organizationId }: ScimClient,
    { filter, offset, limit }: WantedPage,
    withMembers: boolean,
  ): Promise<ScimPage<KeptGroup>> {
    const conditions = filter === null ? [] : parseFilter(filter, ASKED_OF_GROUPS);
    const range = { offset, limit, withMembers };
    const { groups, total } = await pageOfGroups(this.options.db, organizationId, conditions, range);
    return { items: groups.map(kept), total };
  }

  /** @throws HatifError NOT_FOUND */
  async get({ organizationId }: ScimClient, id: string): Promise<KeptGroup> {
    return kept(found(await directoryGroup(this.options.db, organizationId, id), id));
  }

  /** @throws HatifError SCIM_REQUEST_INVALID, SCIM_CONFLICT, LAST_OWNER */
  async create(client: ScimClient, sent: Document): Promise<KeptGroup> {
    const wanted = readGroup(sent);
    const id = newId();
    await this.#change(client, (tx) => this.#store(tx, client, null, id, wanted));
    return this.get(client, id);
  }

  /** @throws HatifError NOT_FOUND, SCIM_REQUEST_INVALID, SCIM_CONFLICT, LAST_OWNER */
  async replace(client: ScimClient, id: string, sent: Document): Promise<KeptGroup> {
    const wanted = readGroup(sent);
    await this.#update(client, id, () => wanted);
    return this.get(client, id);
  }

  /** All operations, or none. @throws HatifError NOT_FOUND, SCIM_REQUEST_INVALID, SCIM_CONFLICT, LAST_OWNER */
  patch(client: ScimClient, id: string, operations: readonly PatchOperation[]): Promise<void> {
    return this.#update(client, id, (before) => readGroup(patched(groupDocument(before), operations, GROUP_SHAPE)));
  }

  /** Its members lose the roles that only this group gave. @throws HatifError NOT_FOUND, LAST_OWNER */
  async remove(client: ScimClient, id: string): Promise<void> {
    const { membership, clock } = this.options;
    const { organizationId } = client;
    await this.#change(client, async (tx) => {
      const { members } = found(await directoryGroup(tx, organizationId, id), id);
      await removeScimGroup(tx, id);
      await membership.applyGroups(
        tx,
        organizationId,
        members.map((member) => member.id),
        clock.now(),
      );
    });
  }

  #update(client: ScimClient, id: string, want: (before: KeptGroup) => WantedGroup): Promise<void> {
    return this.#change(client, async (tx) => {
      const before = found(await directoryGroup(tx, client.organizationId, id), id);
      await this.#store(tx, client, before, before.id, want(kept(before)));
    });
  }

  /** Writes the group, and gives everybody the roles who is or was in it. */
  async #store(
    tx: Queryable,
    { organizationId }: ScimClient,
    before: DirectoryGroup | null,
    id: string,
    { displayName, externalId, members: wanted }: WantedGroup,
  ): Promise<void> {
    const { membership, clock } = this.options;
    const now = clock.now();
    const row: ScimGroupRow = {
      id,
      organization_id: organizationId,
      display_name: displayName,
      external_id: externalId,
      created_at: before?.created_at ?? now,
      updated_at: now,
    };
    await putScimGroup(tx, row);
    if (!(await setGroupMembers(tx, row, wanted))) throw scimFault('invalidValue', UNKNOWN_MEMBER);
    const isRenamed = before?.display_name !== displayName || before.external_id !== externalId;
    const earlier = before?.members.map((member) => member.id) ?? [];
    await membership.applyGroups(tx, organizationId, affected(earlier, wanted, isRenamed), now);
  }

  async #change({ organizationId }: ScimClient, work: (tx: Queryable) => Promise<void>): Promise<void> {
    try {
      await this.options.members.exclusively(organizationId, work);
    } catch (error) {
      if (violatedUnique(error) !== 'scim_groups_name') throw error;
      throw new HatifError('SCIM_CONFLICT', { problem: TAKEN }, { cause: error });
    }
    this.options.onChanged();
  }
}

/** Those whose roles may change: who came and who went, and everybody if the rules may mean the group now or no more. */
function affected(before: readonly string[], after: readonly string[], isRenamed: boolean): readonly string[] {
  const [were, are] = [new Set(before), new Set(after)];
  if (isRenamed) return [...new Set([...before, ...after])];
  return [...before.filter((id) => !are.has(id)), ...after.filter((id) => !were.has(id))];
}

function found(group: DirectoryGroup | null, id: string): DirectoryGroup {
  if (group !== null) return group;
  throw new HatifError('NOT_FOUND', { what: { en: `the group ${id}`, ar: arabic`المجموعة ${id}` } });
}

function kept({ id, display_name, external_id, members, created_at, updated_at }: DirectoryGroup): KeptGroup {
  return {
    ...{ id, displayName: display_name, externalId: external_id, members },
    createdAt: created_at,
    updatedAt: updated_at,
  };
}
