import { Q850 } from '../../../core/model/call/hangup-cause.js';
import type { Ending } from '../../../core/services/call-state/program.js';
import { NORMAL } from '../../dialogue/endings.js';
import type { FlowAction } from '../action.js';
import type { FlowCall } from '../flow-call.js';
import { SimulationEnd } from '../simulated-call.js';

export type EndReason = 'normal' | 'busy' | 'rejected';

const ENDINGS: Readonly<Record<EndReason, Ending>> = {
  normal: NORMAL,
  busy: { q850: Q850.USER_BUSY, status: 'missed', disposition: 'busy' },
  rejected: { q850: Q850.CALL_REJECTED, status: 'missed', disposition: 'rejected' },
};

/** Ends the call. */
export class EndAction implements FlowAction<never> {
  constructor(private readonly reason: EndReason) {}

  perform(flow: FlowCall): Promise<null> {
    return flow.end(ENDINGS[this.reason]);
  }

  simulate(): SimulationEnd {
    return new SimulationEnd('hangup', this.reason);
  }
}
