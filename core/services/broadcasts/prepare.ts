import type { Queryable } from '../../data/database.js';
import { groupPeople, type GroupPerson } from '../../data/repositories/contacts/group-people.js';
import type { BroadcastRecipients } from '../../data/repositories/messaging/broadcast-recipients.js';
import type { BroadcastChange } from '../../data/repositories/messaging/broadcasts.js';
import type { BroadcastRecipientRow, BroadcastRow, ContactGroupRow } from '../../data/rows.js';
import { addressOn } from '../../model/contacts/consent.js';
import { newId } from '../../model/ids.js';
import { fieldsOf } from '../../model/broadcasts/variables.js';
import { consentChannelOf } from './address.js';
import { momentIn } from './times.js';

/** Members of a group that become recipients at a time. */
const PAGE_SIZE = 1_000;

/**
 * Finds the recipients of a broadcast that begins: those of a file are known, the members of a group are read page by
 * page, each page in the transaction of a step.
 */
export class PrepareRecipients {
  constructor(private readonly recipients: BroadcastRecipients) {}

  /** Does the next page. @returns what changes; null: the group was deleted */
  async step(tx: Queryable, row: BroadcastRow, now: Date): Promise<BroadcastChange | null> {
    if (row.source === 'file') return this.#file(tx, row, now);
    const [group] = await tx.query<ContactGroupRow>(`SELECT * FROM contact_groups WHERE id = $1`, [row.group_id]);
    if (!group) return null;
    const people = await groupPeople(tx, group, row.prepared_after, PAGE_SIZE);
    const addresses = people.flatMap((person) => addressOn(consentChannelOf(row.channel), person) ?? []);
    // A number may have moved from a contact of an earlier page to one of this page.
    const known = await this.recipients.known(tx, row.id, addresses);
    const rows = people.map((person, index) => recipientOf(row, person, row.total + index + 1, known, now));
    await this.recipients.add(tx, rows);
    return {
      total: row.total + people.length,
      prepared_after: people.at(-1)?.id ?? row.prepared_after,
      ...(people.length < PAGE_SIZE && { prepared_at: now }),
    };
  }

  async #file(tx: Queryable, { id, local_time }: BroadcastRow, now: Date): Promise<BroadcastChange> {
    if (local_time !== null) {
      for (const zone of await this.recipients.zones(tx, id)) {
        await this.recipients.setDue(tx, id, zone, momentIn(local_time, zone));
      }
    }
    return { prepared_at: now };
  }
}

function recipientOf(
  { id: broadcast_id, channel, local_time, variants }: BroadcastRow,
  person: GroupPerson,
  number: number,
  known: ReadonlySet<string>,
  now: Date,
): BroadcastRecipientRow {
  const address = addressOn(consentChannelOf(channel), person);
  const common = {
    ...{ id: newId(), broadcast_id, number, contact_id: person.id, time_zone: person.time_zone },
    ...{ message_id: null, attempts: 0, due_at: local_time === null ? now : momentIn(local_time, person.time_zone) },
  };
  if (address === null || known.has(address)) {
    const skip_reason = address === null ? 'no_address' : 'duplicate';
    return { ...common, address: null, fields: {}, status: 'skipped', skip_reason };
  }
  return { ...common, address, fields: fieldsOf(person, variants), status: 'waiting', skip_reason: null };
}
