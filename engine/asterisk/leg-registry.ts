import { LegRegistry as CommonLegRegistry, type RegisteredLeg as CommonLeg } from '../common/leg-registry.js';
import { RepeatedDigits } from './repeated-digits.js';

export interface RegisteredLeg extends CommonLeg {
  /** The cause that the remote side sent. */
  remoteQ850: number | null;
  echo: boolean;
  /** The bridge in which it monitors another leg. */
  monitors: string | null;
  /** Its phone requested an attended transfer. */
  attended: boolean;
  /** Its hold bridge. */
  held: string | null;
  /** The bridges it has been in; null for a leg that another process created, whose history is unknown. */
  readonly bridges: Set<string> | null;
  readonly repeatedDigits: RepeatedDigits;
}

type Known = Partial<Pick<RegisteredLeg, 'pending' | 'answered' | 'ringing' | 'bridges'>>;

export class LegRegistry extends CommonLegRegistry<RegisteredLeg, Known> {
  constructor() {
    super((leg) => ({
      ...leg,
      remoteQ850: null,
      ...{
        echo: false,
        monitors: null,
        attended: false,
        held: null,
        bridges: new Set(),
        repeatedDigits: new RepeatedDigits(),
      },
    }));
  }
}

/** Whether a leg is inbound: its channel has an id from Asterisk. */
export function isInbound(leg: RegisteredLeg): boolean {
  return leg.legId !== leg.channelId;
}
