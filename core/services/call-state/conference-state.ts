import type { ConferenceRecordingRow, ConferenceRow, ParticipantRow } from '../../data/rows.js';

/** Somebody left, and whether nobody is left now. */
export interface Leaving {
  readonly participant: ParticipantRow;
  readonly isLast: boolean;
}

/**
 * A conference as its owner holds it, shared by the records of the calls in it. Pure, and changed within one turn: whoever asks for a seat
 * has it or not, however many ask at once.
 */
export class ConferenceState {
  #row: ConferenceRow;
  readonly #participants = new Map<string, ParticipantRow>();
  #isCreationTold: boolean;
  /** The one that runs. */
  recording: ConferenceRecordingRow | null = null;

  /** @param participants who was in it before, where it was taken over. */
  constructor(row: ConferenceRow, participants: readonly ParticipantRow[] = []) {
    this.#row = row;
    this.#isCreationTold = participants.length > 0;
    for (const participant of participants) this.#participants.set(participant.leg_id, participant);
  }

  get id(): string {
    return this.#row.id;
  }

  get row(): ConferenceRow {
    return this.#row;
  }

  /** Who is in it, or about to be. */
  get present(): readonly ParticipantRow[] {
    return [...this.#participants.values()].filter(({ left_at }) => left_at === null);
  }

  /** Whether it can be joined. */
  get isOpen(): boolean {
    return this.#row.ended_at === null;
  }

  /** Whether somebody has entered with whom it begins; before, everybody waits. */
  get isStarted(): boolean {
    return [...this.#participants.values()].some(({ start_on_enter }) => start_on_enter);
  }

  /** Whose leg it is or was in this conference. */
  participant(legId: string): ParticipantRow | undefined {
    return this.#participants.get(legId);
  }

  isIn(legId: string): boolean {
    return this.#participants.get(legId)?.left_at === null;
  }

  /** Nobody ever was in it. */
  get isUnused(): boolean {
    return this.#participants.size === 0;
  }

  /** Gives each a seat, or none any. @returns false when there are not so many. */
  admit(newcomers: readonly ParticipantRow[]): boolean {
    if (this.present.length + newcomers.length > this.#row.max_participants) return false;
    for (const newcomer of newcomers) this.#participants.set(newcomer.leg_id, newcomer);
    return true;
  }

  /** @returns true once: that there is such a conference has to be told. */
  takeCreation(): boolean {
    const isToTell = !this.#isCreationTold;
    this.#isCreationTold = true;
    return isToTell;
  }

  /**
   * @param exits whether the leaving may end the conference for the others.
   * @returns null when the leg is not in it.
   */
  leave(legId: string, at: Date, exits: boolean): Leaving | null {
    const before = this.#participants.get(legId);
    if (before?.left_at !== null) return null;
    const participant = { ...before, left_at: at };
    this.#participants.set(legId, participant);
    if (exits && participant.end_on_exit) this.close(at);
    if (this.present.length > 0) return { participant, isLast: false };
    const isLast = this.#row.emptied_at === null;
    this.close(at);
    this.#row = { ...this.#row, emptied_at: this.#row.emptied_at ?? at };
    return { participant, isLast };
  }

  /** Nobody joins from here on. */
  close(at: Date): void {
    this.#row = { ...this.#row, ended_at: this.#row.ended_at ?? at };
  }
}
