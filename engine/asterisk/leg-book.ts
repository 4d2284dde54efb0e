/** What the adapter remembers of a live leg. Nothing here is the truth about a call: it can be rebuilt from a relist. */
export interface BookedLeg {
  readonly legId: string;
  readonly channelId: string;
  /** An outbound leg whose dial was not accepted yet: its end is told by the rejection, not by an event. */
  pending: boolean;
  ringing: boolean;
  answered: boolean;
  /** Who hung up: an end that this side asked for has no SIP status of the other side. */
  endedHere: boolean;
  echo: boolean;
}

/** The live legs by their own id and by their channel's. */
export class LegBook {
  readonly #byLeg = new Map<string, BookedLeg>();
  readonly #byChannel = new Map<string, BookedLeg>();

  open(legId: string, channelId: string, known: Partial<Pick<BookedLeg, 'pending' | 'answered' | 'ringing'>> = {}) {
    const leg: BookedLeg = {
      legId,
      channelId,
      pending: known.pending ?? false,
      ringing: known.ringing ?? false,
      answered: known.answered ?? false,
      endedHere: false,
      echo: false,
    };
    this.#byLeg.set(legId, leg);
    this.#byChannel.set(channelId, leg);
    return leg;
  }

  leg(legId: string): BookedLeg | undefined {
    return this.#byLeg.get(legId);
  }

  ofChannel(channelId: string): BookedLeg | undefined {
    return this.#byChannel.get(channelId);
  }

  /** The channel to command. An unbooked leg can only be one that Hatif made, whose channel has the leg's id. */
  channelOf(legId: string): string {
    return this.#byLeg.get(legId)?.channelId ?? legId;
  }

  close(leg: BookedLeg): void {
    this.#byLeg.delete(leg.legId);
    this.#byChannel.delete(leg.channelId);
  }

  all(): readonly BookedLeg[] {
    return [...this.#byLeg.values()];
  }
}
