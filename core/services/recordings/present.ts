import type { RecordingRow } from '../../data/rows.js';
import type { LegRole } from '../../model/call.js';
import { isoTime } from '../../model/time.js';

/** A recording as the API and its webhooks show it. */
export interface RecordingObject {
  readonly recording_id: string;
  readonly call_id: string;
  /** Whose phone was recorded: channel 1 is what it said, channel 2 what it heard; one channel has both mixed. */
  readonly leg: LegRole;
  readonly status: RecordingRow['status'];
  readonly channels: 1 | 2;
  readonly format: 'wav';
  /** Pauses included: they are silent, so that the recording keeps the call's time. */
  readonly duration_seconds: number | null;
  readonly bytes: number | null;
  readonly legal_hold: boolean;
  readonly started_at: string;
  readonly ended_at: string | null;
}

export function presentRecording(row: RecordingRow): RecordingObject {
  return {
    recording_id: row.id,
    call_id: row.call_id,
    leg: row.leg,
    status: row.status,
    channels: row.channels,
    format: 'wav',
    duration_seconds: row.duration_ms === null ? null : Math.round(row.duration_ms / 100) / 10,
    bytes: row.bytes,
    legal_hold: row.legal_hold,
    started_at: isoTime(row.started_at),
    ended_at: isoTime(row.ended_at),
  };
}
