import type { ConferenceRecordingRow, ConferenceRow, ParticipantRow } from '../../data/rows.js';

/** A participant who left, and whether the conference is empty now. */
export interface Leaving {
  readonly participant: ParticipantRow;
  readonly isLast: boolean;
}

/**
 * A conference as its owner process holds it, shared by the states of its calls. Pure and synchronous, so concurrent
 * joins cannot exceed the limit of participants.
 */
export class ConferenceState {
  #row: ConferenceRow;
  readonly #participants = new Map<string, ParticipantRow>();
  #isCreationEmitted: boolean;
  /** The running recording. */
  recording: ConferenceRecordingRow | null = null;

  /** @param participants of a conference taken over from another process */
  constructor(row: ConferenceRow, participants: readonly ParticipantRow[] = []) {
    this.#row = row;
    this.#isCreationEmitted = participants.length > 0;
    for (const participant of participants) this.#participants.set(participant.leg_id, participant);
  }

  get id(): string {
    return this.#row.id;
  }

  get row(): ConferenceRow {
    return this.#row;
  }

  /** Participants who are in the conference or about to join. */
  get present(): readonly ParticipantRow[] {
    return [...this.#participants.values()].filter(({ left_at }) => left_at === null);
  }

  /** Whether it can be joined. */
  get isOpen(): boolean {
    return this.#row.ended_at === null;
  }

  /** Whether a participant with `start_on_enter` has entered. Until then, everybody waits. */
  get isStarted(): boolean {
    return [...this.#participants.values()].some(({ start_on_enter }) => start_on_enter);
  }

  /** The leg's current or former participation in this conference. */
  participant(legId: string): ParticipantRow | undefined {
    return this.#participants.get(legId);
  }

  isIn(legId: string): boolean {
    return this.#participants.get(legId)?.left_at === null;
  }

  /** Whether nobody has ever joined. */
  get isUnused(): boolean {
    return this.#participants.size === 0;
  }

  /** Adds all newcomers, or none. @returns false if there are too few free places */
  admit(newcomers: readonly ParticipantRow[]): boolean {
    if (this.present.length + newcomers.length > this.#row.max_participants) return false;
    for (const newcomer of newcomers) this.#participants.set(newcomer.leg_id, newcomer);
    return true;
  }

  /** @returns true the first time only, when `conference.created` is due */
  takeCreation(): boolean {
    const isDue = !this.#isCreationEmitted;
    this.#isCreationEmitted = true;
    return isDue;
  }

  /**
   * @param exits whether this departure may end the conference for the others
   * @returns null if the leg is not in it
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

  /** Lets nobody join from now on. */
  close(at: Date): void {
    this.#row = { ...this.#row, ended_at: this.#row.ended_at ?? at };
  }
}
