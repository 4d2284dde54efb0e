import type { Rig } from '../rigs/rig.js';
import { bridges } from '../scenarios/bridges.js';
import { callsIn, callsOut } from '../scenarios/calls.js';
import { control, registrations } from '../scenarios/control.js';
import { inside } from '../scenarios/inside.js';
import { digits, playing } from '../scenarios/playing.js';

/** Checks by normalised traces that every engine behaves in the same way. `makeRig` is called once. */
export function conformance(makeRig: () => Promise<Rig>): void {
  let rig: Rig;

  before(async () => {
    rig = await makeRig();
  });
  afterEach(async () => {
    await rig.tidy();
  });
  after(async () => {
    await rig.close();
  });

  for (const scenarios of [callsOut, callsIn, inside, playing, digits, bridges, control, registrations]) {
    scenarios(() => rig);
  }
}
