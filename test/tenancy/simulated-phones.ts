import type { Clock } from '../../core/ports/clock.js';
import type { LegEndpoint, Recordings } from '../../core/ports/engine.js';
import { PARTIES, type Party } from '../../engine/simulator/party.js';
import { SimulatorEngine } from '../../engine/simulator/simulator-engine.js';
import { DESCRIPTORS } from '../../main/engines/kinds/index.js';
import type { EngineKindDescriptor } from '../../main/engines/kinds/kind.js';

/** Ends of numbers that ring until they are cancelled, and of busy ones. All other parties answer at once and stay. */
export const [RINGS, BUSY] = ['99', '98'] as const;

/** An engine for live keys without telephony. Its recordings have no audio. */
class SimulatedPhones extends SimulatorEngine {
  override readonly recordings: Recordings = {
    start: () => Promise.resolve(),
    pause: () => Promise.resolve(),
    resume: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    collect: (_, channels) => Promise.resolve(Array.from({ length: channels }, () => null)),
    discard: () => Promise.resolve(),
    finished: () => Promise.resolve([]),
  };

  constructor(clock: Clock) {
    super({ clock, partyOf });
  }
}

function partyOf(endpoint: LegEndpoint): Party {
  const number = endpoint.type === 'trunk' ? endpoint.number : '';
  if (number.endsWith(BUSY)) return { ...PARTIES.busy, refuses: { ...PARTIES.busy.refuses, afterMs: 1 } };
  const rings = number.endsWith(RINGS);
  return {
    ringsAfterMs: 1,
    answersAfterMs: rings ? null : 2,
    hangsUpAfterMs: null,
    refuses: null,
    ignoresRingTimeout: rings,
  };
}

/** Until the returned function is called, platforms that start get simulated phones in place of an Asterisk. */
export function simulatePhones(): () => void {
  const { asterisk } = DESCRIPTORS;
  const simulated: EngineKindDescriptor<'asterisk'> = {
    codecs: () => [],
    connect: (_, { clock }) => ({ open: () => new SimulatedPhones(clock) }),
  };
  Object.assign(DESCRIPTORS, { asterisk: simulated });
  return () => void Object.assign(DESCRIPTORS, { asterisk });
}
