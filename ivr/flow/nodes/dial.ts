import type { Destination } from '../../../core/model/call/destinations.js';
import { DIAL_DEFAULTS } from '../../../core/model/flow/nodes/dial.js';
import type { FlowAction } from '../action.js';
import type { FlowCall } from '../flow-call.js';
import { act, actLast, type NodeBehaviour } from '../node.js';
import { destinationOf } from '../shared/destination.js';
import { EndAction } from '../shared/end-action.js';
import { SimulationEnd, type SimulatedCall } from '../simulated-call.js';
import { DialTask, type DialStatus } from '../tasks/dial-task.js';

export const dial: NodeBehaviour<'dial'> = ({ to, ring_timeout_seconds, next, after }, ctx) => {
  const destination = destinationOf(to.type, ctx.fill(to.target));
  if (destination === null) {
    ctx.set('dial_status', 'failed');
    return { go: next };
  }
  const ringSeconds = ring_timeout_seconds ?? DIAL_DEFAULTS.ring_timeout_seconds;
  return act(new DialAction(destination, ringSeconds, after !== undefined), (status) => {
    ctx.set('dial_status', status);
    if (status !== 'answered') return { go: next };
    return after === undefined ? actLast(new EndAction('normal')) : { go: after };
  });
};

class DialAction implements FlowAction<DialStatus> {
  /** @param returns the caller comes back if the other party hangs up first */
  constructor(
    private readonly to: Destination,
    private readonly ringSeconds: number,
    private readonly returns: boolean,
  ) {}

  perform(flow: FlowCall): Promise<DialStatus | null> {
    const { to, ringSeconds, returns } = this;
    const saved = flow.takeSavedDial();
    return flow.run(new DialTask({ to, ringSeconds, returns, saved, save: (dialled) => flow.save({ dial: dialled }) }));
  }

  simulate(call: SimulatedCall): DialStatus | SimulationEnd {
    const status = call.next('dials') ?? 'answered';
    if (status !== 'answered' || this.returns) return status;
    return new SimulationEnd('talked', null, { ...this.to });
  }

  isActivity(status: DialStatus): boolean {
    return status === 'answered';
  }
}
