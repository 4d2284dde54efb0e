import type { PartyRole } from '../../model/call/call.js';

/**
 * `held`: a message that is over in the engine, and that its caller has not sent yet. `stopped`: over in the engine, its audio waits to be
 * brought to the storage. `available`, `failed` (no audio was left to bring) and
 * `deleted` are final, except that what is available may be deleted.
 */
export type RecordingStatus = 'recording' | 'paused' | 'held' | 'stopped' | 'available' | 'failed' | 'deleted';

interface OfLeg {
  readonly conference_id: null;
  readonly call_id: string;
  readonly leg_id: string;
  readonly leg: PartyRole;
  /** The voicemail box that it is a message for; null for a recording of the call. */
  readonly box_id: string | null;
  /** Whether it is to be the box's greeting instead; null is no. */
  readonly is_greeting: boolean | null;
}

interface OfConference {
  readonly conference_id: string;
  /** One that was in the conference when the recording began: it is written down, and told, with this call. */
  readonly call_id: string;
  readonly leg_id: null;
  readonly leg: null;
  readonly box_id: null;
  readonly is_greeting: null;
}

/** A recording of what one leg's phone says (channel 1) and hears (channel 2), or of both mixed in one channel. */
export type LegRecordingRow = OfLeg & Recorded;

/** A recording of all that is heard in a conference, in one channel. */
export type ConferenceRecordingRow = OfConference & Recorded;

export type RecordingRow = LegRecordingRow | ConferenceRecordingRow;

interface Recorded {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly engine_id: string;
  readonly status: RecordingStatus;
  readonly channels: 1 | 2;
  /** Whether what is said is to be written down, once it is kept; absent as null: nobody asked for it. */
  readonly transcribe?: boolean | null;
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

export interface AudioFileRow {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly duration_ms: number;
  readonly bytes: number;
  readonly created_at: Date;
}
