/** What the adapter remembers of a live leg. Nothing here is the truth about a call: it can be rebuilt from a relist. */
export interface BookedLeg {
  readonly legId: string;
  readonly channelId: string;
  readonly inbound: boolean;
  readonly createdAt: Date;
  /** An outbound leg that FreeSWITCH was asked for and has not made yet: its end is told by the rejection, not by an event. */
  pending: boolean;
  ringing: boolean;
  answered: boolean;
  /** It was answered then, and is yet to be parked: until it is, commands would be lost. */
  untoldAnswer: Date | null;
  /** FreeSWITCH began to end it. */
  hangingUp: boolean;
  /** This side ended it (a command, or the engine's own timeout): no SIP status of the other side stands behind its end. */
  endedHere: boolean;
  /** The cause that a command here ended it with. */
  requestedQ850: number | null;
  /** Null: not known, of a leg that another process moved. */
  held: boolean | null;
  echo: boolean | null;
}

type Known = Partial<Pick<BookedLeg, 'pending' | 'answered' | 'ringing' | 'createdAt' | 'inbound' | 'held' | 'echo'>>;

/** The live legs by their own id and by their channel's. */
export class LegBook {
  readonly #byLeg = new Map<string, BookedLeg>();
  readonly #byChannel = new Map<string, BookedLeg>();

  open(legId: string, channelId: string, known: Known = {}): BookedLeg {
    const leg: BookedLeg = {
      legId,
      channelId,
      inbound: false,
      createdAt: new Date(),
      pending: false,
      ringing: false,
      answered: false,
      untoldAnswer: null,
      hangingUp: false,
      endedHere: false,
      requestedQ850: null,
      held: false,
      echo: false,
      ...known,
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
