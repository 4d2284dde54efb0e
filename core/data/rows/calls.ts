import type { CallDirection, CallKind, CallStatus, Disposition, LegRole, LegStatus } from '../../model/call/call.js';
import type { MediaQuality } from '../../model/call/quality.js';
import type { FraudRule, ProjectFraudLimits } from '../../model/fraud/limits.js';

/** Options of a call besides its destination. */
export interface CallOptions {
  readonly ring_timeout_seconds: number;
  readonly max_duration_seconds: number;
  readonly record: boolean;
  /** Whether that recording is transcribed; absent: no. */
  readonly transcribe?: boolean;
  /** Digits sent after the answer; `w` waits half a second. */
  readonly send_digits: string | null;
}

export interface CallRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly engine_id: string;
  /** The engine's epoch at the last write, set by the writer from the fence. */
  readonly epoch: number;
  readonly sandbox: boolean;
  /** Whether the platform makes the call for itself; nobody sees, controls or records it. Null means no. */
  readonly system: boolean | null;
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
  /** The call program and its state. */
  readonly program: object;
  readonly options: CallOptions;
  /** Sequence of the call's last event; never decreases. */
  readonly last_sequence: number;
  readonly created_by_key: string | null;
  readonly request_id: string | null;
  readonly created_at: Date;
  readonly originating_at: Date | null;
  readonly ringing_at: Date | null;
  readonly answered_at: Date | null;
  readonly ended_at: Date | null;
}

/** A time on hold; `to` is null while it lasts. ISO 8601. */
export interface HoldTime {
  readonly from: string;
  readonly to: string | null;
}

export interface LegRow {
  readonly id: string;
  readonly call_id: string;
  readonly role: LegRole;
  /** Endpoint of the leg, as defined by the engine port. */
  readonly endpoint: object;
  readonly number: string | null;
  readonly billable: boolean;
  readonly status: LegStatus;
  readonly on_hold: boolean;
  /** Oldest first; null: never. */
  readonly holds: readonly HoldTime[] | null;
  readonly muted: boolean;
  readonly created_at: Date;
  readonly ringing_at: Date | null;
  readonly answered_at: Date | null;
  readonly ended_at: Date | null;
  readonly hangup_q850: number | null;
  readonly hangup_sip_code: number | null;
  readonly hangup_text: string | null;
  /** Set at the end of the leg, if it was measured. */
  readonly quality: MediaQuality | null;
}

/** Written once per billable leg; a trigger refuses changes and deletion. */
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

/** Timeline entries besides the call's events. Never contains DTMF digits. */
export interface TimelineRow {
  readonly id: string;
  readonly call_id: string;
  readonly at: Date;
  readonly type: string;
  readonly data: object;
}

/** Why an agent, or a project (`agent` null), may dial nothing outside, until it is released. */
export interface FraudBlockRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly agent: string | null;
  readonly rule: FraudRule;
  /** The limit: calls, seconds or millionths of a riyal. */
  readonly at_most: number;
  /** What was called when the limit was reached. */
  readonly number_masked: string;
  readonly blocked_at: Date;
  readonly released_at: Date | null;
  /** Null: by the operator. */
  readonly released_by_key: string | null;
  /** Whether the block ends the live calls that it concerns; null: no. */
  readonly ends_calls: boolean | null;
  /** When all of them were over; null before that, and if they continue. */
  readonly calls_ended_at: Date | null;
}

/** Defaults of the limits against toll fraud. */
export interface FraudDefaultsRow {
  readonly id: string;
  /** Null: of the whole installation. */
  readonly organization_id: string | null;
  /** For projects and agents that say nothing else. */
  readonly limits: ProjectFraudLimits;
  /** Whether a block ends live calls; null: as the installation says, and no there. */
  readonly ends_calls: boolean | null;
}

/** A prefix whose numbers count as premium. */
export interface HighRiskPrefixRow {
  /** E.164. */
  readonly prefix: string;
  readonly note: string | null;
  readonly created_at: Date;
}
