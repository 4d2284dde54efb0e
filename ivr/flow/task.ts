import type { LegEvent } from '../../core/ports/engine-events.js';
import type { CallControl, ProgramSignal } from '../../core/services/call-state/program.js';
import type { Outcome } from './outcome.js';

/** An action that takes time on a phone call. Each method returns the outcome once there is one, and null until then. */
export interface Task<O extends Outcome = Outcome> {
  start(call: CallControl): Promise<O | null>;
  onLegEvent?(call: CallControl, event: LegEvent): Promise<O | null>;
  onSignal?(call: CallControl, signal: ProgramSignal): Promise<O | null>;
  /** As in `CallProgram`. */
  onLegReplaced?(call: CallControl, replacedLegId: string, legId: string): void;
  /** The outcome is no longer needed. */
  cancel?(call: CallControl): Promise<void>;
}
