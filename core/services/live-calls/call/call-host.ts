import type { CallControl } from '../../call-state/program.js';
import type { CallState } from '../../call-state/call-state.js';
import type { CallRecordings } from './call-recordings.js';

/** What the parts of a live call (queue, flow, messages) need from the call itself. */
export interface CallHost extends CallControl {
  readonly state: CallState;
  readonly recordings: CallRecordings;
  /** Plays hold music to the leg during a transfer or a queue wait. The leg is not marked as on hold, and no event is sent. */
  park(legId: string): Promise<void>;
  unpark(legId: string): Promise<void>;
}
