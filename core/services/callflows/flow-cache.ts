import { LRUCache } from 'lru-cache';
import type { Callflows } from '../../data/repositories/calls/callflows.js';
import { graphOf } from '../../model/flow/compile.js';
import type { GraphDefinition } from '../../model/flow/definition.js';
import { storedDefinition } from './definition.js';

/** One version of a flow. */
export interface LoadedFlow {
  readonly callflowId: string;
  readonly version: number;
  readonly graph: GraphDefinition;
}

/** The flow, in this version or (null) the active one; null where the project has none such. */
export type LoadFlow = (projectId: string, callflowId: string, version: number | null) => Promise<LoadedFlow | null>;

const MOST_VERSIONS = 500;

/** Flows as calls run them. A version never changes: once read it is kept. */
export class FlowCache {
  readonly #known = new LRUCache<string, { readonly projectId: string; readonly flow: LoadedFlow }>({
    max: MOST_VERSIONS,
  });

  constructor(
    private readonly flows: Pick<Callflows, 'version'>,
    /** Which version is active now, of which project's flow. */
    private readonly active: (callflowId: string) => Promise<{ project_id: string; version: number } | null>,
  ) {}

  readonly load: LoadFlow = async (projectId, callflowId, version) => {
    const wanted = version ?? (await this.active(callflowId))?.version;
    if (wanted === undefined) return null;
    const known = this.#known.get(`${callflowId} ${wanted}`) ?? (await this.#read(callflowId, wanted));
    return known?.projectId === projectId ? known.flow : null;
  };

  async #read(callflowId: string, version: number): Promise<{ projectId: string; flow: LoadedFlow } | null> {
    const row = await this.flows.version(callflowId, version);
    if (!row) return null;
    const flow = { callflowId, version, graph: graphOf(storedDefinition(row.kind, row.definition)) };
    const known = { projectId: row.project_id, flow };
    this.#known.set(`${callflowId} ${version}`, known);
    return known;
  }
}
