/** What every adapter caches about a live leg. The engine is the source of truth: a relist rebuilds all of it. */
export interface RegisteredLeg {
  readonly legId: string;
  readonly channelId: string;
  /** An outbound leg that the engine has not accepted yet. If it ends now, the rejection reports that, not an event. */
  pending: boolean;
  ringing: boolean;
  answered: boolean;
  /** The engine has started to hang it up. */
  hangingUp: boolean;
  /** This side ended it (a command or the engine's own timeout), so its end carries no SIP status of the remote side. */
  endedHere: boolean;
  /** The Q.850 cause of the command that ended it. */
  requestedQ850: number | null;
}

/** The live legs, indexed by leg id and by channel id. */
export class LegRegistry<Leg extends RegisteredLeg, Known extends Partial<Leg>> {
  readonly #byLeg = new Map<string, Leg>();
  readonly #byChannel = new Map<string, Leg>();

  /** @param extend adds the adapter's own fields to a new leg */
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

  /** Returns the channel to command. Only legs that Hatif originated can be unregistered, and their channel id is the leg id. */
  channelOf(legId: string): string {
    return this.#byLeg.get(legId)?.channelId ?? legId;
  }

  /** Records that a command is about to end the leg; the cause of the first command wins. @returns the leg, if registered */
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

  /** Returns the legs that the engine had accepted and that are not among `channelIds`. */
  missingFrom(channelIds: ReadonlySet<string>): readonly Leg[] {
    return this.all().filter(({ channelId, pending }) => !pending && !channelIds.has(channelId));
  }
}
