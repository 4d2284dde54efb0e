import type { Monitors } from '../../core/ports/engine.js';
import { attempt } from './simulator-legs.js';
import { stopQueue } from './simulator-media.js';
import type { World } from './world.js';

/** Nothing is to be heard here, but it is known who would hear whom. */
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
