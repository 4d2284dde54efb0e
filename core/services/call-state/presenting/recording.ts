import type { ConferenceRecordingRow, LegRecordingRow, RecordingRow } from '../../../data/rows.js';
import type { PartyRole } from '../../../model/call/call.js';
import { isoTime } from '../../../model/time.js';

interface RecordingFacts {
  readonly recording_id: string;
  readonly status: Exclude<RecordingRow['status'], 'held'>;
  readonly channels: 1 | 2;
  readonly format: 'wav';
  /** Pauses included: they are silent, so that the recording keeps the call's time. */
  readonly duration_seconds: number | null;
  readonly bytes: number | null;
  readonly legal_hold: boolean;
  readonly started_at: string;
  readonly ended_at: string | null;
}

/** A recording as the API and its webhooks show it. */
export interface RecordingObject extends RecordingFacts {
  readonly call_id: string;
  /** Whose phone was recorded: channel 1 is what it said, channel 2 what it heard; one channel has both mixed. */
  readonly leg: PartyRole;
}

/** A recording of all that was heard in a conference. */
export interface ConferenceRecordingObject extends RecordingFacts {
  readonly conference_id: string;
}

/** A recording as its operator sees it, whatever it is of. */
export interface AnyRecordingObject extends RecordingFacts {
  readonly call_id: string | null;
  readonly conference_id: string | null;
  readonly leg: PartyRole | null;
}

export function presentRecording(row: LegRecordingRow): RecordingObject {
  const { recording_id, ...facts } = factsOf(row);
  return { recording_id, call_id: row.call_id, leg: row.leg, ...facts };
}

export function presentConferenceRecording(row: ConferenceRecordingRow): ConferenceRecordingObject {
  const { recording_id, ...facts } = factsOf(row);
  return { recording_id, conference_id: row.conference_id, ...facts };
}

export function presentAnyRecording(row: RecordingRow): AnyRecordingObject {
  const { recording_id, ...facts } = factsOf(row);
  const { conference_id, leg } = row;
  return { recording_id, call_id: conference_id === null ? row.call_id : null, conference_id, leg, ...facts };
}

function factsOf(row: RecordingRow): RecordingFacts {
  return {
    recording_id: row.id,
    // What is held waits to be kept, as what is stopped does.
    status: row.status === 'held' ? 'stopped' : row.status,
    channels: row.channels,
    format: 'wav',
    duration_seconds: row.duration_ms === null ? null : Math.round(row.duration_ms / 100) / 10,
    bytes: row.bytes,
    legal_hold: row.legal_hold,
    started_at: isoTime(row.started_at),
    ended_at: isoTime(row.ended_at),
  };
}
