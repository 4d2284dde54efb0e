import type { Monitors } from '../../core/ports/engine.js';
import { attempt } from './simulator-legs.js';
import { stopQueue } from './simulator-media.js';
import type { World } from './world.js';

/** There is no audio; only the state is kept: which leg monitors which. */
export function monitorsOf(world: World): Monitors {
  return {
    start: ({ legId, targetLegId, whispers }) =>
      attempt(() => {
        const leg = world.leg(legId);
        world.leg(targetLegId);
        stopQueue(world, legId);
        Object.assign(leg, { held: false, echo: false, bridgeId: null, monitors: { targetLegId, whispers } });
      }),
    stop: (legId) => attempt(() => (world.leg(legId).monitors = null)),
  };
}
