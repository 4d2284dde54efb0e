import { EngineError, type Recordings } from '../../core/ports/engine.js';

const refuse = (): Promise<never> =>
  Promise.reject(new EngineError('unsupported', 'The simulator cannot record: it has no audio'));

export const NO_RECORDINGS: Recordings = {
  start: refuse,
  pause: refuse,
  resume: refuse,
  stop: refuse,
  collect: refuse,
  discard: refuse,
  finished: () => Promise.resolve([]),
};
