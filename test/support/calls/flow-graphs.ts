import { checkFlow, type FlowSurroundings } from '../../../core/model/flow/check.js';
import type { GraphDefinition } from '../../../core/model/flow/definition.js';
import type { FlowNode } from '../../../core/model/flow/node-types.js';
import type { FlowScript, SimulationResult } from '../../../core/model/flow/script.js';
import type { LoadedFlow } from '../../../core/services/callflows/flow-cache.js';
import { simulateFlow } from '../../../ivr/flow/machine/simulate.js';

export const FLOW_ID = '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11';

/** An empty project. */
export const NOTHING: FlowSurroundings = {
  known: { audio: new Set(), queue: new Set(), number: new Set(), agent: new Set() },
  callflows: new Map(),
};

/** A graph that starts at its first node. */
export function graph(nodes: Record<string, FlowNode>, more: Partial<GraphDefinition> = {}): GraphDefinition {
  return { start: Object.keys(nodes)[0] ?? '', nodes, ...more };
}

/** Each fault as `code node.field`. */
export function faultsOf(given: GraphDefinition, around: Partial<FlowSurroundings> = {}): string[] {
  return checkFlow(FLOW_ID, given, { ...NOTHING, ...around }).map(({ code, node, field }) => {
    return `${code} ${node ?? ''}${field === '' ? '' : `.${field}`}`.trim();
  });
}

export function loaded(given: GraphDefinition, callflowId = FLOW_ID): LoadedFlow {
  return { callflowId, version: 1, graph: given };
}

export const NOON = new Date('2026-11-22T09:00:00Z');

/** @param others the project's other active flows, by id */
export function simulate(
  given: GraphDefinition,
  script: FlowScript = {},
  others: Readonly<Record<string, GraphDefinition>> = {},
): Promise<SimulationResult> {
  const load = (id: string): Promise<LoadedFlow | null> => {
    const other = others[id];
    return Promise.resolve(other ? loaded(other, id) : null);
  };
  return simulateFlow(loaded(given), script, load, NOON);
}
