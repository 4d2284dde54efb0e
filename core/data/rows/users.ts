import type { Role } from '../../model/access/roles.js';

/** A person of an organization. */
export interface UserRow {
  readonly id: string;
  readonly organization_id: string;
  /** In lower case; unique. */
  readonly email: string;
  readonly name: string;
  /** Null: signs in without a password, or has not set one yet. */
  readonly password_hash: string | null;
  readonly locale: 'ar' | 'en';
  /** E.164 */
  readonly phone: string | null;
  readonly phone_confirmed_at: Date | null;
  readonly email_confirmed_at: Date | null;
  readonly role: Role;
  /** The projects that the user may use; null: all of the organization. */
  readonly project_ids: readonly string[] | null;
  /** The extension that the user answers calls at. */
  readonly agent: string | null;
  readonly disabled_at: Date | null;
  readonly last_sign_in_at: Date | null;
  readonly created_at: Date;
}

/** `browser`: the refresh token is in a cookie. */
export type SessionClient = 'browser' | 'other';

/** A user's sign-in on one device. */
export interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly organization_id: string;
  readonly client: SessionClient;
  readonly ip: string;
  readonly user_agent: string;
  readonly created_at: Date;
  /** To the minute. */
  readonly last_used_at: Date;
  readonly expires_at: Date;
  /** When the user last proved who it is in this session. */
  readonly confirmed_at: Date | null;
  /** Whether the user gave a second factor, or a passkey, in this session. */
  readonly second_factor: boolean;
  /** The administrator who acts as the user; then the session only reads. */
  readonly impersonated_by: string | null;
  readonly revoked_at: Date | null;
  readonly revoked_reason: string | null;
}

export interface SessionTokenRow {
  /** SHA-256 */
  readonly hash: string;
  readonly session_id: string;
  readonly kind: 'access' | 'refresh';
  readonly created_at: Date;
  readonly expires_at: Date;
  /** When a refresh token was exchanged for the next one. */
  readonly used_at: Date | null;
}

/** A token that a user gets by mail, for one use. */
export interface UserTokenRow {
  /** SHA-256 */
  readonly hash: string;
  readonly purpose: string;
  readonly user_id: string;
  readonly data: object;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly used_at: Date | null;
}
