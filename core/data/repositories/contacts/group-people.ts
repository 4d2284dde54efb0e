import type { Database, Queryable } from '../../database.js';
import type { ContactGroupRow, ContactRow } from '../../rows.js';
import { segmentCondition } from './segment-conditions.js';

/** A member of a group, with all that a message may say. */
export type GroupPerson = Pick<
  ContactRow,
  'id' | 'phone' | 'email' | 'name_en' | 'name_ar' | 'language' | 'time_zone' | 'custom_fields'
>;

const COLUMNS = [
  ...(['id', 'phone', 'email', 'name_en', 'name_ar', 'language', 'time_zone', 'custom_fields'] as const),
].map((name) => `contacts.${name}`);

/** Members of a group in the order of their contacts' creation, only those after `afterId`. */
export function groupPeople(
  on: Queryable | Database,
  group: Pick<ContactGroupRow, 'id' | 'project_id' | 'sandbox' | 'rules'>,
  afterId: string | null,
  limit: number,
): Promise<GroupPerson[]> {
  const values: unknown[] = [group.project_id, group.sandbox, afterId, limit];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const [from, condition] =
    group.rules === null
      ? [
          `contact_group_members AS member JOIN contacts ON contacts.id = member.contact_id`,
          `member.group_id = ${value(group.id)}::uuid AND ($3::uuid IS NULL OR member.contact_id > $3)`,
        ]
      : [`contacts`, `($3::uuid IS NULL OR contacts.id > $3) AND ${segmentCondition(group.rules, value)}`];
  const order = group.rules === null ? 'member.contact_id' : 'contacts.id';
  return on.query<GroupPerson>(
    `SELECT ${COLUMNS.join(', ')} FROM ${from}
     WHERE contacts.project_id = $1 AND contacts.sandbox = $2 AND ${condition} ORDER BY ${order} LIMIT $4`,
    values,
  );
}
