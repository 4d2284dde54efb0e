import type { Role } from '../../model/access/roles.js';

/** An invitation of a person into an organization. Its token is stored as a hash only. */
export interface InviteRow {
  readonly id: string;
  readonly organization_id: string;
  /** Lower case. */
  readonly email: string;
  readonly role: Role;
  /** Null: all projects of the organization. */
  readonly project_ids: readonly string[] | null;
  /** The extension that the member will have; null: none. */
  readonly agent: string | null;
  /** The language that the mail shows first. */
  readonly locale: 'ar' | 'en';
  /** SHA-256. */
  readonly token_hash: string;
  readonly status: 'pending' | 'accepted' | 'revoked';
  /** Null once that member is gone. */
  readonly invited_by: string | null;
  readonly created_at: Date;
  readonly sent_at: Date;
  readonly expires_at: Date;
  readonly decided_at: Date | null;
}
