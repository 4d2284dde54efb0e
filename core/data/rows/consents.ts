import type { ConsentChannel, ConsentClass, ConsentSource, ConsentStatus } from '../../model/contacts/consent.js';

/** Whether the person with this number or address wants these messages. */
export interface ConsentRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly address: string;
  readonly channel: ConsentChannel;
  readonly class: ConsentClass;
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  /** The person opted out and has not opted in again. */
  readonly is_locked: boolean;
  readonly changed_at: Date;
}

/** A wish of a person as it was recorded. Append-only. */
export interface ConsentChangeRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly address: string;
  readonly channel: ConsentChannel;
  readonly class: ConsentClass;
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  readonly proof: string | null;
  /** The key or user; null: the person, or an import. */
  readonly recorded_by: string | null;
  readonly given_at: Date;
  readonly created_at: Date;
}
