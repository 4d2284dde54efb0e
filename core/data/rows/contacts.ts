import type { CustomFields } from '../../model/contacts/custom-fields.js';
import type { SegmentRules } from '../../model/contacts/segment.js';

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
  /** Not stored: whether the person opted out of promotional messages on any channel. */
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
  /** Which contacts are members; null: the organization chooses them. */
  readonly rules: SegmentRules | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A member of a group, as far as lists show it. */
export type GroupMemberRow = Pick<
  ContactRow,
  'phone' | 'email' | 'name_en' | 'name_ar' | 'language' | 'marketing_opted_out'
> & { readonly contact_id: string; readonly added_at: Date };

/** A file of contacts. The last five numbers are lines, by their outcome. */
export interface ContactImportRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly file_name: string;
  readonly existing: 'update' | 'skip';
  /** Null: none was named, or it was deleted. */
  readonly group_id: string | null;
  readonly has_group: boolean;
  /** As core/model/contacts/import-columns.ts names them. */
  readonly columns: readonly string[];
  readonly status: 'waiting' | 'running' | 'completed' | 'failed';
  readonly problem: ImportProblem | null;
  readonly attempts: number;
  readonly due_at: Date | null;
  readonly request_id: string;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  readonly total: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly failed: number;
}

/**
 * - `group_deleted`, `group_full`: the contacts were imported, but not all joined the group
 * - `fault`: an error that the log has; the rest of the file was not imported
 */
export type ImportProblem = 'group_deleted' | 'group_full' | 'fault';

/** A line of a file: its number, from 1, and its values in the order of the columns. */
export type ImportLine = readonly [number: number, values: readonly string[]];

/** What is wrong with a line. */
export interface ImportFaultRow {
  readonly line: number;
  readonly number: number;
  /** Null: the whole line. */
  readonly column_name: string | null;
  readonly code: string;
  readonly message: string;
  readonly message_ar: string;
}
