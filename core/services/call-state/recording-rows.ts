import type { ConferenceRecordingRow, RecordingRow } from '../../data/rows.js';
import { TrackedRows } from './tracked-rows.js';

/** Where the audio of a finished recording is. */
export type StoredRecording = Pick<RecordingRow, 'duration_ms' | 'bytes' | 'storage' | 'storage_key'>;

/** A call's recordings, those of its legs' messages and of its conference among them. */
export class RecordingRows {
  readonly #rows: TrackedRows<RecordingRow>;

  /** @param onChange is told whether a leg is recorded as the call's own */
  constructor(
    written: readonly RecordingRow[],
    private readonly onChange: (isRecorded: boolean) => void,
  ) {
    this.#rows = new TrackedRows(written);
  }

  get all(): readonly RecordingRow[] {
    return this.#rows.all;
  }

  get(recordingId: string): RecordingRow | undefined {
    return this.#rows.get(recordingId);
  }

  put(recording: RecordingRow): void {
    this.#rows.put(recording);
    this.onChange(this.all.some((each) => isOfCall(each) && isRunning(each)));
  }

  takeChanged(): RecordingRow[] {
    return this.#rows.takeChanged();
  }

  /** The recording of the leg that runs or pauses now; a message is none. */
  runningOf(legId: string): RecordingRow | undefined {
    return this.all.find((each) => each.leg_id === legId && each.box_id === null && isRunning(each));
  }

  get runningOfConference(): ConferenceRecordingRow | undefined {
    return this.all.filter(isOfConference).find(isRunning);
  }

  /** @returns false when it is so already, or the recording is over. */
  mark(recordingId: string, status: 'recording' | 'paused'): boolean {
    const recording = this.get(recordingId);
    if (!recording || !isRunning(recording) || recording.status === status) return false;
    this.put({ ...recording, status });
    return true;
  }

  /**
   * The engine records no more; the audio waits to be kept, that of a message for its caller to send it.
   * @returns false when it is over already or unknown.
   */
  stop(recordingId: string, at: Date): boolean {
    const recording = this.get(recordingId);
    if (!recording || !isRunning(recording)) return false;
    this.put({ ...recording, status: recording.box_id === null ? 'stopped' : 'held', ended_at: at });
    return true;
  }

  /** The caller sends the message (`stopped`), or wants it no more. @returns false when it is not held. */
  leaveHold(recordingId: string, status: 'stopped' | 'failed'): boolean {
    const recording = this.get(recordingId);
    if (recording?.status !== 'held') return false;
    this.put({ ...recording, status });
    return true;
  }

  /** Nobody is there any more who could still do something about them: a message is sent, a greeting was not wanted. */
  end(which: (recording: RecordingRow) => boolean, at: Date): void {
    for (const { id, is_greeting } of this.all.filter(which)) {
      this.stop(id, at);
      this.leaveHold(id, is_greeting === true ? 'failed' : 'stopped');
    }
  }

  /** Its audio is kept, or there was none (null). @returns it, once, where it is. */
  finish(recordingId: string, kept: StoredRecording | null): RecordingRow | null | undefined {
    const recording = this.get(recordingId);
    if (recording?.status !== 'stopped') return undefined;
    const finished = kept === null ? null : { ...recording, ...kept, status: 'available' as const };
    this.put(finished ?? { ...recording, status: 'failed' });
    return finished;
  }
}

function isRunning({ status }: RecordingRow): boolean {
  return status === 'recording' || status === 'paused';
}

function isOfCall({ conference_id, box_id }: RecordingRow): boolean {
  return conference_id === null && box_id === null;
}

export function isOfConference(recording: RecordingRow): recording is ConferenceRecordingRow {
  return recording.conference_id !== null;
}
