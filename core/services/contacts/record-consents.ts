import type { Queryable } from '../../data/database.js';
import { projectEvent, recordEvent } from '../../data/outbox.js';
import { ConsentLocked, type Consents } from '../../data/repositories/contacts/consents.js';
import type { ConsentChangeRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { isoTime } from '../../model/time.js';

/**
 * Records wishes of one contact from one source, all or none, and reports new opt-outs by `contact.opted_out`.
 * @param contactId null if no contact has the address
 * @returns the delivery lanes to wake after the commit
 * @throws HatifError CONSENT_LOCKED_BY_END_USER
 */
export async function recordConsents(
  tx: Queryable,
  consents: Consents,
  changes: readonly ConsentChangeRow[],
  contactId: string | null,
): Promise<string[]> {
  const [first] = changes;
  if (!first) return [];
  const kind = { projectId: first.project_id, sandbox: first.sandbox };
  const addresses = [...new Set(changes.map(({ address }) => address))];
  const before = await consents.of(kind, addresses, tx);
  const wasOut = (change: ConsentChangeRow): boolean =>
    before.some((known) => known.status === 'opted_out' && isSameConsent(known, change));
  await consents.record(tx, changes).catch((error: unknown) => {
    throw error instanceof ConsentLocked ? new HatifError('CONSENT_LOCKED_BY_END_USER') : error;
  });
  const news = changes.filter((change) => change.status === 'opted_out' && !wasOut(change));
  const lanes: string[] = [];
  for (const address of addresses) {
    const own = news.filter((change) => change.address === address);
    if (own.length > 0) lanes.push(...(await recordEvent(tx, eventOf(address, own, contactId))));
  }
  return lanes;
}

type ConsentKey = Pick<ConsentChangeRow, 'address' | 'channel' | 'class'>;

export function isSameConsent(one: ConsentKey, other: ConsentKey): boolean {
  return one.address === other.address && one.channel === other.channel && one.class === other.class;
}

function eventOf(address: string, changes: readonly ConsentChangeRow[], contactId: string | null) {
  const [first] = changes;
  if (!first) throw new Error('an event needs a change');
  const { organization_id, project_id, sandbox, source, given_at, created_at } = first;
  return projectEvent({
    ...{ organization_id, project_id, sandbox, created_at },
    type: 'contact.opted_out',
    data: {
      contact_id: contactId,
      address,
      channels: [...new Set(changes.map(({ channel }) => channel))],
      classes: [...new Set(changes.map((change) => change.class))],
      source,
      opted_out_at: isoTime(given_at),
    },
  });
}
