import { SimulatorEngine } from '../../../engine/simulator/simulator-engine.js';
import type { EngineKindDescriptor } from './kind.js';

export const simulator: EngineKindDescriptor<'simulator'> = {
  // It sends no audio.
  codecs: () => [],
  connect: (_, { clock }) => ({ open: () => new SimulatorEngine({ clock, records: true }) }),
};
