import type { UserDocument } from '../../model/scim/user.js';

/** The token with which a directory provisions an organization. */
export interface ScimTokenRow {
  readonly id: string;
  readonly organization_id: string;
  /** The visible first characters. */
  readonly prefix: string;
  /** SHA-256; unique. */
  readonly hash: string;
  /** What happens to API keys that a member made, when the directory takes the member out. */
  readonly keys_of_leavers: 'revoke' | 'keep';
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

/** What the directory says of a member. */
export interface ScimUserRow {
  readonly user_id: string;
  readonly organization_id: string;
  /** As the directory writes it; unique in the organization in any case. */
  readonly user_name: string;
  readonly external_id: string | null;
  readonly document: UserDocument;
  /** Whether the directory lets the member in. */
  readonly active: boolean;
  /** Whether the member has a role by its groups or by default. */
  readonly admitted: boolean;
  /** Since when the member is disabled because of these two; null if it is not, or an administrator disabled it. */
  readonly held_since: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface ScimGroupRow {
  readonly id: string;
  readonly organization_id: string;
  readonly display_name: string;
  readonly external_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}
