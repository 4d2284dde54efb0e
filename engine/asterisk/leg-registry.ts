import { LegRegistry as CommonLegRegistry, type RegisteredLeg as CommonLeg } from '../common/leg-registry.js';

export interface RegisteredLeg extends CommonLeg {
  /** The cause that the other side gave. */
  remoteQ850: number | null;
  echo: boolean;
  /** The bridge in which it listens to another. */
  monitors: string | null;
  /** Its phone asked to be replaced by another call's party. */
  attended: boolean;
  /** The bridge in which it hears music. */
  held: string | null;
  /** The bridges in which it heard another; null for a leg of another process's making, of which nobody knows. */
  readonly bridges: Set<string> | null;
}

type Known = Partial<Pick<RegisteredLeg, 'pending' | 'answered' | 'ringing' | 'bridges'>>;

export class LegRegistry extends CommonLegRegistry<RegisteredLeg, Known> {
  constructor() {
    super((leg) => ({
      ...leg,
      remoteQ850: null,
      ...{ echo: false, monitors: null, attended: false, held: null, bridges: new Set() },
    }));
  }
}

/** A leg that came in: its channel has Asterisk's own id. */
export function isInbound(leg: RegisteredLeg): boolean {
  return leg.legId !== leg.channelId;
}
