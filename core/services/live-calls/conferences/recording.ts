import type { ConferenceRecordingRow } from '../../../data/rows.js';
import { newId } from '../../../model/ids.js';
import type { CallCommand, CommandOutcome } from '../../../ports/command-bus.js';
import { EngineError, type MediaItem } from '../../../ports/engine.js';
import type { LiveCall } from '../call/live-call.js';
import type { LiveCalls } from '../registry/live-calls.js';
import type { RecordingConsent } from '../../recordings/consent.js';
import type { ConferenceRegistry, LiveConference } from './conference-registry.js';
import type { ConferenceState } from '../../call-state/conference-state.js';

type Wanted = Extract<CallCommand, { type: 'record_conference' }>;

/** Limit for a recording that nobody stops, in a conference that nobody leaves. */
const LONGEST_SECONDS = 86_400;

/**
 * Recordings of a whole conference: at most one at a time. Each is stored with a call that was present at its start,
 * and is handled in that call's turn. The call stays loaded until the recording is over, even if the call itself ended
 * long before.
 */
export class ConferenceRecordings {
  constructor(
    private readonly calls: LiveCalls,
    private readonly registry: ConferenceRegistry,
    private readonly consent: Pick<RecordingConsent, 'announcement'>,
  ) {}

  /**
   * Resolves when the recording runs. If the project announces recordings, plays the announcement to all participants.
   * Does nothing if a recording runs.
   */
  async start(command: Wanted): Promise<CommandOutcome> {
    const { calls, registry } = this;
    const { conferenceId } = command;
    const held = registry.get(conferenceId);
    if (!held || calls.engine.status.status === 'unreachable') return { result: 'not_controllable' };
    const { conference } = held;
    const announcement = await this.consent.announcement(conference.row.project_id);
    if (!registry.canBeJoined(held)) return { result: 'conference_ended', conferenceId };
    if (conference.recording) return { result: 'done' };
    if (announcement === null) return { result: 'not_announced' };
    const live = conference.present.map(({ call_id }) => calls.get(call_id)).find((call) => call !== undefined);
    if (!live) return { result: 'not_controllable' };
    const recording = recordingOf(conference, live.callId, command.maxSeconds, calls.clock.now());
    conference.recording = recording;
    return calls.post(live.callId, async () => {
      if (calls.get(live.callId) !== live) {
        // The call has just ended: the command can be repeated with another one.
        conference.recording = null;
        return { result: 'not_controllable' };
      }
      live.state.addRecording(recording);
      calls.watchRecording(recording.id, live.callId);
      this.#note(live, command);
      try {
        await calls.commit(live);
        await this.#begin(live, recording);
        await this.#announce(held, announcement);
      } finally {
        await calls.settle(live);
      }
      return { result: 'done' };
    });
  }

  /** Resolves when the engine has stopped recording. Does nothing if no recording runs. */
  async stop(command: Wanted): Promise<CommandOutcome> {
    const { calls } = this;
    const { conferenceId } = command;
    const held = this.registry.get(conferenceId);
    if (!held || calls.engine.status.status === 'unreachable') return { result: 'not_controllable' };
    const { recording } = held.conference;
    if (!recording) return { result: 'done' };
    return calls.post(recording.call_id, async () => {
      await calls.engine.recordings.stop(recording.id);
      const live = calls.get(recording.call_id);
      if (live) {
        this.#note(live, command);
        await this.#over(live, recording);
      }
      return { result: 'done' };
    });
  }

  /**
   * Stops the recording after the last participant has left. Resolves when this is stored. If the engine is
   * unreachable, the recording is stopped when its audio is fetched.
   */
  async end({ recording }: ConferenceState): Promise<void> {
    if (!recording) return;
    const { calls } = this;
    await calls.post(recording.call_id, async () => {
      const live = calls.get(recording.call_id);
      await ignoringEngineErrors(calls.engine.recordings.stop(recording.id));
      if (live) await this.#over(live, recording);
    });
  }

  /** Records that the engine ended the recording. */
  ended(conferenceId: string, recordingId: string): void {
    const conference = this.registry.get(conferenceId)?.conference;
    if (conference?.recording?.id === recordingId) conference.recording = null;
  }

  /**
   * Runs after an outage, in the turn of the call with which the recording is stored: starts a recording that was
   * stored but never started, and ends one whose conference is empty.
   * @param running ids of the engine's recordings
   */
  async reconcile(live: LiveCall, running: ReadonlySet<string>): Promise<void> {
    const recording = live.state.conferenceRecording;
    if (!recording) return;
    const { engine } = this.calls;
    this.calls.watchRecording(recording.id, live.callId);
    const conference = this.registry.get(recording.conference_id)?.conference;
    if (!conference || conference.present.length === 0) {
      await ignoringEngineErrors(engine.recordings.stop(recording.id));
      return this.#over(live, recording);
    }
    conference.recording = recording;
    if (!running.has(recording.id)) await ignoringEngineErrors(this.#begin(live, recording));
  }

  /** Runs in the call's turn: plays the announcement to a customer who entered a recorded conference. */
  async greet(live: LiveCall): Promise<void> {
    const { state, seats } = live;
    const { conference } = state;
    const held = this.registry.get(conference?.id ?? '');
    const leg = state.legOf('customer');
    if (!conference?.recording || !held || !leg || held.informedLegs.has(leg.id) || !seats.talks(leg.id)) return;
    held.informedLegs.add(leg.id);
    const announcement = await this.consent.announcement(conference.row.project_id);
    if (announcement === null) {
      // Nobody may be recorded without the announcement.
      this.calls.run(conference.recording.call_id, () => this.#giveUp(conference));
    } else if (announcement.length > 0) {
      await live.play(leg.id, announcement);
    }
  }

  async #giveUp({ recording }: ConferenceState): Promise<void> {
    const live = this.calls.get(recording?.call_id ?? '');
    if (!recording || !live) return;
    live.note('recording.not_announced');
    await ignoringEngineErrors(this.calls.engine.recordings.stop(recording.id));
    await this.#over(live, recording);
  }

  async #begin(live: LiveCall, recording: ConferenceRecordingRow): Promise<void> {
    const { id: recordingId, conference_id: bridgeId, channels } = recording;
    const maxSeconds = recording.max_seconds ?? LONGEST_SECONDS;
    try {
      await this.calls.engine.recordings.start({ recordingId, bridgeId, channels, maxSeconds });
    } catch (error) {
      // Whether any audio was recorded turns out when it is fetched.
      await this.#over(live, recording);
      throw error;
    }
  }

  async #over(live: LiveCall, recording: ConferenceRecordingRow): Promise<void> {
    this.ended(recording.conference_id, recording.id);
    live.state.stopRecording(recording.id, this.calls.clock.now());
    await this.calls.settle(live);
  }

  /** Plays to everyone in the bridge at once. Later participants hear it when they enter. */
  async #announce(held: LiveConference, announcement: readonly MediaItem[]): Promise<void> {
    const { conference } = held;
    held.informedLegs.clear();
    for (const { call_id, leg_id } of conference.present) {
      if (this.calls.get(call_id)?.seats.talks(leg_id)) held.informedLegs.add(leg_id);
    }
    if (announcement.length === 0 || held.informedLegs.size === 0) return;
    const target = { bridgeId: conference.id };
    await this.calls.engine.media.play({ playbackId: newId(), target, items: announcement });
  }

  #note(live: LiveCall, { how, conferenceId, actor, requestId }: Wanted): void {
    live.note(`control.conference_recording_${how}`, { conference_id: conferenceId, actor, request_id: requestId });
  }
}

/** Ignores engine errors: a failure shows in the recording's end, or when its audio is fetched. */
async function ignoringEngineErrors(command: Promise<void>): Promise<void> {
  try {
    await command;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
  }
}

function recordingOf(
  { row }: ConferenceState,
  callId: string,
  maxSeconds: number | null,
  now: Date,
): ConferenceRecordingRow {
  return {
    id: newId(),
    conference_id: row.id,
    call_id: callId,
    leg_id: null,
    leg: null,
    box_id: null,
    is_greeting: null,
    organization_id: row.organization_id,
    project_id: row.project_id,
    engine_id: row.engine_id,
    status: 'recording',
    channels: 1,
    max_seconds: maxSeconds,
    started_at: now,
    ended_at: null,
    duration_ms: null,
    bytes: null,
    storage: null,
    storage_key: null,
    legal_hold: false,
    deleted_at: null,
  };
}
