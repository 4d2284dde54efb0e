import type { Database } from '../../../core/data/database.js';
import { Callflows } from '../../../core/data/repositories/calls/callflows.js';
import type { GraphDefinition } from '../../../core/model/flow/definition.js';
import { newId } from '../../../core/model/ids.js';
import type { Clock } from '../../../core/ports/clock.js';
import { FlowCache } from '../../../core/services/callflows/flow-cache.js';
import type { CachedDirectory } from '../../../core/services/routing/directory.js';
import type { FlowDeps } from '../../../ivr/flow/deps.js';

const VERIFICATION = '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c13';

/** Dependencies of flows in a test: flows from its database, and no external systems. */
export function flowDeps(
  db: Database,
  directory: CachedDirectory,
  clock: Clock,
  requests: FlowDeps['requests'] = { send: () => Promise.resolve({ status: null, body: '' }) },
  random: FlowDeps['random'] = Math.random,
): FlowDeps {
  const { load } = new FlowCache(new Callflows(db), (id) => directory.activeFlow(id));
  return {
    load,
    requests,
    verification: {
      send: () => Promise.resolve({ verificationId: VERIFICATION }),
      check: (_, id, code) => Promise.resolve({ verified: id === VERIFICATION && code === '123456', isOver: false }),
    },
    numberId: async ({ projectId }, e164) => {
      const number = await directory.numberByE164(e164);
      return number?.project_id === projectId ? number.id : null;
    },
    audioPath: (audioId) => `/audio/${audioId}`,
    announcement: () => Promise.resolve([]),
    clock,
    random,
  };
}

/** Creates an active flow of the project, as the API does. @returns its id */
export async function activeFlow(
  db: Database,
  owner: { readonly projectId: string; readonly organizationId: string },
  graph: GraphDefinition,
): Promise<string> {
  const id = newId();
  const now = new Date();
  await new Callflows(db).create(
    {
      id,
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      sandbox: false,
      name: 'flow',
      kind: 'graph',
      status: 'active',
      version: 1,
      uses: { audio: [], queue: [], number: [], agent: [], callflow: [], calls: [] },
      created_at: now,
      updated_at: now,
      removed_at: null,
    },
    graph,
    null,
  );
  return id;
}
