import { LegRegistry as CommonLegRegistry, type RegisteredLeg as CommonLeg } from '../common/leg-registry.js';
import type { Reported } from './rtp-quality.js';

export interface RegisteredLeg extends CommonLeg {
  readonly inbound: boolean;
  readonly createdAt: Date;
  /** As FreeSWITCH tells it of a leg whose answer nobody heard; null of others. */
  answeredAt: Date | null;
  /** It was answered then, and is yet to be parked: until it is, commands would be lost. */
  untoldAnswer: Date | null;
  /** Null: not known, of a leg that another process moved. */
  held: boolean | null;
  echo: boolean | null;
  /** It listens to another. */
  monitors: boolean | null;
  readonly reported: Reported;
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
        untoldAnswer: null,
        held: false,
        echo: false,
        monitors: false,
      },
      reported: { lost: null, jitterTicks: null, roundTripMs: null },
    }));
  }
}
