import type { PartyRole } from '../../model/call/call.js';

/**
 * `held`: a message that has ended in the engine and that its caller has not sent yet. `stopped`:
 * ended in the engine, with audio still to be stored. `available`, `failed` (the audio was lost)
 * and `deleted` are final, except that an available recording can be deleted.
 */
export type RecordingStatus = 'recording' | 'paused' | 'held' | 'stopped' | 'available' | 'failed' | 'deleted';

interface LegSource {
  readonly conference_id: null;
  readonly call_id: string;
  readonly leg_id: string;
  readonly leg: PartyRole;
  /** The voicemail box of a message; null for a recording of the call. */
  readonly box_id: string | null;
  /** Whether it becomes the box's greeting; null means no. */
  readonly is_greeting: boolean | null;
}

interface ConferenceSource {
  readonly conference_id: string;
  /**
   * A call that was in the conference when the recording started: the recording is written and
   * reported with this call.
   */
  readonly call_id: string;
  readonly leg_id: null;
  readonly leg: null;
  readonly box_id: null;
  readonly is_greeting: null;
}

/**
 * A recording of what one leg's phone says (channel 1) and hears (channel 2), or of both mixed in
 * one channel.
 */
export type LegRecordingRow = LegSource & RecordingBase;

/** A one-channel recording of everything heard in a conference. */
export type ConferenceRecordingRow = ConferenceSource & RecordingBase;

export type RecordingRow = LegRecordingRow | ConferenceRecordingRow;

interface RecordingBase {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly engine_id: string;
  readonly status: RecordingStatus;
  readonly channels: 1 | 2;
  /** Whether to transcribe the stored recording; absent or null: no. */
  readonly transcribe?: boolean | null;
  /** The engine stops recording after this time; null: at the end of the leg. */
  readonly max_seconds: number | null;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly duration_ms: number | null;
  readonly bytes: number | null;
  /** Storage and key of the audio. */
  readonly storage: 'local' | 's3' | null;
  readonly storage_key: string | null;
  /** Protects the recording from retention and from deletion through the API. */
  readonly legal_hold: boolean;
  readonly deleted_at: Date | null;
}

export interface AudioFileRow {
  readonly id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly name: string;
  readonly duration_ms: number;
  readonly bytes: number;
  readonly created_at: Date;
}
