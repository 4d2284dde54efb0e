import type { ConsentChangeRow, ConsentRow, ContactRow } from '../../data/rows.js';
import {
  addressOn,
  channelsOf,
  type ConsentChannel,
  type ConsentClass,
  type ConsentSource,
  type ConsentStatus,
} from '../../model/contacts/consent.js';
import { newId } from '../../model/ids.js';
import { isSameConsent } from './record-consents.js';

/** A wish of a contact, and how it became known. */
export interface Wish {
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  readonly proof: string | null;
  /** The key or user; null: the person, or an import. */
  readonly recordedBy: string | null;
  /** When the person said it. */
  readonly givenAt: Date;
}

export type ReachedContact = Pick<ContactRow, 'organization_id' | 'project_id' | 'sandbox' | 'phone' | 'email'>;

/** The changes that record a wish for channels and classes; a channel that does not reach the contact has none. */
export function changesOf(
  contact: ReachedContact,
  { status, source, proof, recordedBy, givenAt }: Wish,
  channels: readonly ConsentChannel[],
  classes: readonly ConsentClass[],
  now: Date,
): ConsentChangeRow[] {
  const { organization_id, project_id, sandbox } = contact;
  return [...new Set(channels)].flatMap((channel) => {
    const address = addressOn(channel, contact);
    if (address === null) return [];
    return [...new Set(classes)].map((messageClass) => ({
      ...{ id: newId(), organization_id, project_id, sandbox, address, channel, class: messageClass },
      ...{ status, source, proof, recorded_by: recordedBy, given_at: givenAt, created_at: now },
    }));
  });
}

/**
 * The changes after which the contact wants marketing messages, or none: what is so already does not change, and nobody
 * is opted in who was not opted out.
 */
export function marketingChanges(
  contact: ReachedContact,
  isOptedOut: boolean,
  known: readonly ConsentRow[],
  wish: Omit<Wish, 'status' | 'givenAt'>,
  now: Date,
): ConsentChangeRow[] {
  const status = isOptedOut ? 'opted_out' : 'opted_in';
  const changes = changesOf(contact, { ...wish, status, givenAt: now }, channelsOf(contact), ['promotional'], now);
  return changes.filter((change) => {
    const isOut = known.some((row) => row.status === 'opted_out' && isSameConsent(row, change));
    return isOut !== isOptedOut;
  });
}
