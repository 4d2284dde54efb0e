import type { NumberedBox } from '../../../data/repositories/voicemail/voicemail-boxes.js';
import type { RecordingRow } from '../../../data/rows.js';
import type { Clock } from '../../../ports/clock.js';
import type { EngineEvent } from '../../../ports/engine-events.js';
import type { CallArchive } from '../../call-state/call-archive.js';
import { CallState } from '../../call-state/call-state.js';
import { ConferenceState } from '../../call-state/conference-state.js';
import type { StoredRecording } from '../../call-state/recording-rows.js';
import type { Conferences } from '../conferences/conferences.js';
import type { LiveCalls } from '../registry/live-calls.js';

export interface FinishedRecordingsOptions {
  readonly archive: CallArchive;
  readonly clock: Clock;
  /** Returns the voicemail box of a number, whichever project has the number now. */
  readonly boxOf: (numberId: string) => Promise<NumberedBox | null>;
}

type RecordingFinished = Extract<EngineEvent, { type: 'recording.finished' }>;

/** Recordings that the engine has ended, and whose audio is then stored. */
export class FinishedRecordings {
  constructor(
    private readonly calls: LiveCalls,
    private readonly conferences: Conferences,
    private readonly options: FinishedRecordingsOptions,
  ) {}

  /** The engine has stopped recording a live call. Runs in the call's turn. */
  async stopped(callId: string, { recordingId, at }: RecordingFinished): Promise<void> {
    const live = this.calls.get(callId);
    if (!live?.state.stopRecording(recordingId, at)) return;
    const recording = live.state.recording(recordingId);
    if (recording) this.conferences.recorded(recording);
    live.note('recording.finished');
    await this.calls.commit(live);
    this.calls.signal(callId, { type: 'recorded', recordingId });
    await this.calls.settle(live);
  }

  /**
   * Records that a recording's audio was stored, or that there is none (null), in its call, live or ended. The call
   * then emits the event.
   */
  stored(recording: RecordingRow, kept: StoredRecording | null): Promise<void> {
    const { id, call_id: callId } = recording;
    return this.calls.post(callId, async () => {
      const subject = await this.#subjectOf(recording);
      const at = this.options.clock.now();
      const live = this.calls.get(callId);
      if (live) {
        live.state.finishRecording(id, kept, at, subject);
        return this.calls.settle(live);
      }
      const written = await this.options.archive.whole(callId);
      if (!written) return;
      const state = CallState.of(written);
      state.finishRecording(id, kept, at, subject);
      await this.calls.write(state);
    });
  }

  async #subjectOf({ conference_id, box_id }: RecordingRow): Promise<ConferenceState | NumberedBox | undefined> {
    if (conference_id !== null) return this.#conferenceOf(conference_id);
    return box_id === null ? undefined : ((await this.options.boxOf(box_id)) ?? undefined);
  }

  async #conferenceOf(conferenceId: string): Promise<ConferenceState | undefined> {
    const held = this.conferences.get(conferenceId);
    if (held) return held;
    const written = await this.options.archive.conference(conferenceId);
    return written ? new ConferenceState(written) : undefined;
  }
}
