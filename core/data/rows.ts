/**
 * The rows as they stand in the tables: one interface a table, the columns' own names, plain values. Points in time are Dates
 * with milliseconds; null is SQL's null. `object` is jsonb whose shape belongs to the service that writes it.
 */
import type { CallDirection, CallKind, CallStatus, Disposition, LegRole, LegStatus } from '../model/call.js';
import type { ParticipantLeg } from '../model/conference.js';
import type { EventPattern, EventType } from '../model/events.js';
import type { TransferStatus, TransferTarget, TransferType } from '../model/transfer.js';

export type AccountKind = 'sandbox' | 'production';
/** `both` says it in Arabic, then in English. */
export type RecordingAnnouncement = 'off' | 'ar' | 'en' | 'both';
export type KeyKind = 'sandbox' | 'live';

/** Where a call can be sent. */
export interface Destination {
  readonly type: string;
  readonly target: string | null;
}

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

export interface TrunkRow {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly transport: 'udp' | 'tcp' | 'tls';
  readonly username: string | null;
  /** Sealed. */
  readonly password: string | null;
  readonly inbound_addresses: readonly string[];
  /** Whether numbers outside the home country may leave by it. */
  readonly foreign_numbers: boolean;
  readonly is_default: boolean;
  readonly created_at: Date;
}

export interface NumberRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly e164: string;
  readonly state: 'assigned' | 'released';
  /** What an incoming call reaches; null nothing. */
  readonly binding: Destination | null;
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
  readonly created_at: Date;
}

export type EngineKind = 'asterisk' | 'freeswitch' | 'simulator';

export interface EngineRow {
  readonly id: string;
  readonly name: string;
  readonly kind: EngineKind;
  readonly status: 'up' | 'unreachable';
  readonly boot_id: string | null;
  readonly version: string | null;
  /** The process that holds the lease, or held it last; null when it was given back. */
  readonly owner: string | null;
  /** Grows with each new owner; every write of a call carries it. */
  readonly epoch: number;
  readonly lease_expires_at: Date | null;
  readonly seen_at: Date | null;
  /** Added by command. The others are what the settings of processes name. */
  readonly managed: boolean;
  /** Where its control interface is; null of one that is not managed. */
  readonly address: EngineAddress | null;
  /** Of the control interface, sealed. */
  readonly password: string | null;
  /** Where it takes SIP: phones, carriers and the other engines reach it there. Null: not known. */
  readonly sip_host: string | null;
  readonly sip_port: number | null;
  /** Whether it answers there, as its owner sees it; null while that is not looked at. */
  readonly sip_status: 'up' | 'down' | null;
  /** Its share of new calls, beside the weights of the others. */
  readonly weight: number;
  /** As many calls are placed on it at a time; null has no limit. */
  readonly max_calls: number | null;
  /** Takes no new calls. */
  readonly draining: boolean;
  /** Is no engine any more; its calls of old remain. */
  readonly removed_at: Date | null;
}

/** How an engine is commanded: Asterisk's ARI, or FreeSWITCH's event socket. */
export type EngineAddress =
  { readonly url: string; readonly user: string } | { readonly host: string; readonly port: number };

/** What was asked for beside the destination. */
export interface CallOptions {
  readonly ring_timeout_seconds: number;
  readonly max_duration_seconds: number;
  readonly record: boolean;
  /** Digits sent after the answer; `w` waits half a second. */
  readonly send_digits: string | null;
}

export interface CallRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly engine_id: string;
  /** The engine's epoch at the last write. The writer sets it from the fence. */
  readonly epoch: number;
  readonly sandbox: boolean;
  readonly kind: CallKind;
  readonly direction: CallDirection;
  readonly status: CallStatus;
  readonly customer_number: string;
  readonly line_number: string | null;
  readonly caller_id_number: string | null;
  readonly caller_id_name: string | null;
  readonly queue_id: string | null;
  readonly served_queue_id: string | null;
  readonly agent: string | null;
  readonly callflow_id: string | null;
  readonly conference_id: string | null;
  readonly on_hold: boolean;
  readonly muted: boolean;
  readonly recording: boolean;
  readonly recording_available: boolean;
  readonly disposition: Disposition | null;
  readonly hangup_q850: number | null;
  readonly hangup_sip_code: number | null;
  readonly hangup_text: string | null;
  readonly queued_seconds: number | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Extra receiver of this call's events. */
  readonly webhook_url: string | null;
  /** What the call does: the call program and its state. */
  readonly program: object;
  readonly options: CallOptions;
  /** Sequence of the call's last event; never goes down. */
  readonly last_sequence: number;
  readonly created_by_key: string | null;
  readonly request_id: string | null;
  readonly created_at: Date;
  readonly originating_at: Date | null;
  readonly ringing_at: Date | null;
  readonly answered_at: Date | null;
  readonly ended_at: Date | null;
}

export interface LegRow {
  readonly id: string;
  readonly call_id: string;
  readonly role: LegRole;
  /** Where it goes or where it came from, in the engine port's words. */
  readonly endpoint: object;
  readonly number: string | null;
  readonly billable: boolean;
  readonly status: LegStatus;
  readonly on_hold: boolean;
  readonly muted: boolean;
  readonly created_at: Date;
  readonly ringing_at: Date | null;
  readonly answered_at: Date | null;
  readonly ended_at: Date | null;
  readonly hangup_q850: number | null;
  readonly hangup_sip_code: number | null;
  readonly hangup_text: string | null;
}

/**
 * `stopped`: over in the engine, its audio waits to be brought to the storage. `available`, `failed` (no audio was left to bring) and
 * `deleted` are final, except that what is available may be deleted.
 */
export type RecordingStatus = 'recording' | 'paused' | 'stopped' | 'available' | 'failed' | 'deleted';

/** A recording of what one leg's phone says (channel 1) and hears (channel 2), or of both mixed in one channel. */
export interface RecordingRow {
  readonly id: string;
  readonly call_id: string;
  readonly leg_id: string;
  readonly leg: LegRole;
  readonly organization_id: string;
  readonly project_id: string;
  readonly engine_id: string;
  readonly status: RecordingStatus;
  readonly channels: 1 | 2;
  /** The engine stops by itself after this time; null: with the leg. */
  readonly max_seconds: number | null;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly duration_ms: number | null;
  readonly bytes: number | null;
  /** Which storage has it, and under what key. */
  readonly storage: 'local' | 's3' | null;
  readonly storage_key: string | null;
  /** Neither retention nor the API deletes it. */
  readonly legal_hold: boolean;
  readonly deleted_at: Date | null;
}

/** A call is given, or was to be given, to another party. Its target's leg is an agent's from its completion on. */
export interface TransferRow {
  readonly id: string;
  readonly call_id: string;
  readonly project_id: string;
  readonly type: TransferType;
  readonly destination: TransferTarget;
  readonly ring_timeout_seconds: number;
  readonly status: TransferStatus;
  /** Whose party transfers; null where the customer was alone. */
  readonly from_leg_id: string | null;
  /** The target's; null while it was not rung. */
  readonly leg_id: string | null;
  /** The extension behind the target, once it is rung; null for others. */
  readonly agent: string | null;
  /** The API key; null: the transferor's phone itself. */
  readonly requested_by: string | null;
  readonly request_id: string;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}

/** Calls of one engine that talk together. */
export interface ConferenceRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly engine_id: string;
  readonly sandbox: boolean;
  readonly name: string;
  readonly max_participants: number;
  readonly created_at: Date;
  /** From here on nobody joins any more. */
  readonly ended_at: Date | null;
  /** The last participant has left, and the end was told. */
  readonly emptied_at: Date | null;
}

/** A leg in a conference. It leaves by its end. Whether it is muted or on hold the leg itself says. */
export interface ParticipantRow {
  readonly id: string;
  readonly conference_id: string;
  readonly call_id: string;
  readonly leg_id: string;
  readonly leg: ParticipantLeg;
  /** The conference begins with the first of these; who came before waits with music. */
  readonly start_on_enter: boolean;
  /** The conference ends for all when this one leaves. */
  readonly end_on_exit: boolean;
  /** A tone tells the others of the coming and the leaving. */
  readonly beep: boolean;
  /** The API key. */
  readonly requested_by: string | null;
  readonly request_id: string;
  readonly joined_at: Date;
  readonly left_at: Date | null;
}

/** Written once for each billable leg; the database refuses to change or delete it. */
export interface ChargeRow {
  readonly id: string;
  readonly leg_id: string;
  readonly call_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly direction: CallDirection;
  readonly kind: CallKind;
  readonly number: string | null;
  readonly started_at: Date;
  readonly seconds: number;
  readonly created_at: Date;
}

/** What happened in a call beside its events. Never holds DTMF digits. */
export interface TimelineRow {
  readonly id: string;
  readonly call_id: string;
  readonly at: Date;
  readonly type: string;
  readonly data: object;
}

/** An event that webhooks tell of (outbox). Of a call: with its sequence from 1. */
export interface EventRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly call_id: string | null;
  readonly sequence: number | null;
  readonly type: EventType;
  readonly data: object;
  readonly sandbox: boolean;
  /** Made after an outage from what the engine had noted. */
  readonly recovered: boolean;
  readonly created_at: Date;
}

export interface WebhookEndpointRow {
  readonly id: string;
  readonly project_id: string;
  readonly url: string;
  readonly events: readonly EventPattern[];
  readonly description: string | null;
  /** Sealed. */
  readonly secret: string;
  /** Sealed; signs too until it expires. */
  readonly previous_secret: string | null;
  readonly previous_secret_expires_at: Date | null;
  readonly status: 'enabled' | 'disabled';
  readonly disabled_reason: string | null;
  readonly failing_since: Date | null;
  readonly created_at: Date;
}

export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  /** Null for a call's own receiver, whose address is `url`. */
  readonly endpoint_id: string | null;
  /** The endpoint's id, or `call:<call_id>`. */
  readonly lane: string;
  readonly url: string | null;
  readonly project_id: string;
  readonly call_id: string | null;
  readonly sequence: number | null;
  readonly status: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly next_attempt_at: Date;
  readonly locked_until: Date | null;
  readonly created_at: Date;
  readonly delivered_at: Date | null;
  readonly last_error: string | null;
}

export interface AttemptRow {
  readonly id: string;
  readonly delivery_id: string;
  readonly at: Date;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
}

export interface IdempotencyRow {
  readonly key_id: string;
  readonly method: string;
  readonly path: string;
  readonly idempotency_key: string;
  readonly body_hmac: string;
  readonly state: 'running' | 'done';
  readonly status_code: number | null;
  /** The body that is answered again; any JSON value. */
  readonly response: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly created_at: Date;
  readonly expires_at: Date;
}

export interface AuditRow {
  readonly id: string;
  readonly organization_id: string | null;
  readonly project_id: string | null;
  readonly key_id: string | null;
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly status: number;
  readonly error_code: string | null;
  readonly ip: string;
  readonly details: object;
  readonly created_at: Date;
}

export interface AudioFileRow {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly duration_ms: number;
  readonly bytes: number;
  readonly created_at: Date;
}
