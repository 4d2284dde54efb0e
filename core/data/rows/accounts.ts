import type { KeyKind } from '../../model/access/keys.js';
import type { Destination } from './numbers.js';

export type AccountKind = 'sandbox' | 'production';
/** `both` says it in Arabic, then in English. */
export type RecordingAnnouncement = 'off' | 'ar' | 'en' | 'both';

export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly account_kind: AccountKind;
  /** Features that are on or off for this organization, over the environment's. */
  readonly flags: Readonly<Record<string, boolean>>;
  readonly created_at: Date;
}

export interface ProjectRow {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  /** E.164; the caller id of calls that name none. */
  readonly main_number: string | null;
  readonly default_destination: Destination | null;
  /** Sealed; signs the webhooks of calls that bring their own receiver. */
  readonly signing_secret: string;
  /** How long a finished recording is kept; null keeps it until it is deleted. */
  readonly recording_retention_days: number | null;
  /** In what language a customer is told that the call is recorded. */
  readonly recording_announcement: RecordingAnnouncement;
  readonly created_at: Date;
}

export interface KeyRow {
  readonly id: string;
  readonly project_id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** The visible first characters. */
  readonly prefix: string;
  /** Keyed hash of the whole key; unique. */
  readonly hash: string;
  readonly scopes: readonly string[];
  /** Addresses and CIDR ranges; empty allows any. */
  readonly allowed_ips: readonly string[];
  readonly rate_limit_per_minute: number | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
}

export interface AgentRow {
  readonly id: string;
  readonly project_id: string;
  readonly organization_id: string;
  /** Extension, unique in its project. */
  readonly agent: string;
  /** SIP user name, unique on every engine. */
  readonly aor: string;
  readonly display_name: string;
  /** Sealed. */
  readonly sip_password: string;
  /** Whether the softphone may call numbers outside of the platform. Emergency numbers it always may. */
  readonly may_call_out: boolean;
  /** E.164; what such a call shows. Null: the number that rings the agent, else the project's main number. */
  readonly caller_id_number: string | null;
  /** Whether the calls that the softphone makes are recorded from their answer on. */
  readonly record_calls: boolean;
  /** Among agents of a queue: 1 is rung first, 9 last. */
  readonly priority: number;
  readonly created_at: Date;
}
