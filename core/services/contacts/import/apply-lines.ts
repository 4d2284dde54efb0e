import type { ContactRow } from '../../../data/rows.js';
import { MAX_TAG, MAX_TAGS } from '../../../model/contacts/contact.js';
import { MAX_CUSTOM_FIELDS, mergeCustomFields } from '../../../model/contacts/custom-fields.js';
import type { ContactLine, LineFault } from '../../../model/contacts/import-line.js';
import type { Phrase } from '../../../model/errors/index.js';
import { newId } from '../../../model/ids.js';
import { arabic } from '../../../model/wording/wording.js';
import type { ContactOwner } from '../contacts.js';

export type LineOutcome = 'created' | 'updated' | 'unchanged' | 'skipped';

/** The outcome of some lines of a file. */
export interface AppliedLines {
  /** One for each line, in their order. */
  readonly outcomes: readonly (LineOutcome | LineFault)[];
  readonly inserted: readonly ContactRow[];
  readonly updated: readonly ContactRow[];
  /** The contacts of all lines without a fault. */
  readonly contactIds: readonly string[];
  /** What lines changed of the wish of a contact for marketing messages. */
  readonly wishes: readonly { readonly row: ContactRow; readonly isOptedOut: boolean }[];
}

/** Who opted out of marketing messages, by number or address; the value: by themselves. */
export type OptedOut = ReadonlyMap<string, boolean>;

interface Known {
  row: ContactRow;
  readonly isNew: boolean;
  isChanged: boolean;
  /** What a line said of marketing messages, if that is news. */
  isOptedOut: boolean | null;
}

const OTHER: Phrase = {
  en: 'belongs to another contact than the number',
  ar: 'يخص جهة اتصال أخرى غير صاحبة الرقم',
};
const OTHER_NUMBER: Phrase = {
  en: 'is not the number of the contact that has the e-mail address',
  ar: 'ليس رقم جهة الاتصال صاحبة عنوان البريد الإلكتروني',
};
const TAGS: Phrase = {
  en: `would give the contact more than ${MAX_TAGS} tags of ${MAX_TAG} characters`,
  ar: arabic`يزيد به عدد وسوم جهة الاتصال على ${MAX_TAGS}`,
};
const LOCKED: Phrase = {
  en: 'the person opted out, and only the person can opt in again',
  ar: 'ألغى الشخص اشتراكه بنفسه، ولا يعيد الاشتراك غيره',
};
const FIELDS: Phrase = {
  en: `would give the contact more than ${MAX_CUSTOM_FIELDS} custom fields`,
  ar: arabic`يزيد به عدد الحقول الخاصة لجهة الاتصال على ${MAX_CUSTOM_FIELDS}`,
};

/**
 * Applies lines to contacts, one after another: a line sees what the lines before it did. A contact is found by its
 * number, or else by its address.
 * @param contacts every contact that has a number or an address of the lines
 * @param optedOut every opt-out of these contacts, and of the numbers and addresses of the lines
 */
export class LineApplication {
  readonly #byPhone = new Map<string, Known>();
  readonly #byEmail = new Map<string, Known>();
  readonly #all: Known[] = [];
  readonly #used = new Set<string>();

  constructor(
    contacts: readonly ContactRow[],
    private readonly optedOut: OptedOut,
    private readonly owner: ContactOwner,
    private readonly existing: 'update' | 'skip',
    private readonly now: Date,
  ) {
    for (const row of contacts) this.#add({ row, isNew: false, isChanged: false, isOptedOut: null });
  }

  apply(lines: readonly ContactLine[]): AppliedLines {
    const outcomes = lines.map((line) => this.#line(line));
    return {
      outcomes,
      inserted: this.#all.filter(({ isNew }) => isNew).map(({ row }) => row),
      updated: this.#all.filter(({ isNew, isChanged }) => !isNew && isChanged).map(({ row }) => row),
      contactIds: [...this.#used],
      wishes: this.#all.flatMap(({ row, isOptedOut }) => (isOptedOut === null ? [] : [{ row, isOptedOut }])),
    };
  }

  #line(line: ContactLine): LineOutcome | LineFault {
    const byPhone = line.phone === undefined ? undefined : this.#byPhone.get(line.phone);
    const byEmail = line.email === undefined ? undefined : this.#byEmail.get(line.email);
    if (byPhone && byEmail && byPhone !== byEmail) return duplicate('email', OTHER);
    const known = byPhone ?? byEmail;
    if (!known) return this.#create(line);
    const number = known.row.phone;
    if (!byPhone && line.phone !== undefined && number !== null) return duplicate('phone', OTHER_NUMBER);
    return this.existing === 'skip' ? this.#use(known, 'skipped') : this.#update(known, line);
  }

  #create(line: ContactLine): LineOutcome | LineFault {
    const { custom_fields, marketing_opted_out: wish, ...said } = line;
    const row: ContactRow = {
      ...{ id: newId(), organization_id: this.owner.organizationId, project_id: this.owner.projectId },
      ...{ sandbox: this.owner.sandbox, phone: null, email: null, name_en: null, name_ar: null, language: 'ar' },
      ...{ time_zone: null, tags: [], marketing_opted_out: false, created_at: this.now, updated_at: this.now },
      ...said,
      custom_fields,
    };
    const known = { row, isNew: true, isChanged: true, isOptedOut: null };
    if (!this.#wish(known, row, wish)) return locked();
    this.#add(known);
    return this.#use(known, 'created');
  }

  #update(known: Known, line: ContactLine): LineOutcome | LineFault {
    const { custom_fields, tags = [], marketing_opted_out: wish, ...said } = line;
    const { row, isOptedOut: before } = known;
    const allTags = [...new Set([...row.tags, ...tags])];
    if (allTags.length > MAX_TAGS) return { column: 'tags', code: 'VALIDATION_ERROR', problem: TAGS };
    const fields = mergeCustomFields(row.custom_fields, custom_fields);
    if (Object.keys(fields).length > MAX_CUSTOM_FIELDS)
      return { column: null, code: 'VALIDATION_ERROR', problem: FIELDS };
    const next: ContactRow = { ...row, ...said, tags: allTags, custom_fields: fields };
    if (!this.#wish(known, next, wish)) return locked();
    if (isSame(row, next)) return this.#use(known, known.isOptedOut === before ? 'unchanged' : 'updated');
    if (row.email !== null && next.email !== row.email) this.#byEmail.delete(row.email);
    known.row = { ...next, updated_at: this.now };
    known.isChanged = true;
    this.#index(known);
    return this.#use(known, 'updated');
  }

  /** Notes what a line says of marketing messages, if that is news. @returns false if only the person may say it */
  #wish(known: Known, { phone, email }: ContactRow, wish: boolean | undefined): boolean {
    if (wish === undefined) return true;
    const locks = [phone, email].map((address) => (address === null ? undefined : this.optedOut.get(address)));
    if (!wish && locks.includes(true)) return false;
    const isOut = known.isOptedOut ?? locks.some((lock) => lock !== undefined);
    if (wish !== isOut) known.isOptedOut = wish;
    return true;
  }

  #use(known: Known, outcome: LineOutcome): LineOutcome {
    this.#used.add(known.row.id);
    return outcome;
  }

  #add(known: Known): void {
    this.#all.push(known);
    this.#index(known);
  }

  #index(known: Known): void {
    const { phone, email } = known.row;
    if (phone !== null) this.#byPhone.set(phone, known);
    if (email !== null) this.#byEmail.set(email, known);
  }
}

function duplicate(column: string, problem: Phrase): LineFault {
  return { column, code: 'CONTACT_DUPLICATE', problem };
}

function locked(): LineFault {
  return { column: 'marketing_opted_out', code: 'CONSENT_LOCKED_BY_END_USER', problem: LOCKED };
}

/** Whether nothing that a line can say differs. */
function isSame(one: ContactRow, other: ContactRow): boolean {
  const comparable = (row: ContactRow): string =>
    JSON.stringify({ ...row, custom_fields: Object.entries(row.custom_fields).sort(([a], [b]) => (a < b ? -1 : 1)) });
  return comparable(one) === comparable(other);
}
