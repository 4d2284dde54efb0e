/** What the adapter remembers of a live leg. Nothing here is the truth about a call: it can be rebuilt from a relist. */
export interface BookedLeg {
  readonly legId: string;
  readonly channelId: string;
  /** An outbound leg whose dial was not accepted yet: its end is told by the rejection, not by an event. */
  pending: boolean;
  ringing: boolean;
  answered: boolean;
  /** Asterisk began to end it. */
  hangingUp: boolean;
  /** This side ended it (a command, or the engine's own timeout): no SIP status of the other side stands behind its end. */
  endedHere: boolean;
  /** The cause that a command here ended it with. */
  requestedQ850: number | null;
  /** The cause that the other side gave. */
  remoteQ850: number | null;
  echo: boolean;
  held: boolean;
  /** The bridges in which it heard another; null for a leg of another process's making, of which nobody knows. */
  readonly bridges: Set<string> | null;
}

type Known = Partial<Pick<BookedLeg, 'pending' | 'answered' | 'ringing' | 'bridges'>>;

/** The live legs by their own id and by their channel's. */
export class LegBook {
  readonly #byLeg = new Map<string, BookedLeg>();
  readonly #byChannel = new Map<string, BookedLeg>();

  open(legId: string, channelId: string, known: Known = {}): BookedLeg {
    const leg: BookedLeg = {
      legId,
      channelId,
      pending: false,
      ringing: false,
      answered: false,
      hangingUp: false,
      endedHere: false,
      requestedQ850: null,
      remoteQ850: null,
      echo: false,
      held: false,
      bridges: new Set(),
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

/** A leg that came in: its channel has Asterisk's own id. */
export function isInbound(leg: BookedLeg): boolean {
  return leg.legId !== leg.channelId;
}
