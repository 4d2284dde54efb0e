/** The ids of each node's successors. */
type Successors = ReadonlyMap<string, readonly string[]>;

/**
 * One cycle for each strongly connected component. Each cycle starts at the component's first node in the order of the graph.
 * Tarjan's algorithm without recursion, because a customer's graph must not be able to exhaust the stack.
 */
export function cyclesOf(graph: Successors): string[][] {
  return components(graph).flatMap((members) => {
    const [first] = [...graph.keys()].filter((id) => members.has(id));
    const cycle = first === undefined ? null : cycleThrough(graph, first, members);
    return cycle ? [cycle] : [];
  });
}

/** The shortest path between two nodes, including both; null if there is none. */
export function pathBetween(graph: Successors, from: string, to: string): string[] | null {
  return search(graph, from, to, null);
}

function cycleThrough(graph: Successors, id: string, within: ReadonlySet<string>): string[] | null {
  if (graph.get(id)?.includes(id)) return [id];
  return within.size > 1 ? search(graph, id, id, within) : null;
}

function search(graph: Successors, from: string, to: string, within: ReadonlySet<string> | null): string[] | null {
  const cameFrom = new Map<string, string>();
  const waiting = [from];
  for (const current of waiting) {
    for (const next of graph.get(current) ?? []) {
      if (next === to) return from === to ? pathTo(cameFrom, from, current) : [...pathTo(cameFrom, from, current), to];
      if (next === from || cameFrom.has(next) || within?.has(next) === false) continue;
      cameFrom.set(next, current);
      waiting.push(next);
    }
  }
  return null;
}

function pathTo(cameFrom: ReadonlyMap<string, string>, first: string, last: string): string[] {
  const path = [last];
  for (let id = last; id !== first;) {
    id = cameFrom.get(id) ?? first;
    path.push(id);
  }
  return path.reverse();
}

interface Visit {
  readonly id: string;
  readonly index: number;
  low: number;
  next: number;
}

function components(graph: Successors): Set<string>[] {
  const found: Set<string>[] = [];
  const visits = new Map<string, Visit>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const enter = (id: string, path: Visit[]): void => {
    const visit = { id, index: visits.size, low: visits.size, next: 0 };
    visits.set(id, visit);
    open.push(id);
    isOpen.add(id);
    path.push(visit);
  };
  for (const root of graph.keys()) {
    if (visits.has(root)) continue;
    const path: Visit[] = [];
    enter(root, path);
    for (let visit = path.at(-1); visit; visit = path.at(-1)) {
      const next = graph.get(visit.id)?.[visit.next];
      if (next === undefined) {
        path.pop();
        const above = path.at(-1);
        if (above) above.low = Math.min(above.low, visit.low);
        if (visit.low === visit.index) found.push(close(visit.id, open, isOpen));
        continue;
      }
      visit.next += 1;
      const known = visits.get(next);
      if (!known) enter(next, path);
      else if (isOpen.has(next)) visit.low = Math.min(visit.low, known.index);
    }
  }
  return found;
}

function close(id: string, open: string[], isOpen: Set<string>): Set<string> {
  const members = new Set<string>();
  for (let member = open.pop(); member !== undefined; member = open.pop()) {
    members.add(member);
    isOpen.delete(member);
    if (member === id) break;
  }
  return members;
}
