import type { ConferenceRecordingRow, RecordingRow } from '../../data/rows.js';
import { TrackedRows } from './tracked-rows.js';

/** Where the audio of a finished recording is stored. */
export type StoredRecording = Pick<RecordingRow, 'duration_ms' | 'bytes' | 'storage' | 'storage_key'>;

/** A call's recordings, including those of voicemail messages and of its conference. */
export class RecordingRows {
  readonly #rows: TrackedRows<RecordingRow>;

  /** @param onChange called with whether a leg is being recorded for the call itself */
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

  /** The leg's running or paused recording, not counting messages. */
  runningOf(legId: string): RecordingRow | undefined {
    return this.all.find((each) => each.leg_id === legId && each.box_id === null && isRunning(each));
  }

  get runningOfConference(): ConferenceRecordingRow | undefined {
    return this.all.filter(isOfConference).find(isRunning);
  }

  /** @returns false if nothing changes, or if the recording has ended */
  mark(recordingId: string, status: 'recording' | 'paused'): boolean {
    const recording = this.get(recordingId);
    if (!recording || !isRunning(recording) || recording.status === status) return false;
    this.put({ ...recording, status });
    return true;
  }

  /**
   * Records that the engine stopped recording. The audio is then due for storage; a message's audio first waits until
   * its caller sends it.
   * @returns false if it has ended already or is unknown
   */
  stop(recordingId: string, at: Date): boolean {
    const recording = this.get(recordingId);
    if (!recording || !isRunning(recording)) return false;
    this.put({ ...recording, status: recording.box_id === null ? 'stopped' : 'held', ended_at: at });
    return true;
  }

  /**
   * Ends the hold of a message: the caller sends it (`stopped`) or discards it (`failed`). @returns false if it is not
   * held
   */
  leaveHold(recordingId: string, status: 'stopped' | 'failed'): boolean {
    const recording = this.get(recordingId);
    if (recording?.status !== 'held') return false;
    this.put({ ...recording, status });
    return true;
  }

  /** Ends recordings that nobody can change any more: messages are sent, greetings are discarded. */
  end(which: (recording: RecordingRow) => boolean, at: Date): void {
    for (const { id, is_greeting } of this.all.filter(which)) {
      this.stop(id, at);
      this.leaveHold(id, is_greeting === true ? 'failed' : 'stopped');
    }
  }

  /**
   * Records where the audio is stored, or that there is none (null). @returns the available recording; null if there is
   * no audio; undefined if this was recorded before
   */
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
