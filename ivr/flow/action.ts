import type { FlowCall } from './flow-call.js';
import type { Outcome } from './outcome.js';
import type { SimulatedCall, SimulationEnd } from './simulated-call.js';

/** Something that a node wants done outside the flow. A phone call performs it, the simulator takes its outcome from a script. */
export interface FlowAction<O extends Outcome = Outcome> {
  /** The action needs a caller who has been answered. An incoming call is answered before the first such action. */
  readonly needsAnswer?: true;
  /** @returns the outcome; null if it comes later from a task, or if another program takes the call or the call ends */
  perform(flow: FlowCall): Promise<O | null>;
  simulate(call: SimulatedCall): O | SimulationEnd | Promise<O>;
  /** Whether the caller or another party did something. If so, the limit on silent steps starts again. */
  isActivity?(outcome: O): boolean;
}
