import type { CustomFields } from '../../model/contacts/custom-fields.js';

export interface ContactRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  /** E.164; null only if there is an e-mail address. */
  readonly phone: string | null;
  /** In lower case; null only if there is a number. */
  readonly email: string | null;
  readonly name_en: string | null;
  readonly name_ar: string | null;
  readonly language: 'ar' | 'en';
  /** IANA name; null: that of Riyadh. */
  readonly time_zone: string | null;
  readonly tags: readonly string[];
  readonly custom_fields: CustomFields;
  readonly marketing_opted_out: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface ContactGroupRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly name: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A member of a group, as far as lists show it. */
export type GroupMemberRow = Pick<
  ContactRow,
  'phone' | 'email' | 'name_en' | 'name_ar' | 'language' | 'marketing_opted_out'
> & { readonly contact_id: string; readonly added_at: Date };
