import { faultsOfNode } from './check-nodes.js';
import type { FlowNodeType, GraphDefinition } from './definition.js';
import type { FaultCode, FlowFault } from './faults.js';
import { MAX_NODES } from './limits.js';
import { linksOf, successorsOf } from './links.js';
import { circlesOf, wayTo } from './loops.js';
import { RETURN } from './parts.js';
import { referencesOf, type FlowReference, type ReferenceKind } from './references.js';

/** What else there is, besides the flow that is checked. */
export interface FlowSurroundings {
  /** Of a kind, those that the project has; numbers in E.164. */
  readonly known: Readonly<Record<Exclude<ReferenceKind, 'callflow'>, ReadonlySet<string>>>;
  /** The project's other flows, with the flows that each calls and comes back from. */
  readonly callflows: ReadonlyMap<string, { readonly isActive: boolean; readonly calls: readonly string[] }>;
}

/** These wait for something that the caller does. */
const ASKS: ReadonlySet<FlowNodeType> = new Set(['menu', 'gather', 'auth_menu', 'verify']);

/**
 * Everything for which the flow cannot be activated, in the order of its nodes; none where it can.
 * @param id of the flow itself, null where it has none yet
 */
export function checkFlow(id: string | null, graph: GraphDefinition, around: FlowSurroundings): FlowFault[] {
  const ids = Object.keys(graph.nodes);
  if (ids.length > MAX_NODES) return [whole('too_many_nodes', 'nodes', String(MAX_NODES))];
  const references = referencesOf(graph);
  const starts = Object.hasOwn(graph.nodes, graph.start);
  const reached = starts ? reachable(graph) : null;
  const loops = silentLoops(graph);
  return [
    ...(starts ? [] : [whole('unknown_start', 'start', graph.start)]),
    ...Object.entries(graph.nodes).flatMap(([node, given]): FlowFault[] => {
      const loop = loops.find((members) => members[0] === node);
      return [
        ...faultsOfNode(node, given),
        ...linkFaults(graph, node),
        ...(reached?.has(node) === false ? [at('unreachable', node)] : []),
        ...(loop ? [at('loop_without_input', node, '', shown(loop))] : []),
        ...references.filter((named) => named.node === node).flatMap((named) => referenceFaults(id, named, around)),
      ];
    }),
  ];
}

function linkFaults({ nodes }: GraphDefinition, id: string): FlowFault[] {
  const node = nodes[id];
  if (!node) return [];
  return linksOf(node).flatMap(({ name, target }) => {
    if (target === null) return [at('missing_link', id, name, name)];
    return target === RETURN || Object.hasOwn(nodes, target) ? [] : [at('unknown_link', id, name, target)];
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

/** Circles of nodes none of which asks the caller anything. */
function silentLoops(graph: GraphDefinition): string[][] {
  const isSilent = (id: string): boolean => !ASKS.has(graph.nodes[id]?.type ?? 'hangup');
  const silent = Object.keys(graph.nodes).filter(isSilent);
  return circlesOf(new Map(silent.map((id) => [id, nextOf(graph, id).filter(isSilent)])));
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
  if (kind !== 'callflow') return known[kind].has(target) ? [] : [at(UNKNOWN[kind], node, field, target)];
  if (target === own) return returns ? [at('recursion', node, field, target)] : [];
  const flow = callflows.get(target);
  if (!flow) return [at('unknown_callflow', node, field, target)];
  if (!flow.isActive) return [at('inactive_callflow', node, field, target)];
  const circle = returns && own !== null ? circleTo(own, target, callflows) : null;
  return circle ? [at('recursion', node, field, shown(circle))] : [];
}

/** The flows by which a called one calls the caller again. */
function circleTo(own: string, from: string, callflows: FlowSurroundings['callflows']): string[] | null {
  return wayTo(new Map(Array.from(callflows, ([id, { calls }]) => [id, calls])), from, own);
}

function at(code: FaultCode, node: string, field = '', about = ''): FlowFault {
  return { code, node, field, about };
}

function whole(code: FaultCode, field: string, about: string): FlowFault {
  return { code, node: null, field, about };
}

/** As many as help to find it. */
function shown(way: readonly string[]): string {
  const most = 10;
  return [...way.slice(0, most), ...(way.length > most ? ['…'] : [])].join(' → ');
}
