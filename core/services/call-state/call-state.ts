import type { CallEffect } from '../../data/call-writer.js';
import type { NumberedBox } from '../../data/repositories/voicemail/voicemail-boxes.js';
import type {
  CallRow,
  ConferenceRecordingRow,
  LegRow,
  ParticipantRow,
  RecordingRow,
  TransferRow,
} from '../../data/rows.js';
import { canMove, canMoveLeg, isFinal, type CallStatus, type Disposition } from '../../model/call/call.js';
import { definitionOf, eventOfStatus, type EventData, type EventType } from '../../model/events/index.js';
import type { HangupCause } from '../../model/call/hangup-cause.js';
import type { MediaQuality } from '../../model/call/quality.js';
import { ConferenceState } from './conference-state.js';
import { leaveQueue } from './queue-wait.js';
import { newMessage } from './voicemail-message.js';
import { AddedRows, type Added } from './added-rows.js';
import type { EventFacts } from './event-facts.js';
import type { StoredCall } from './call-archive.js';
import { withoutVariables } from './without-variables.js';
import type { SavedProgram } from './program.js';
import { isOfConference, RecordingRows, type StoredRecording } from './recording-rows.js';
import { TrackedRows } from './tracked-rows.js';

/** Everything that changed in a call, to be written in one transaction; events are still facts. */
export type CallChanges = Omit<CallEffect, 'fence' | 'events'> & Pick<Added, 'events'>;

/** How a call ended, beside its status. */
export interface EndFacts {
  readonly disposition: Disposition;
  readonly cause: HangupCause;
}

const MARKED = {
  on_hold: ['call.held', 'call.resumed'],
  muted: ['call.muted', 'call.unmuted'],
} as const;

/**
 * A call as its owner holds it: the row, its legs, and what has changed since the last commit. Pure: nothing here waits or speaks to
 * anyone. The owner takes the changes as one effect, which is written as one transaction: state, events and charges together.
 */
export class CallState {
  #call: CallRow;
  readonly #legs: TrackedRows<LegRow>;
  readonly #recordings: RecordingRows;
  readonly #transfers: TrackedRows<TransferRow>;
  #conference: ConferenceState | null = null;
  /** Those who joined or left. */
  readonly #participants = new TrackedRows<ParticipantRow>([]);
  /** The one that is written with the next changes. */
  #touchedConference: ConferenceState | null = null;
  #changed = false;
  readonly #added = new AddedRows();

  constructor(
    call: CallRow,
    legs: readonly LegRow[],
    recordings: readonly RecordingRow[] = [],
    transfers: readonly TransferRow[] = [],
  ) {
    this.#call = call;
    this.#legs = new TrackedRows(legs);
    this.#recordings = new RecordingRows(recordings, (recording) => this.set({ recording }));
    this.#transfers = new TrackedRows(transfers);
  }

  /** A call as it was written down, with all that belongs to it. */
  static of({ call, legs, recordings, transfers }: StoredCall): CallState {
    return new CallState(call, legs, recordings, transfers);
  }

  get row(): CallRow {
    return this.#call;
  }

  get legs(): readonly LegRow[] {
    return this.#legs.all;
  }

  /** The legs of the call's parties: without those of supervisors. */
  get parties(): readonly LegRow[] {
    return this.legs.filter(({ role }) => role !== 'supervisor');
  }

  get isFinal(): boolean {
    return isFinal(this.#call.status);
  }

  /** Over, no leg is left that could still cost something, and no conference's recording goes on that is written with this call. */
  get isDone(): boolean {
    return this.isFinal && this.legs.every((leg) => leg.status === 'ended') && !this.conferenceRecording;
  }

  /** Events from now on are made after an outage. */
  recovering(): void {
    this.#added.recovered = true;
  }

  /** Events from now on are ordinary again. */
  caughtUp(): void {
    this.#added.recovered = false;
  }

  leg(legId: string): LegRow | undefined {
    return this.#legs.get(legId);
  }

  /** The role's newest leg; of agents, where several were rung for one call, who answered last. */
  legOf(role: LegRow['role']): LegRow | undefined {
    const legs = this.legs.filter((leg) => leg.role === role);
    const answered = role === 'agent' ? legs.filter(({ answered_at }) => answered_at !== null) : [];
    return answered.sort(byAnswer).at(-1) ?? legs.at(-1);
  }

  set(patch: Partial<CallRow>): void {
    this.#call = { ...this.#call, ...patch };
    this.#changed = true;
  }

  addLeg(leg: LegRow): void {
    this.#setLeg(leg);
  }

  /** @returns false when the leg may not go there from where it is (a late or repeated event). */
  moveLeg(legId: string, status: 'ringing' | 'answered', at: Date): boolean {
    const leg = this.#legs.get(legId);
    if (!leg || !canMoveLeg(leg.status, status)) return false;
    this.#setLeg({ ...leg, status, ...(status === 'ringing' ? { ringing_at: at } : { answered_at: at }) });
    return true;
  }

  /** Ends a leg and charges it if it is billable and was answered. @returns false when it is over already or unknown. */
  endLeg(legId: string, cause: HangupCause, at: Date, quality: MediaQuality | null = null): boolean {
    const leg = this.#legs.get(legId);
    if (!leg || !canMoveLeg(leg.status, 'ended')) return false;
    this.#setLeg({
      ...leg,
      status: 'ended',
      ended_at: at,
      hangup_q850: cause.q850,
      hangup_sip_code: cause.sipCode,
      hangup_text: cause.text,
      quality,
    });
    if (leg.billable && leg.answered_at !== null) this.#added.charge(this.#call, leg, leg.answered_at, at);
    this.#recordings.end((recording) => recording.leg_id === legId, at);
    this.leaveConference(legId, at);
    return true;
  }

  get transfers(): readonly TransferRow[] {
    return this.#transfers.all;
  }

  /** The transfer that goes on. */
  get transfer(): TransferRow | undefined {
    return this.transfers.find(({ ended_at }) => ended_at === null);
  }

  /** A transfer that is new or changed. */
  putTransfer(transfer: TransferRow): void {
    this.#transfers.put(transfer);
    this.#changed = true;
  }

  /** The target of a completed transfer is the agent from here on: what speaks of the agent's leg means this one. */
  makeAgent(legId: string, agent: string | null): void {
    const leg = this.#legs.get(legId);
    if (leg) this.#setLeg({ ...leg, role: 'agent' });
    this.set({ agent });
  }

  /** Who answered when the call had an agent already is not the agent. */
  demote(legId: string): void {
    const leg = this.#legs.get(legId);
    if (leg) this.#setLeg({ ...leg, role: 'transfer' });
  }

  /** The conference that the call is in. */
  get conference(): ConferenceState | null {
    return this.#conference;
  }

  /** The call was in the conference before. */
  attach(conference: ConferenceState): void {
    this.#conference = conference;
  }

  /** The call takes part from here on, with these legs. */
  joinConference(conference: ConferenceState, participants: readonly ParticipantRow[], at: Date): void {
    this.#conference = conference;
    this.set({ conference_id: conference.id });
    if (conference.takeCreation()) this.#emitOfConference('conference.created', conference, null, at);
    for (const participant of participants) {
      this.#putParticipant(participant);
      this.#emitOfConference('conference.participant_joined', conference, participant, at);
    }
  }

  /** @param exits whether the leaving may end the conference for the others. */
  leaveConference(legId: string, at: Date, exits = true): void {
    const conference = this.#conference;
    const left = conference?.leave(legId, at, exits);
    if (!conference || !left) return;
    this.#putParticipant(left.participant);
    this.#emitOfConference('conference.participant_left', conference, left.participant, at);
    if (left.isLast) this.#emitOfConference('conference.ended', conference, null, at);
  }

  /** The call is in no conference any more, and goes on. */
  quitConference(): void {
    this.#conference = null;
    this.set({ conference_id: null });
  }

  /** What has become of the conference is written with this call. */
  touchConference(): void {
    this.#touchedConference = this.#conference;
    this.#changed = true;
  }

  get recordings(): readonly RecordingRow[] {
    return this.#recordings.all;
  }

  recording(recordingId: string): RecordingRow | undefined {
    return this.#recordings.get(recordingId);
  }

  /** As {@link RecordingRows.runningOf}. */
  recordingOf(legId: string): RecordingRow | undefined {
    return this.#recordings.runningOf(legId);
  }

  /** The recording of the call's conference that runs and is written with this call. */
  get conferenceRecording(): ConferenceRecordingRow | undefined {
    return this.#recordings.runningOfConference;
  }

  addRecording(recording: RecordingRow): void {
    this.#recordings.put(recording);
  }

  /** As {@link RecordingRows.mark}. */
  markRecording(recordingId: string, status: 'recording' | 'paused'): boolean {
    return this.#recordings.mark(recordingId, status);
  }

  /** As {@link RecordingRows.stop}. */
  stopRecording(recordingId: string, at: Date): boolean {
    return this.#recordings.stop(recordingId, at);
  }

  /** As {@link RecordingRows.leaveHold}. */
  leaveHold(recordingId: string, status: 'stopped' | 'failed'): boolean {
    return this.#recordings.leaveHold(recordingId, status);
  }

  /**
   * The audio is kept, and `call.recording_ready` tells of it, `conference.recording_ready`, or `voicemail.received`; null: there was none.
   * @param whose the conference or the box that it is of
   * @returns false when that is known already.
   */
  finishRecording(
    recordingId: string,
    kept: StoredRecording | null,
    at: Date,
    whose?: ConferenceState | NumberedBox,
  ): boolean {
    const available = this.#recordings.finish(recordingId, kept);
    if (!available) return available === null;
    if (isOfConference(available)) {
      if (whose instanceof ConferenceState) {
        this.#emitOfConference('conference.recording_ready', whose, null, at, available);
      }
      return true;
    }
    if (available.is_greeting === true) {
      this.note('voicemail.greeting', at);
      return true;
    }
    if (whose !== undefined && 'number_id' in whose) {
      const message = newMessage(this.#call, available, whose, at);
      this.#added.message(message);
      this.#emit('voicemail.received', at, { about: 'voicemail', message });
      return true;
    }
    this.set({ recording_available: true });
    this.#emit('call.recording_ready', at, { about: 'call', legs: this.legs, recording: available });
    return true;
  }

  /**
   * Marks a leg as held or muted, and the call with it where it is the customer's.
   * @returns false when it is so already.
   */
  markLeg(legId: string, flag: 'on_hold' | 'muted', value: boolean, at: Date): boolean {
    const leg = this.#legs.get(legId);
    if (!leg || leg.status === 'ended' || leg[flag] === value) return false;
    this.#setLeg({ ...leg, [flag]: value });
    if (leg.role === 'customer') this.set({ [flag]: value });
    // A supervisor is no party of the call, so customers' systems do not see the leg.
    if (leg.role !== 'supervisor') this.emit(MARKED[flag][value ? 0 : 1], at, { leg: leg.role });
    return true;
  }

  /** Takes the call to a status that is not its last. @returns false for an illegal move, which changes nothing. */
  move(status: Extract<CallStatus, 'ringing' | 'answered'>, at: Date): boolean {
    if (!canMove(this.#call.status, status)) return false;
    this.set({ status, ...(status === 'ringing' ? { ringing_at: at } : { answered_at: at }) });
    this.emit(eventOfStatus(status), at, {});
    return true;
  }

  /** Takes the call to its last status. @returns false for an illegal move, which changes nothing. */
  end(status: Exclude<CallStatus, 'initiated' | 'ringing' | 'answered'>, at: Date, facts: EndFacts): boolean {
    if (!canMove(this.#call.status, status)) return false;
    leaveQueue(this, 'abandoned', null, at);
    this.#recordings.end(({ leg_id }) => leg_id !== null, at);
    const { transfer } = this;
    if (transfer) this.putTransfer({ ...transfer, status: 'failed', ended_at: at });
    this.set({
      status,
      ended_at: at,
      program: withoutVariables(this.#call.program as SavedProgram),
      disposition: facts.disposition,
      hangup_q850: facts.cause.q850,
      hangup_sip_code: facts.cause.sipCode,
      hangup_text: facts.cause.text,
    });
    this.emit(eventOfStatus(status), at, {});
    return true;
  }

  /** Adds an event. One whose subject is the call carries the whole call as it is now, any other one the call's id. */
  emit<T extends EventType>(type: T, at: Date, data: EventData<T>): void {
    const isOfCall = definitionOf(type).subject === 'call';
    this.#emit(type, at, isOfCall ? { about: 'call', legs: this.legs, data } : { about: 'other', data });
  }

  /** Adds `call.transferred`. */
  emitTransferred(transfer: TransferRow, at: Date): void {
    this.#emit('call.transferred', at, { about: 'call', legs: this.legs, transfer });
  }

  #emitOfConference(
    type: EventType,
    conference: ConferenceState,
    participant: ParticipantRow | null,
    at: Date,
    recording?: ConferenceRecordingRow,
  ): void {
    const { muted = false, on_hold = false } = this.leg(participant?.leg_id ?? '') ?? {};
    this.#emit(type, at, {
      about: 'conference',
      conference: {
        row: conference.row,
        participantCount: conference.present.length,
        isRecorded: conference.recording !== null,
      },
      participant: participant && { ...participant, muted, on_hold },
      ...(recording === undefined ? {} : { recording }),
    });
  }

  #emit(type: EventType, at: Date, facts: EventFacts): void {
    this.set({ last_sequence: this.#call.last_sequence + 1 });
    this.#added.event(this.#call, type, at, facts);
  }

  note(type: string, at: Date, data: Readonly<Record<string, unknown>> = {}): void {
    this.#added.note(this.#call.id, type, at, data);
  }

  /** All changes since the last call of this method, or null when there are none. */
  takeChanges(): CallChanges | null {
    if (!this.#changed && this.#added.isEmpty) return null;
    const effect = {
      call: this.#call,
      legs: this.#legs.takeChanged(),
      recordings: this.#recordings.takeChanged(),
      transfers: this.#transfers.takeChanged(),
      conferences: this.#touchedConference ? [this.#touchedConference.row] : [],
      participants: this.#participants.takeChanged(),
      ...this.#added.take(),
    };
    this.#changed = false;
    this.#touchedConference = null;
    return effect;
  }

  #putParticipant(participant: ParticipantRow): void {
    this.#participants.put(participant);
    this.touchConference();
  }

  #setLeg(leg: LegRow): void {
    this.#legs.put(leg);
    this.#changed = true;
  }
}

function byAnswer(one: LegRow, other: LegRow): number {
  return (one.answered_at?.getTime() ?? 0) - (other.answered_at?.getTime() ?? 0);
}
