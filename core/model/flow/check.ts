import { faultsOfNode } from './check-node.js';
import { linksOf, referencesOf, successorsOf, type FlowReference } from './contents.js';
import type { GraphDefinition } from './definition.js';
import { cyclesOf, pathBetween } from './loops.js';
import { descriptorOf } from './node-types.js';
import type { FaultCode, FlowFault } from './parts/faults.js';
import { RETURN } from './parts/fields.js';
import { MAX_NODES } from './parts/limits.js';
import type { ReferenceKind } from './parts/references.js';

/** What the project contains besides the flow that is checked. */
export interface FlowSurroundings {
  /** By kind, what the project has of it: ids, numbers in E.164, agents' extensions. */
  readonly known: Readonly<Record<Exclude<ReferenceKind, 'callflow'>, ReadonlySet<string>>>;
  /** The project's other flows, each with the ids of the flows that it calls as subflows. */
  readonly callflows: ReadonlyMap<string, { readonly isActive: boolean; readonly calls: readonly string[] }>;
}

/**
 * All faults that prevent the activation of a flow, in the order of its nodes.
 * @param id of the flow itself; null if it has no id yet
 */
export function checkFlow(id: string | null, graph: GraphDefinition, around: FlowSurroundings): FlowFault[] {
  const ids = Object.keys(graph.nodes);
  if (ids.length > MAX_NODES) return [flowFault('too_many_nodes', 'nodes', String(MAX_NODES))];
  const references = referencesOf(graph);
  const hasStart = Object.hasOwn(graph.nodes, graph.start);
  const reached = hasStart ? reachable(graph) : null;
  const loops = silentLoops(graph);
  return [
    ...(hasStart ? [] : [flowFault('unknown_start', 'start', graph.start)]),
    ...Object.entries(graph.nodes).flatMap(([nodeId, node]): FlowFault[] => {
      const loop = loops.find((members) => members[0] === nodeId);
      return [
        ...faultsOfNode(nodeId, node),
        ...linkFaults(graph, nodeId),
        ...(reached?.has(nodeId) === false ? [nodeFault('unreachable', nodeId)] : []),
        ...(loop ? [nodeFault('loop_without_input', nodeId, '', shorten(loop))] : []),
        ...references.filter(({ node: at }) => at === nodeId).flatMap((one) => referenceFaults(id, one, around)),
      ];
    }),
  ];
}

function linkFaults({ nodes }: GraphDefinition, id: string): FlowFault[] {
  const node = nodes[id];
  if (!node) return [];
  return linksOf(node).flatMap(({ name, target }) => {
    if (target === null) return [nodeFault('missing_link', id, name, name)];
    return target === RETURN || Object.hasOwn(nodes, target) ? [] : [nodeFault('unknown_link', id, name, target)];
  });
}

function reachable(graph: GraphDefinition): ReadonlySet<string> {
  const reached = new Set([graph.start]);
  for (const id of reached) for (const next of nextOf(graph, id)) reached.add(next);
  return reached;
}

function nextOf({ nodes }: GraphDefinition, id: string): string[] {
  const node = Object.hasOwn(nodes, id) ? nodes[id] : undefined;
  return node === undefined ? [] : successorsOf(node).filter((next) => Object.hasOwn(nodes, next));
}

/** Cycles in which no node asks the caller for anything. */
function silentLoops(graph: GraphDefinition): string[][] {
  const isSilent = (id: string): boolean => {
    const node = graph.nodes[id];
    return !node || descriptorOf(node).asksCaller !== true;
  };
  const silent = Object.keys(graph.nodes).filter(isSilent);
  return cyclesOf(new Map(silent.map((id) => [id, nextOf(graph, id).filter(isSilent)])));
}

const UNKNOWN = {
  audio: 'unknown_audio',
  queue: 'unknown_queue',
  number: 'unknown_number',
  agent: 'unknown_agent',
} as const satisfies Record<Exclude<ReferenceKind, 'callflow'>, FaultCode>;

function referenceFaults(
  own: string | null,
  { kind, node, field, target, returns }: FlowReference,
  { known, callflows }: FlowSurroundings,
): FlowFault[] {
  if (kind !== 'callflow') return known[kind].has(target) ? [] : [nodeFault(UNKNOWN[kind], node, field, target)];
  if (target === own) return returns ? [nodeFault('recursion', node, field, target)] : [];
  const flow = callflows.get(target);
  if (!flow) return [nodeFault('unknown_callflow', node, field, target)];
  if (!flow.isActive) return [nodeFault('inactive_callflow', node, field, target)];
  const cycle = returns && own !== null ? recursionThrough(own, target, callflows) : null;
  return cycle ? [nodeFault('recursion', node, field, shorten(cycle))] : [];
}

/** The flows through which the called flow calls this one again; null if it does not. */
function recursionThrough(own: string, called: string, callflows: FlowSurroundings['callflows']): string[] | null {
  return pathBetween(new Map(Array.from(callflows, ([id, { calls }]) => [id, calls])), called, own);
}

function nodeFault(code: FaultCode, node: string, field = '', about = ''): FlowFault {
  return { code, node, field, about };
}

/** A fault of the flow as a whole. */
function flowFault(code: FaultCode, field: string, about: string): FlowFault {
  return { code, node: null, field, about };
}

/** The first ids of a path: enough to find it in the flow. */
function shorten(path: readonly string[]): string {
  const most = 10;
  return [...path.slice(0, most), ...(path.length > most ? ['…'] : [])].join(' → ');
}
