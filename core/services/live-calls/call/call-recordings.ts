import type { LegRecordingRow } from '../../../data/rows.js';
import { newId } from '../../../model/ids.js';
import type { Clock } from '../../../ports/clock.js';
import { EngineError, type Engine } from '../../../ports/engine.js';
import type { CallState } from '../../call-state/call-state.js';

export interface CallRecordingsContext {
  readonly engine: Engine;
  readonly clock: Clock;
  /** Writes all changes so far, so that no recording runs without a stored row. */
  commit(): Promise<void>;
  /** Registers the recording, so that its end event finds the call. */
  watchRecording(recordingId: string, callId: string): void;
}

/** The recordings of one live call: at most one per leg at a time. A system call is never recorded. */
export class CallRecordings {
  constructor(
    private readonly state: CallState,
    private readonly context: CallRecordingsContext,
  ) {}

  /**
   * Records the leg until it ends. Does nothing if the leg is being recorded.
   * @param maxSeconds null: up to the maximum duration of the call
   * @param transcribe transcribe the recording after the call
   * @throws EngineError
   */
  async start(legId: string, channels: 1 | 2, maxSeconds: number | null, transcribe = false): Promise<void> {
    const { state } = this;
    if (state.leg(legId)?.status !== 'answered' || state.recordingOf(legId)) return;
    const wanted = { channels, max_seconds: maxSeconds, transcribe };
    await this.#record(legId, { id: newId(), box_id: null, is_greeting: null, ...wanted });
  }

  /**
   * Records the leg as a message or greeting, independently of any recording of the call. It is held until it is sent
   * or the leg ends. @throws EngineError
   */
  async startMessage(
    legId: string,
    message: Pick<LegRecordingRow, 'id' | 'box_id' | 'is_greeting' | 'max_seconds'>,
  ): Promise<void> {
    if (this.state.leg(legId)?.status !== 'answered') return;
    // Nothing is played to the leg meanwhile, so the mix of both directions is the caller's voice.
    await this.#record(legId, { ...message, channels: 1 });
  }

  /** @throws EngineError */
  async stopMessage(recordingId: string): Promise<void> {
    await this.context.engine.recordings.stop(recordingId);
    this.state.stopRecording(recordingId, this.context.clock.now());
  }

  /** Discards a held message. */
  async dropMessage(recordingId: string): Promise<void> {
    if (!this.state.leaveHold(recordingId, 'failed')) return;
    // Commit first: if this process dies here, the engine's next owner discards the audio.
    await this.context.commit();
    await this.context.engine.recordings.discard(recordingId);
  }

  async #record(
    legId: string,
    wanted: Pick<LegRecordingRow, 'id' | 'box_id' | 'is_greeting' | 'channels' | 'max_seconds' | 'transcribe'>,
  ): Promise<void> {
    const { state, context } = this;
    const leg = state.leg(legId);
    const { row: call } = state;
    if (!leg || leg.role === 'supervisor' || call.system === true) return;
    const recording: LegRecordingRow = {
      ...wanted,
      conference_id: null,
      call_id: call.id,
      leg_id: legId,
      leg: leg.role,
      organization_id: call.organization_id,
      project_id: call.project_id,
      engine_id: call.engine_id,
      status: 'recording',
      started_at: context.clock.now(),
      ended_at: null,
      duration_ms: null,
      bytes: null,
      storage: null,
      storage_key: null,
      legal_hold: false,
      deleted_at: null,
    };
    state.addRecording(recording);
    context.watchRecording(recording.id, call.id);
    await context.commit();
    await this.#begin(recording);
  }

  async stop(legId: string): Promise<void> {
    const running = this.state.recordingOf(legId);
    if (!running) return;
    await this.context.engine.recordings.stop(running.id);
    this.state.stopRecording(running.id, this.context.clock.now());
  }

  /** The recording continues with silence. */
  async pause(legId: string): Promise<void> {
    const running = this.state.recordingOf(legId);
    if (running?.status !== 'recording') return;
    await this.context.engine.recordings.pause(running.id);
    this.state.markRecording(running.id, 'paused');
  }

  async resume(legId: string): Promise<void> {
    const running = this.state.recordingOf(legId);
    if (running?.status !== 'paused') return;
    await this.context.engine.recordings.resume(running.id);
    this.state.markRecording(running.id, 'recording');
  }

  /**
   * Reconciles the recordings after an outage: starts those that were stored but never started, and ends those that the
   * engine no longer has.
   * @param running ids of the engine's recordings
   */
  async reconcile(running: ReadonlySet<string>): Promise<void> {
    for (const recording of this.state.recordings) {
      if (recording.conference_id !== null) continue;
      if (recording.status !== 'recording' && recording.status !== 'paused') continue;
      this.context.watchRecording(recording.id, recording.call_id);
      if (running.has(recording.id)) continue;
      try {
        await this.#begin(recording);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
      }
    }
  }

  async #begin(recording: LegRecordingRow): Promise<void> {
    const { id: recordingId, leg_id: legId, channels } = recording;
    const maxSeconds = recording.max_seconds ?? this.state.row.options.max_duration_seconds;
    try {
      await this.context.engine.recordings.start({ recordingId, legId, channels, maxSeconds });
    } catch (error) {
      // Whether any audio was recorded turns out when it is fetched.
      this.state.stopRecording(recordingId, this.context.clock.now());
      throw error;
    }
  }
}
