import { LegRegistry as CommonLegRegistry, type RegisteredLeg as CommonLeg } from '../common/leg-registry.js';
import type { RtcpStats } from './rtp-quality.js';

export interface RegisteredLeg extends CommonLeg {
  readonly inbound: boolean;
  readonly createdAt: Date;
  /** The answer time that FreeSWITCH reports for a leg answered during an outage; otherwise null. */
  answeredAt: Date | null;
  /** The leg was answered at this time but is not parked yet: commands would be lost until then. */
  unreportedAnswer: Date | null;
  /** Null if not known, because another process moved the leg. */
  held: boolean | null;
  echo: boolean | null;
  /** It monitors another leg. */
  monitors: boolean | null;
  readonly rtcp: RtcpStats;
}

type Known = Partial<
  Pick<
    RegisteredLeg,
    'pending' | 'answered' | 'answeredAt' | 'ringing' | 'createdAt' | 'inbound' | 'held' | 'echo' | 'monitors'
  >
>;

export class LegRegistry extends CommonLegRegistry<RegisteredLeg, Known> {
  constructor() {
    super((leg) => ({
      ...leg,
      ...{
        inbound: false,
        createdAt: new Date(),
        answeredAt: null,
        unreportedAnswer: null,
        held: false,
        echo: false,
        monitors: false,
      },
      rtcp: { lost: null, jitterTicks: null, roundTripMs: null },
    }));
  }
}
