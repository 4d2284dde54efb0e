import type { KeyKind } from '../../model/access/keys.js';
import type { CallForwarding } from '../../model/call/forwarding.js';
import type { FraudLimits, ProjectFraudLimits } from '../../model/fraud/limits.js';
import type { DestinationClass } from '../../model/number/destination-class.js';
import type { Skills } from '../../model/queue/skills.js';
import type { Destination } from './numbers.js';

export type AccountKind = 'sandbox' | 'production';
/** `both`: in Arabic, then in English. */
export type RecordingAnnouncement = 'off' | 'ar' | 'en' | 'both';

export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly account_kind: AccountKind;
  /** Features enabled or disabled for this organization; overrides the environment. */
  readonly flags: Readonly<Record<string, boolean>>;
  /** Where the platform writes to the owner; null: nowhere. */
  readonly contact_email: string | null;
  /** Since when its keys and sessions are refused; null if they work. */
  readonly suspended_at: Date | null;
  /** Since when it is being deleted, or is: nothing of it works any more; null if it has not ended. */
  readonly ended_at: Date | null;
  /** Minutes without a request after which a session of its users ends. */
  readonly session_idle_minutes: number;
  /** Whether its users must have a second factor. */
  readonly second_factor_required: boolean;
  /** Whether the secrets of its API keys are kept, so that they can be revealed. */
  readonly key_reveal: boolean;
  readonly created_at: Date;
}

export interface ProjectRow {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  /** E.164; the default caller ID of calls. */
  readonly main_number: string | null;
  readonly default_destination: Destination | null;
  /** Sealed; signs the webhooks of calls with their own `webhook_url`. */
  readonly signing_secret: string;
  /** Days until a finished recording is deleted; null keeps it. */
  readonly recording_retention_days: number | null;
  /** Language of the announcement that the call is recorded; `off` plays none. */
  readonly recording_announcement: RecordingAnnouncement;
  /** The classes of outside numbers that may be called, whatever dials. */
  readonly destination_classes: readonly DestinationClass[];
  /** How many calls may be live at once. */
  readonly max_calls: number;
  /** What may be dialled outside before it is blocked, instead of the defaults; null: those, and nothing is blocked. */
  readonly fraud_limits: ProjectFraudLimits | null;
  /** Web pages whose browsers may call, as parsed by core/model/access/origin.ts. */
  readonly allowed_origins: readonly string[];
  readonly created_at: Date;
}

export interface KeyRow {
  readonly id: string;
  readonly project_id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** The visible first characters of the key. */
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
  /** Whether the softphone may call outside numbers. Emergency numbers are always allowed. */
  readonly may_call_out: boolean;
  /** The classes of outside numbers that the softphone may call, if the project may call them too. */
  readonly destination_classes: readonly DestinationClass[];
  /** Instead of the project's limits for its agents; null: those. */
  readonly fraud_limits: FraudLimits | null;
  /** E.164; caller ID of these calls. Null: the number that rings the agent, otherwise the project's main number. */
  readonly caller_id_number: string | null;
  /** Whether calls made by the softphone are recorded from the answer on. */
  readonly record_calls: boolean;
  /** Priority among a queue's agents: 1 is rung first, 9 last. */
  readonly priority: number;
  /** What the agent can do, for queues and callers that require it. */
  readonly skills: Skills;
  readonly forwarding: CallForwarding;
  readonly created_at: Date;
}

/** A sign-up that waits for the confirmation of its address. */
export interface SignupRow {
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly password_hash: string;
  readonly name: string;
  readonly organization_name: string;
  readonly locale: 'ar' | 'en';
  /** Of the token of the last mail. */
  readonly token_hash: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** A person who runs the installation. */
export interface AdministratorRow {
  readonly id: string;
  /** In lower case; unique. */
  readonly email: string;
  readonly name: string;
  readonly password_hash: string;
  /** Sealed; null without a second factor. */
  readonly totp_secret: string | null;
  /** Sealed; not yet in force. */
  readonly totp_offered: string | null;
  /** The newest time step whose code was used. */
  readonly totp_step: number | null;
  readonly disabled_at: Date | null;
  readonly last_sign_in_at: Date | null;
  readonly created_at: Date;
}

/** A session of an administrator, or a token for scripts. */
export interface AdministratorTokenRow {
  readonly id: string;
  readonly administrator_id: string;
  readonly kind: 'session' | 'script';
  /** Null for a session. */
  readonly name: string | null;
  readonly prefix: string;
  readonly hash: string;
  readonly ip: string;
  readonly created_at: Date;
  readonly last_used_at: Date;
  /** Null: never. */
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}
