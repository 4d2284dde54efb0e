import type { Database, Queryable } from '../../data/database.js';
import { violatedUnique } from '../../data/errors.js';
import type { Consents } from '../../data/repositories/contacts/consents.js';
import type { ContactFilter, Contacts, ContactScope } from '../../data/repositories/contacts/contacts.js';
import type { ContactGroups } from '../../data/repositories/contacts/contact-groups.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { ContactRow } from '../../data/rows.js';
import { mergeCustomFields, MAX_CUSTOM_FIELDS, type CustomFieldChanges } from '../../model/contacts/custom-fields.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { recordConsents } from './record-consents.js';
import { marketingChanges } from './wishes.js';

export interface ContactServiceOptions {
  readonly db: Database;
  readonly contacts: Contacts;
  readonly consents: Consents;
  readonly groups: Pick<ContactGroups, 'get'>;
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
  readonly clock: Clock;
}

export interface ContactOwner extends ProjectKind {
  readonly organizationId: string;
}

type Addresses = Partial<Pick<ContactRow, 'phone' | 'email'>>;

/** What a client says of a contact. */
export type ContactSettings = Pick<
  ContactRow,
  'phone' | 'email' | 'name_en' | 'name_ar' | 'language' | 'time_zone' | 'tags' | 'custom_fields'
> &
  MarketingWish;

/** Absent: as it is known of the number and the address. */
interface MarketingWish {
  readonly marketing_opted_out?: boolean | undefined;
}

export type ContactChanges = Partial<Omit<ContactSettings, 'custom_fields'>> & {
  /** Fields that it does not name stay; null removes one. */
  readonly custom_fields?: CustomFieldChanges;
};

const NO_ADDRESS = {
  en: 'a contact needs a phone or an email',
  ar: 'تحتاج جهة الاتصال إلى `phone` أو `email`',
};
const TOO_MANY_FIELDS = {
  en: `must be at most ${MAX_CUSTOM_FIELDS} fields, with those that the contact has already`,
  ar: arabic`يجب ألا يزيد عدد الحقول على ${MAX_CUSTOM_FIELDS}، مع حقول جهة الاتصال الحالية`,
};
const TAKEN = {
  contacts_phone: { address: 'phone', what: { en: 'this telephone number', ar: 'رقم الهاتف' } },
  contacts_email: { address: 'email', what: { en: 'this e-mail address', ar: 'عنوان البريد الإلكتروني' } },
} as const;
/** How often an address can be taken and given up by others while a contact is written. */
const ATTEMPTS = 3;

/** The people that a project writes to: one contact for each number and each e-mail address. */
export class ContactService {
  constructor(private readonly options: ContactServiceOptions) {}

  /**
   * @param by the key or user
   * @throws HatifError VALIDATION_ERROR, CONTACT_DUPLICATE, CONSENT_LOCKED_BY_END_USER
   */
  async create(owner: ContactOwner, settings: ContactSettings, by: string): Promise<ContactRow> {
    const now = this.options.clock.now();
    const { marketing_opted_out: isOptedOut, ...said } = settings;
    const row: ContactRow = {
      ...said,
      tags: [...new Set(settings.tags)],
      id: newId(),
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      sandbox: owner.sandbox,
      marketing_opted_out: isOptedOut ?? false,
      created_at: now,
      updated_at: now,
    };
    assertReachable(row);
    const written = await this.#write(owner, settings, isOptedOut, by, async (tx) => {
      await this.options.contacts.insert(row, tx);
      return row;
    });
    return written ?? row;
  }

  /** Newest first, only those before `beforeId`. */
  async page(
    scope: ContactScope,
    filter: ContactFilter,
    beforeId: string | null,
    limit: number,
  ): Promise<ContactRow[]> {
    const { contacts, groups } = this.options;
    const { groupId, ...others } = filter;
    if (groupId === undefined) return contacts.page(scope, filter, beforeId, limit);
    const group = await groups.get(scope, groupId);
    if (!group) return [];
    const members = group.rules === null ? { groupId } : { rules: group.rules, sandbox: group.sandbox };
    return contacts.page(scope, { ...others, ...members }, beforeId, limit);
  }

  /** @throws HatifError NOT_FOUND */
  async get(scope: ContactScope, id: string): Promise<ContactRow> {
    const row = await this.options.contacts.get(scope, id);
    if (!row) throw unknownContact(id);
    return row;
  }

  /**
   * Changes a contact. Of two changes at the same time, the second is made on the result of the first.
   * @param by the key or user
   * @throws HatifError NOT_FOUND, VALIDATION_ERROR, CONTACT_DUPLICATE, CONSENT_LOCKED_BY_END_USER
   */
  async change(kind: ProjectKind, id: string, changes: ContactChanges, by: string): Promise<ContactRow> {
    const { contacts, clock } = this.options;
    const { marketing_opted_out: isOptedOut, ...said } = changes;
    const row = await this.#write(kind, changes, isOptedOut, by, async (tx) => {
      const before = await contacts.lock(tx, kind, id);
      if (!before) return null;
      const next = changed(before, said, clock.now());
      await contacts.update(tx, next);
      return next;
    });
    if (!row) throw unknownContact(id);
    return row;
  }

  /** @throws HatifError NOT_FOUND */
  async remove(kind: ProjectKind, id: string): Promise<void> {
    if (!(await this.options.contacts.remove(kind, id))) throw unknownContact(id);
  }

  /**
   * Writes a contact with what it wants of marketing, all or nothing.
   * @returns the contact as it is then; null if `write` found none
   * @throws HatifError CONTACT_DUPLICATE, CONSENT_LOCKED_BY_END_USER
   */
  async #write(
    kind: ProjectKind,
    wanted: Addresses,
    isOptedOut: boolean | undefined,
    by: string,
    write: (tx: Queryable) => Promise<ContactRow | null>,
  ): Promise<ContactRow | null> {
    const { db, contacts, wake } = this.options;
    const scope = { projectId: kind.projectId, sandboxOnly: kind.sandbox };
    const { row, lanes } = await this.#unique(kind, wanted, () =>
      db.transaction(async (tx) => {
        const written = await write(tx);
        if (!written) return { row: null, lanes: [] };
        const woken = isOptedOut === undefined ? [] : await this.#marketing(tx, written, isOptedOut, by);
        return { row: await contacts.get(scope, written.id, tx), lanes: woken };
      }),
    );
    if (lanes.length > 0) wake(lanes);
    return row;
  }

  /** @throws HatifError CONSENT_LOCKED_BY_END_USER */
  async #marketing(tx: Queryable, row: ContactRow, isOptedOut: boolean, by: string): Promise<string[]> {
    const { consents, clock } = this.options;
    const addresses = [row.phone, row.email].filter((address) => address !== null);
    const known = await consents.of({ projectId: row.project_id, sandbox: row.sandbox }, addresses, tx);
    const wish = { source: 'api', proof: null, recordedBy: by } as const;
    return recordConsents(tx, consents, marketingChanges(row, isOptedOut, known, wish, clock.now()), row.id);
  }

  /** @throws HatifError CONTACT_DUPLICATE */
  async #unique<T>(kind: ProjectKind, wanted: Addresses, write: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await write();
      } catch (error) {
        const violated = violatedUnique(error);
        if (violated !== 'contacts_phone' && violated !== 'contacts_email') throw error;
        const { address, what } = TAKEN[violated];
        const other = await this.options.contacts.having(kind, address, wanted[address] ?? '');
        if (other) throw new HatifError('CONTACT_DUPLICATE', { contact_id: other.id, what });
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }
}

export function unknownContact(id: string): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', { what: { en: `the contact ${id}`, ar: arabic`جهة الاتصال ${id}` } });
}

function changed(
  row: ContactRow,
  { custom_fields = {}, ...changes }: Omit<ContactChanges, 'marketing_opted_out'>,
  now: Date,
): ContactRow {
  const fields = mergeCustomFields(row.custom_fields, custom_fields);
  if (Object.keys(fields).length > MAX_CUSTOM_FIELDS) throw invalidField('custom_fields', TOO_MANY_FIELDS);
  const next = { ...row, ...changes, custom_fields: fields, updated_at: now };
  assertReachable(next);
  return { ...next, tags: [...new Set(next.tags)] };
}

function assertReachable({ phone, email }: Pick<ContactRow, 'phone' | 'email'>): void {
  if (phone === null && email === null) throw invalidField('phone', NO_ADDRESS);
}
