import type { Engine } from '../../../core/ports/engine.js';
import type { Heard } from './heard.js';

/** An engine and the events that it reported. */
export interface Opened<E extends Engine = Engine> {
  readonly engine: E;
  readonly heard: Heard;
}
