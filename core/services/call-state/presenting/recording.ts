import type { ConferenceRecordingRow, LegRecordingRow, RecordingRow } from '../../../data/rows.js';
import type {
  AnyRecordingObject,
  ConferenceRecordingObject,
  RecordingObject,
} from '../../../model/objects/recording.js';
import { isoTime } from '../../../model/time.js';

type RecordingFacts = Omit<RecordingObject, 'call_id' | 'leg' | 'customer_number'>;

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
    // To clients, a held message is waiting to be stored, like a stopped recording.
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
