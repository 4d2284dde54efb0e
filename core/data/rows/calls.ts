import type { CallDirection, CallKind, CallStatus, Disposition, LegRole, LegStatus } from '../../model/call/call.js';
import type { MediaQuality } from '../../model/call/quality.js';

/** What was asked for beside the destination. */
export interface CallOptions {
  readonly ring_timeout_seconds: number;
  readonly max_duration_seconds: number;
  readonly record: boolean;
  /** Whether what is said in that recording is written down; absent: no. */
  readonly transcribe?: boolean;
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
  /** Known when the leg is over, if ever. */
  readonly quality: MediaQuality | null;
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
