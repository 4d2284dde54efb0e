import type { LegStage } from './dialled-leg.js';
import type { CallVelocity } from './velocity.js';

/**
 * Limits how fast outside numbers are called. Softphones of the platform may be rung at any rate.
 * @throws HatifError CALL_VELOCITY_EXCEEDED
 */
export function velocityStage(velocity?: CallVelocity): LegStage {
  return async ({ to, route, isCounted, ...leg }) => {
    if (!isCounted || to.type !== 'number' || route?.billable === false) return;
    await velocity?.take({ ...leg, to: to.target });
  };
}
