import { LRUCache } from 'lru-cache';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
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

/**
 * Loads a version of a flow; null: the active version. Returns null if the project has no such flow or version, and to a
 * sandbox call if the flow is live.
 */
export type LoadFlow = (of: ProjectKind, callflowId: string, version: number | null) => Promise<LoadedFlow | null>;

interface Entry extends ProjectKind {
  readonly flow: LoadedFlow;
}

const MAX_VERSIONS = 500;

/** Caches flows for calls. A version never changes, so a cached version stays valid. */
export class FlowCache {
  readonly #cached = new LRUCache<string, Entry>({
    max: MAX_VERSIONS,
  });

  constructor(
    private readonly flows: Pick<Callflows, 'version'>,
    /** Looks up the flow's project and active version. */
    private readonly active: (callflowId: string) => Promise<{ project_id: string; version: number } | null>,
  ) {}

  readonly load: LoadFlow = async ({ projectId, sandbox }, callflowId, version) => {
    const wanted = version ?? (await this.active(callflowId))?.version;
    if (wanted === undefined) return null;
    const cached = this.#cached.get(`${callflowId} ${wanted}`) ?? (await this.#read(callflowId, wanted));
    return cached?.projectId === projectId && (cached.sandbox || !sandbox) ? cached.flow : null;
  };

  async #read(callflowId: string, version: number): Promise<Entry | null> {
    const row = await this.flows.version(callflowId, version);
    if (!row) return null;
    const flow = { callflowId, version, graph: graphOf(storedDefinition(row.kind, row.definition)) };
    const entry = { projectId: row.project_id, sandbox: row.sandbox, flow };
    this.#cached.set(`${callflowId} ${version}`, entry);
    return entry;
  }
}
