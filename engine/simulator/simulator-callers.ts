import { Q850 } from '../../core/model/call/hangup-cause.js';
import type { SimulatedCaller } from '../../core/ports/engine.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type { SimulatedLeg, World } from './world.js';

export type IncomingEvent = Extract<LegEvent, { type: 'leg.incoming' }>;

/** How long a caller waits for an answer. */
const PATIENCE_MS = 60_000;
/** From one digit to the next, and each `w`. */
const STEP_MS = 500;
const DIGIT_MS = 100;

/** Opens the leg of a caller, who gives up if nobody answers, and otherwise does what the script says. */
export function enter(
  world: World,
  { legId, source, dialled, callerId, digits, hangsUpAfterMs }: SimulatedCaller,
): IncomingEvent {
  world.require();
  const leg = world.open(legId);
  world.later(leg, PATIENCE_MS, () => {
    if (!leg.answered) world.end(leg, Q850.NORMAL_CLEARING, null);
  });
  leg.onAnswer = () => {
    press(world, leg, digits);
    world.later(leg, hangsUpAfterMs, () => world.end(leg, Q850.NORMAL_CLEARING, null));
  };
  return { type: 'leg.incoming', legId, at: world.clock.now(), source, dialled, callerId };
}

function press(world: World, leg: SimulatedLeg, digits: string): void {
  for (const [index, digit] of Array.from(digits).entries()) {
    if (digit === 'w') continue;
    world.later(leg, (index + 1) * STEP_MS, () => {
      world.emitLegEvent(leg.legId, { type: 'leg.dtmf', digit, durationMs: DIGIT_MS });
    });
  }
}
