import type { LoadedFlow } from '../../../core/services/callflows/flow-cache.js';
import type { FlowAction } from '../action.js';
import type { FlowCall } from '../flow-call.js';
import { SimulationEnd, type SimulatedCall } from '../simulated-call.js';
import { DatabaseUnavailable } from '../../../core/data/errors.js';

/** Null: the project has no such flow, it is not active, or it cannot be read now. */
interface Loaded {
  readonly flow: LoadedFlow | null;
}

/** Loads a flow. */
export class LoadAction implements FlowAction<Loaded> {
  /** @param version null: the active one */
  constructor(
    private readonly callflowId: string,
    private readonly version: number | null,
  ) {}

  async perform({ call, deps }: Pick<FlowCall, 'call' | 'deps'>): Promise<Loaded> {
    try {
      return { flow: await deps.load(call.flow.parties, this.callflowId, this.version) };
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      call.note('flow.unreadable', { callflow_id: this.callflowId });
      return { flow: null };
    }
  }

  async simulate(call: SimulatedCall): Promise<Loaded> {
    return { flow: await call.load(this.callflowId, this.version) };
  }
}

/** Ends the flow because it cannot continue. */
export class FaultAction implements FlowAction<never> {
  constructor(private readonly reason: string) {}

  perform(flow: FlowCall): Promise<null> {
    return flow.fail(this.reason);
  }

  simulate(): SimulationEnd {
    return new SimulationEnd('fault', this.reason);
  }
}
