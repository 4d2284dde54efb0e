import { violatedUnique } from '../../data/errors.js';
import type { ContactFilter, Contacts, ContactScope } from '../../data/repositories/contacts/contacts.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { ContactRow } from '../../data/rows.js';
import { mergeCustomFields, MAX_CUSTOM_FIELDS, type CustomFieldChanges } from '../../model/contacts/custom-fields.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';

export interface ContactServiceOptions {
  readonly contacts: Contacts;
  readonly clock: Clock;
}

export interface ContactOwner extends ProjectKind {
  readonly organizationId: string;
}

type Addresses = Partial<Pick<ContactRow, 'phone' | 'email'>>;

/** What a client says of a contact. */
export type ContactSettings = Pick<
  ContactRow,
  | 'phone'
  | 'email'
  | 'name_en'
  | 'name_ar'
  | 'language'
  | 'time_zone'
  | 'tags'
  | 'custom_fields'
  | 'marketing_opted_out'
>;

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

  /** @throws HatifError VALIDATION_ERROR, CONTACT_DUPLICATE */
  async create(owner: ContactOwner, settings: ContactSettings): Promise<ContactRow> {
    const now = this.options.clock.now();
    const row: ContactRow = {
      ...settings,
      tags: [...new Set(settings.tags)],
      id: newId(),
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      sandbox: owner.sandbox,
      created_at: now,
      updated_at: now,
    };
    assertReachable(row);
    await this.#unique(owner, row, () => this.options.contacts.insert(row));
    return row;
  }

  /** Newest first, only those before `beforeId`. */
  page(scope: ContactScope, filter: ContactFilter, beforeId: string | null, limit: number): Promise<ContactRow[]> {
    return this.options.contacts.page(scope, filter, beforeId, limit);
  }

  /** @throws HatifError NOT_FOUND */
  async get(scope: ContactScope, id: string): Promise<ContactRow> {
    const row = await this.options.contacts.get(scope, id);
    if (!row) throw unknownContact(id);
    return row;
  }

  /**
   * Changes a contact. Of two changes at the same time, the second is made on the result of the first.
   * @throws HatifError NOT_FOUND, VALIDATION_ERROR, CONTACT_DUPLICATE
   */
  async change(kind: ProjectKind, id: string, changes: ContactChanges): Promise<ContactRow> {
    const { contacts, clock } = this.options;
    const change = (row: ContactRow): ContactRow => changed(row, changes, clock.now());
    const row = await this.#unique(kind, changes, () => contacts.change(kind, id, change));
    if (!row) throw unknownContact(id);
    return row;
  }

  /** @throws HatifError NOT_FOUND */
  async remove(kind: ProjectKind, id: string): Promise<void> {
    if (!(await this.options.contacts.remove(kind, id))) throw unknownContact(id);
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

function changed(row: ContactRow, { custom_fields = {}, ...changes }: ContactChanges, now: Date): ContactRow {
  const fields = mergeCustomFields(row.custom_fields, custom_fields);
  if (Object.keys(fields).length > MAX_CUSTOM_FIELDS) throw invalidField('custom_fields', TOO_MANY_FIELDS);
  const next = { ...row, ...changes, custom_fields: fields, updated_at: now };
  assertReachable(next);
  return { ...next, tags: [...new Set(next.tags)] };
}

function assertReachable({ phone, email }: Pick<ContactRow, 'phone' | 'email'>): void {
  if (phone === null && email === null) throw invalidField('phone', NO_ADDRESS);
}
