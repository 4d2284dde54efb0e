/** What every adapter remembers of a live leg. Nothing here is the truth about a call: it can be rebuilt from a relist. */
export interface RegisteredLeg {
  readonly legId: string;
  readonly channelId: string;
  /** An outbound leg that the engine has not accepted yet: its end is told by the rejection, not by an event. */
  pending: boolean;
  ringing: boolean;
  answered: boolean;
  /** The engine began to end it. */
  hangingUp: boolean;
  /** This side ended it (a command, or the engine's own timeout): no SIP status of the other side stands behind its end. */
  endedHere: boolean;
  /** The cause that a command here ended it with. */
  requestedQ850: number | null;
}

/** The live legs by their own id and by their channel's. */
export class LegRegistry<Leg extends RegisteredLeg, Known extends Partial<Leg>> {
  readonly #byLeg = new Map<string, Leg>();
  readonly #byChannel = new Map<string, Leg>();

  /** @param extend adds what the adapter remembers of a leg that is new to it */
  constructor(private readonly extend: (leg: RegisteredLeg) => Leg) {}

  open(legId: string, channelId: string, known?: Known): Leg {
    const bare: RegisteredLeg = {
      legId,
      channelId,
      pending: false,
      ringing: false,
      answered: false,
      hangingUp: false,
      endedHere: false,
      requestedQ850: null,
    };
    const leg: Leg = { ...this.extend(bare), ...known };
    this.#byLeg.set(legId, leg);
    this.#byChannel.set(channelId, leg);
    return leg;
  }

  leg(legId: string): Leg | undefined {
    return this.#byLeg.get(legId);
  }

  ofChannel(channelId: string): Leg | undefined {
    return this.#byChannel.get(channelId);
  }

  /** The channel to command. An unbooked leg can only be one that Hatif made, whose channel has the leg's id. */
  channelOf(legId: string): string {
    return this.#byLeg.get(legId)?.channelId ?? legId;
  }

  /** A command here is about to end it: the first one's cause stands. @returns the leg, when it is booked */
  noteHangup(legId: string, q850: number): Leg | undefined {
    const leg = this.#byLeg.get(legId);
    if (leg) {
      leg.endedHere = true;
      leg.requestedQ850 ??= q850;
    }
    return leg;
  }

  close(leg: Leg): void {
    this.#byLeg.delete(leg.legId);
    this.#byChannel.delete(leg.channelId);
  }

  all(): readonly Leg[] {
    return [...this.#byLeg.values()];
  }

  /** Those that the engine accepted and that are not among its channels any more. */
  missingFrom(channelIds: ReadonlySet<string>): readonly Leg[] {
    return this.all().filter(({ channelId, pending }) => !pending && !channelIds.has(channelId));
  }
}
