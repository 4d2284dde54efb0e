import type { FlowAction } from '../action.js';
import type { FlowCall } from '../flow-call.js';
import { act, type NodeBehaviour } from '../node.js';
import { SimulationEnd, type SimulatedCall } from '../simulated-call.js';

/** After a restart in this node the draw is repeated: nothing has followed from the first one. */
export const split: NodeBehaviour<'split'> = ({ branches }) =>
  act(new DrawAction(branches.map(({ weight }) => weight)), (index) => ({ go: branches[index]?.next }));

/** Draws one of the weights. The outcome is its index. */
class DrawAction implements FlowAction<number> {
  constructor(private readonly weights: readonly number[]) {}

  perform({ deps }: FlowCall): Promise<number> {
    return Promise.resolve(indexAt(this.weights, deps.random()));
  }

  simulate(call: SimulatedCall): number | SimulationEnd {
    const index = call.next('splits') ?? 0;
    if (index < this.weights.length) return index;
    return new SimulationEnd('fault', `the script names branch ${index}, which the node does not have`);
  }
}

/** @param share from 0 to below 1, of the sum of the weights */
function indexAt(weights: readonly number[], share: number): number {
  const point = share * weights.reduce((sum, weight) => sum + weight, 0);
  let end = 0;
  return weights.findIndex((weight) => point < (end += weight));
}
