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
import { canMove, isFinal, type CallStatus, type Disposition } from '../../model/call/call.js';
import { definitionOf, eventOfStatus, type EventData, type EventType } from '../../model/events/index.js';
import type { HangupCause } from '../../model/call/hangup-cause.js';
import type { MediaQuality } from '../../model/call/quality.js';
import { ConferenceMembership } from './conference-membership.js';
import { ConferenceState } from './conference-state.js';
import { leaveQueue } from './queue-wait.js';
import { LegRows } from './leg-rows.js';
import { newMessage } from './voicemail-message.js';
import { AddedRows, type Added } from './added-rows.js';
import { conferenceFacts, type EventFacts } from './event-facts.js';
import type { StoredCall } from './call-archive.js';
import { withoutVariables } from './without-variables.js';
import type { SavedProgram } from './program.js';
import { isOfConference, RecordingRows, type StoredRecording } from './recording-rows.js';
import { TrackedRows } from './tracked-rows.js';

/** All changes of a call, written in one transaction. Events are not in the wire format yet. */
export type CallChanges = Omit<CallEffect, 'fence' | 'events'> & Pick<Added, 'events'>;

/** How a call ended, in addition to its status. */
export interface EndFacts {
  readonly disposition: Disposition;
  readonly cause: HangupCause;
}

const MARKED = {
  on_hold: ['call.held', 'call.resumed'],
  muted: ['call.muted', 'call.unmuted'],
} as const;

/**
 * A call as its owner process holds it: the row, its legs, and the changes since the last commit. Pure: no I/O. The
 * owner takes the changes as one effect and writes it in one transaction: state, events and charges together.
 */
export class CallState {
  #call: CallRow;
  readonly #legs: LegRows;
  readonly #recordings: RecordingRows;
  readonly #transfers: TrackedRows<TransferRow>;
  readonly #membership = new ConferenceMembership();
  #changed = false;
  readonly #added = new AddedRows();

  constructor(
    call: CallRow,
    legs: readonly LegRow[],
    recordings: readonly RecordingRow[] = [],
    transfers: readonly TransferRow[] = [],
  ) {
    this.#call = call;
    this.#legs = new LegRows(legs, () => (this.#changed = true));
    this.#recordings = new RecordingRows(recordings, (recording) => this.set({ recording }));
    this.#transfers = new TrackedRows(transfers);
  }

  /** Restores a stored call. */
  static of({ call, legs, recordings, transfers }: StoredCall): CallState {
    return new CallState(call, legs, recordings, transfers);
  }

  get row(): CallRow {
    return this.#call;
  }

  get legs(): readonly LegRow[] {
    return this.#legs.all;
  }

  /** All legs except supervisors'. */
  get parties(): readonly LegRow[] {
    return this.legs.filter(({ role }) => role !== 'supervisor');
  }

  get isFinal(): boolean {
    return isFinal(this.#call.status);
  }

  /**
   * Whether the call has ended, all its legs have ended (none can still cost money), and no conference recording stored
   * with this call is running.
   */
  get isDone(): boolean {
    return this.isFinal && this.legs.every((leg) => leg.status === 'ended') && !this.conferenceRecording;
  }

  /** Marks events added from now on as produced after an outage. */
  recovering(): void {
    this.#added.recovered = true;
  }

  /** Ends the mode set by `recovering`. */
  caughtUp(): void {
    this.#added.recovered = false;
  }

  leg(legId: string): LegRow | undefined {
    return this.#legs.get(legId);
  }

  /** As {@link LegRows.of}. */
  legOf(role: LegRow['role']): LegRow | undefined {
    return this.#legs.of(role);
  }

  set(patch: Partial<CallRow>): void {
    this.#call = { ...this.#call, ...patch };
    this.#changed = true;
  }

  addLeg(leg: LegRow): void {
    this.#legs.put(leg);
  }

  /** As {@link LegRows.move}. */
  moveLeg(legId: string, status: 'ringing' | 'answered', at: Date): boolean {
    return this.#legs.move(legId, status, at);
  }

  /**
   * Ends a leg, and charges it if it is billable and was answered. @returns false if it has ended already or is unknown
   */
  endLeg(legId: string, cause: HangupCause, at: Date, quality: MediaQuality | null = null): boolean {
    const leg = this.#legs.end(legId, cause, at, quality);
    if (!leg) return false;
    if (leg.billable && leg.answered_at !== null) this.#added.charge(this.#call, leg, leg.answered_at, at);
    this.#recordings.end((recording) => recording.leg_id === legId, at);
    this.leaveConference(legId, at);
    return true;
  }

  get transfers(): readonly TransferRow[] {
    return this.#transfers.all;
  }

  /** The running transfer. */
  get transfer(): TransferRow | undefined {
    return this.transfers.find(({ ended_at }) => ended_at === null);
  }

  /** Adds or replaces a transfer. */
  putTransfer(transfer: TransferRow): void {
    this.#transfers.put(transfer);
    this.#changed = true;
  }

  /** Makes the target of a completed transfer the call's agent: from now on the role `agent` means this leg. */
  makeAgent(legId: string, agent: string | null): void {
    this.#legs.setRole(legId, 'agent');
    this.set({ agent });
  }

  /** Gives the leg of an agent who answered a call that already had an agent the role `transfer`. */
  makeTransferLeg(legId: string): void {
    this.#legs.setRole(legId, 'transfer');
  }

  /** The conference that the call is in. */
  get conference(): ConferenceState | null {
    return this.#membership.current;
  }

  /** Restores the conference of a call that joined it earlier; emits nothing. */
  attach(conference: ConferenceState): void {
    this.#membership.set(conference);
  }

  /** Puts the call's legs into the conference. */
  joinConference(conference: ConferenceState, participants: readonly ParticipantRow[], at: Date): void {
    this.#membership.set(conference);
    this.set({ conference_id: conference.id });
    if (conference.takeCreation()) this.#emitOfConference('conference.created', conference, null, at);
    for (const participant of participants) {
      this.#membership.put(participant);
      this.#emitOfConference('conference.participant_joined', conference, participant, at);
    }
  }

  /** @param exits whether this departure may end the conference for the others */
  leaveConference(legId: string, at: Date, exits = true): void {
    const left = this.#membership.leave(legId, at, exits);
    if (!left) return;
    this.#emitOfConference('conference.participant_left', left.conference, left.participant, at);
    if (left.isLast) this.#emitOfConference('conference.ended', left.conference, null, at);
  }

  /** Clears the call's conference. The call continues. */
  quitConference(): void {
    this.#membership.set(null);
    this.set({ conference_id: null });
  }

  /** Has the conference's row written with this call's next changes. */
  touchConference(): void {
    this.#membership.touch();
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

  /** The running recording of the call's conference, if it is stored with this call. */
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
   * Records that the audio was stored, and emits `call.recording_ready`, `conference.recording_ready` or
   * `voicemail.received`. With null, records that there was no audio.
   * @param subject the conference or the voicemail box that was recorded for
   * @returns false if this was recorded before
   */
  finishRecording(
    recordingId: string,
    kept: StoredRecording | null,
    at: Date,
    subject?: ConferenceState | NumberedBox,
  ): boolean {
    const available = this.#recordings.finish(recordingId, kept);
    if (!available) return available === null;
    if (isOfConference(available)) {
      if (subject instanceof ConferenceState) {
        this.#emitOfConference('conference.recording_ready', subject, null, at, available);
      }
      return true;
    }
    if (available.is_greeting === true) {
      this.note('voicemail.greeting', at);
      return true;
    }
    if (subject !== undefined && 'number_id' in subject) {
      const message = newMessage(this.#call, available, subject, at);
      this.#added.message(message);
      this.#emit('voicemail.received', at, { about: 'voicemail', message });
      return true;
    }
    this.set({ recording_available: true });
    this.#emit('call.recording_ready', at, { about: 'call', legs: this.legs, recording: available });
    return true;
  }

  /**
   * Sets or clears hold or mute on a leg, and on the call if the leg is the customer's.
   * @returns false if nothing changes
   */
  markLeg(legId: string, flag: 'on_hold' | 'muted', value: boolean, at: Date): boolean {
    const leg = this.#legs.mark(legId, flag, value, at);
    if (!leg) return false;
    if (leg.role === 'customer') this.set({ [flag]: value });
    // A supervisor is not a party to the call, so customers' systems do not see the leg.
    if (leg.role !== 'supervisor') this.emit(MARKED[flag][value ? 0 : 1], at, { leg: leg.role });
    return true;
  }

  /** Moves the call to a non-final status. @returns false for an illegal move, which changes nothing */
  move(status: Extract<CallStatus, 'ringing' | 'answered'>, at: Date): boolean {
    if (!canMove(this.#call.status, status)) return false;
    this.set({ status, ...(status === 'ringing' ? { ringing_at: at } : { answered_at: at }) });
    this.emit(eventOfStatus(status), at, {});
    return true;
  }

  /** Moves the call to its final status. @returns false for an illegal move, which changes nothing */
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
    // The simulator ends the remaining legs in the same moment. An engine with telephones reports their ends later, so they
    // are shown as they are.
    const legs = this.#call.sandbox ? this.#legs.allEnded(facts.cause, at) : this.legs;
    this.#emit(eventOfStatus(status), at, { about: 'call', legs, data: {} });
    return true;
  }

  /**
   * Adds an event. If its subject is the call, it carries the whole call as it is now; otherwise only the call's id.
   */
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
    const leg = participant ? this.leg(participant.leg_id) : undefined;
    this.#emit(type, at, conferenceFacts(conference, participant, leg, recording));
  }

  /** A system call has no events. */
  #emit(type: EventType, at: Date, facts: EventFacts): void {
    this.#changed = true;
    if (this.#call.system === true) return;
    this.set({ last_sequence: this.#call.last_sequence + 1 });
    this.#added.event(this.#call, type, at, facts);
  }

  note(type: string, at: Date, data: Readonly<Record<string, unknown>> = {}): void {
    this.#added.note(this.#call.id, type, at, data);
  }

  /** Returns all changes since the previous call of this method, or null if there are none. */
  takeChanges(): CallChanges | null {
    if (!this.#changed && !this.#membership.isChanged && this.#added.isEmpty) return null;
    const effect = {
      call: this.#call,
      legs: this.#legs.takeChanged(),
      recordings: this.#recordings.takeChanged(),
      transfers: this.#transfers.takeChanged(),
      ...this.#membership.takeChanges(),
      ...this.#added.take(),
    };
    this.#changed = false;
    return effect;
  }
}
