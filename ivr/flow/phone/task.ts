import type { LegEvent } from '../../../core/ports/engine.js';
import type { CallControl, ProgramSignal } from '../../../core/services/call-state/program.js';
import type { FlowOutcome } from '../actions.js';

/** Something under way for a flow. Each method gives its outcome once there is one, and null until then. */
export interface Task {
  start(call: CallControl): Promise<FlowOutcome | null>;
  onLegEvent?(call: CallControl, event: LegEvent): Promise<FlowOutcome | null>;
  onSignal?(call: CallControl, signal: ProgramSignal): Promise<FlowOutcome | null>;
  /** Nobody wants the outcome any more. */
  cancel?(call: CallControl): Promise<void>;
}
