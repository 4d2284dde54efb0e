import type { ConferenceRow, ParticipantRow } from '../../data/rows.js';
import type { ConferenceState, Leaving } from './conference-state.js';
import { TrackedRows } from './tracked-rows.js';

/** Conference rows to write with the next changes of a call. */
export interface ConferenceChanges {
  readonly conferences: readonly ConferenceRow[];
  readonly participants: readonly ParticipantRow[];
}

/** The conference that one call is in, and the rows of it that the call changed since its last commit. Pure. */
export class ConferenceMembership {
  #current: ConferenceState | null = null;
  /** The conference to write; the call may have left it since. */
  #touched: ConferenceState | null = null;
  readonly #participants = new TrackedRows<ParticipantRow>([]);

  /** The conference, or null. */
  get current(): ConferenceState | null {
    return this.#current;
  }

  get isChanged(): boolean {
    return this.#touched !== null;
  }

  /** Restores or clears the conference; changes no row. */
  set(conference: ConferenceState | null): void {
    this.#current = conference;
  }

  /** Has the conference's row written with the next changes. */
  touch(): void {
    this.#touched = this.#current;
  }

  /** Has a participant's row and its conference written with the next changes. */
  put(participant: ParticipantRow): void {
    this.#participants.put(participant);
    this.touch();
  }

  /**
   * Takes a leg out of the conference.
   * @param exits as {@link ConferenceState.leave}
   * @returns null if the leg is not in it
   */
  leave(legId: string, at: Date, exits: boolean): (Leaving & { readonly conference: ConferenceState }) | null {
    const conference = this.#current;
    const left = conference?.leave(legId, at, exits);
    if (!conference || !left) return null;
    this.put(left.participant);
    return { ...left, conference };
  }

  /** Returns the rows that changed since the previous call of this method. */
  takeChanges(): ConferenceChanges {
    const changes = {
      conferences: this.#touched ? [this.#touched.row] : [],
      participants: this.#participants.takeChanged(),
    };
    this.#touched = null;
    return changes;
  }
}
