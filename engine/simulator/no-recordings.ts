import { EngineError, type Recordings } from '../../core/ports/engine.js';

const refuse = (): Promise<never> =>
  Promise.reject(new EngineError('unsupported', 'The simulator has no sound to record'));

export const NO_RECORDINGS: Recordings = {
  start: refuse,
  pause: refuse,
  resume: refuse,
  stop: refuse,
  collect: refuse,
  discard: refuse,
  finished: () => Promise.resolve([]),
};
