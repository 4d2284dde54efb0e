import { violatedUnique } from '../../data/errors.js';
import { GroupFull, type ContactGroups, type GroupChanges } from '../../data/repositories/contacts/contact-groups.js';
import type { ContactScope } from '../../data/repositories/contacts/contacts.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { ContactGroupRow, GroupMemberRow } from '../../data/rows.js';
import { MAX_GROUP_MEMBERS, MAX_GROUPS } from '../../model/contacts/contact.js';
import { groupsOf, type SegmentRules } from '../../model/contacts/segment.js';
import { HatifError, invalidField, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { unknownContact, type ContactOwner } from './contacts.js';

export interface ContactGroupServiceOptions {
  readonly groups: ContactGroups;
  readonly clock: Clock;
}

/** A group as lists show it. */
export type CountedGroup = ContactGroupRow & {
  /** Null: they follow from rules, and are found when they are read. */
  readonly members_count: number | null;
};

/** Members that are read at a time for a whole group. */
const PAGE = 1_000;
const LIMITS = {
  groups: { en: 'contact groups of this project', ar: 'مجموعات جهات الاتصال في هذا المشروع' },
  members: { en: 'members of this group', ar: 'الأعضاء في هذه المجموعة' },
};
/** A group to which nobody is added. */
export const HAS_RULES: Phrase = {
  en: 'has rules, from which its members follow',
  ar: 'مجموعة ديناميكية يتحدد أعضاؤها بالقواعد',
};
const NO_RULES: Phrase = {
  en: 'cannot be set: the members of this group are chosen',
  ar: 'لا يمكن تحديدها، فأعضاء هذه المجموعة يُختارون يدويًّا',
};
const OTHER_GROUP: Phrase = {
  en: 'must name groups of this project whose members are chosen',
  ar: 'يجب أن تشير إلى مجموعات في هذا المشروع يُختار أعضاؤها يدويًّا',
};
const UNKNOWN: Phrase = { en: 'is not a contact of this project', ar: 'ليس جهة اتصال في هذا المشروع' };

/** Groups of contacts: the organization chooses the members, or rules do. */
export class ContactGroupService {
  constructor(private readonly options: ContactGroupServiceOptions) {}

  /** @throws HatifError VALIDATION_ERROR if the name is taken or rules name an unknown group, CONTACT_LIMIT_EXCEEDED */
  async create(owner: ContactOwner, name: string, rules: SegmentRules | null = null): Promise<CountedGroup> {
    if (rules !== null) await this.#assertGroups(owner, rules);
    const now = this.options.clock.now();
    const row: ContactGroupRow = {
      ...{ id: newId(), organization_id: owner.organizationId, project_id: owner.projectId },
      ...{ sandbox: owner.sandbox, name, rules, created_at: now, updated_at: now },
    };
    if (!(await uniqueName(name, () => this.options.groups.add(row, MAX_GROUPS)))) {
      throw new HatifError('CONTACT_LIMIT_EXCEEDED', { what: LIMITS.groups, max: MAX_GROUPS });
    }
    return { ...row, members_count: rules === null ? 0 : null };
  }

  /** Newest first, only those before `beforeId`. */
  async page(scope: ContactScope, beforeId: string | null, limit: number): Promise<CountedGroup[]> {
    const rows = await this.options.groups.page(scope, beforeId, limit);
    return this.#counted(rows);
  }

  /** @throws HatifError NOT_FOUND */
  async get(scope: ContactScope, id: string): Promise<ContactGroupRow> {
    const row = await this.options.groups.get(scope, id);
    if (!row) throw unknownGroup(id);
    return row;
  }

  /** @throws HatifError NOT_FOUND; VALIDATION_ERROR as {@link create}, and for rules of a group whose members are chosen */
  async change(kind: ProjectKind, id: string, changes: GroupChanges): Promise<CountedGroup> {
    const { groups, clock } = this.options;
    if (changes.rules !== undefined) {
      const before = await groups.get({ projectId: kind.projectId, sandboxOnly: kind.sandbox }, id);
      if (before?.sandbox === kind.sandbox && before.rules === null) throw invalidField('rules', NO_RULES);
      await this.#assertGroups(kind, changes.rules);
    }
    const row = await uniqueName(changes.name ?? '', () => groups.change(kind, id, changes, clock.now()));
    if (!row) throw unknownGroup(id);
    const [counted] = await this.#counted([row]);
    return counted ?? { ...row, members_count: null };
  }

  /** Its members stay contacts. @throws HatifError NOT_FOUND */
  async remove(kind: ProjectKind, id: string): Promise<void> {
    if (!(await this.options.groups.remove(kind, id))) throw unknownGroup(id);
  }

  /** In the order of the contacts' creation, only those after `afterId`. @throws HatifError NOT_FOUND */
  async members(scope: ContactScope, id: string, afterId: string | null, limit: number): Promise<GroupMemberRow[]> {
    return this.options.groups.members(await this.get(scope, id), afterId, limit);
  }

  /** All members of a group that was found, in pages; none of them is empty. */
  async *allMembers(group: ContactGroupRow): AsyncGenerator<readonly GroupMemberRow[]> {
    let afterId: string | null = null;
    for (;;) {
      const page: readonly GroupMemberRow[] = await this.options.groups.members(group, afterId, PAGE);
      if (page.length > 0) yield page;
      afterId = page.at(-1)?.contact_id ?? null;
      if (page.length < PAGE) return;
    }
  }

  /**
   * Adds contacts to a group, all or none; those that are in it already stay.
   * @returns how many are new
   * @throws HatifError NOT_FOUND; VALIDATION_ERROR for an unknown contact, and a group with rules; CONTACT_LIMIT_EXCEEDED
   */
  async addMembers(kind: ProjectKind, id: string, contactIds: readonly string[]): Promise<number> {
    const { groups, clock } = this.options;
    const added = await groups
      .addMembers(kind, id, contactIds, clock.now(), MAX_GROUP_MEMBERS)
      .catch((error: unknown) => {
        if (!(error instanceof GroupFull)) throw error;
        throw new HatifError('CONTACT_LIMIT_EXCEEDED', { what: LIMITS.members, max: MAX_GROUP_MEMBERS });
      });
    if (typeof added === 'number') return added;
    if (added.refused === 'no_group') throw unknownGroup(id);
    if (added.refused === 'dynamic') throw invalidField('id', HAS_RULES);
    throw invalidField(`contact_ids[${contactIds.indexOf(added.contactId)}]`, UNKNOWN);
  }

  /** @throws HatifError NOT_FOUND if there is no such group, or the contact is no member of it */
  async removeMember(kind: ProjectKind, id: string, contactId: string): Promise<void> {
    if (!(await this.options.groups.removeMember(kind, id, contactId))) throw unknownContact(contactId);
  }

  async #counted(rows: readonly ContactGroupRow[]): Promise<CountedGroup[]> {
    const counts = await this.options.groups.counts(rows.map(({ id }) => id));
    return rows.map((row) => ({ ...row, members_count: row.rules === null ? (counts.get(row.id) ?? 0) : null }));
  }

  /** Groups with rules are not named by others, so that rules never lead to themselves. */
  async #assertGroups(kind: ProjectKind, rules: SegmentRules): Promise<void> {
    const named = groupsOf(rules);
    if (named.length === 0) return;
    const chosen = await this.options.groups.chosen(kind, named);
    if (named.some((id) => !chosen.has(id))) throw invalidField('rules', OTHER_GROUP);
  }
}

function unknownGroup(id: string): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', {
    what: { en: `the contact group ${id}`, ar: arabic`مجموعة جهات الاتصال ${id}` },
  });
}

async function uniqueName<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (violatedUnique(error) !== 'contact_groups_name') throw error;
    throw invalidField('name', {
      en: `a contact group ${name} exists already`,
      ar: arabic`توجد مجموعة جهات اتصال بالاسم ${name}`,
    });
  }
}
