import type { Queryable } from '../../data/database.js';
import type { Callflows } from '../../data/repositories/calls/callflows.js';
import type { AgentRow, CallflowRow, NumberRow, ProjectRow, UserRow } from '../../data/rows.js';
import { starterFlow } from '../../model/flow/starter.js';
import { newId } from '../../model/ids.js';
import { SANDBOX_LINE } from '../../model/number/demo.js';
import { usesOf } from '../callflows/definition.js';
import { newNumberRow, type NumberAssigner } from '../numbers/number-assigner.js';

/** What a new sandbox can be tried with: a number that leads to a call flow. */
export interface Starter {
  readonly callflow: CallflowRow;
  readonly number: NumberRow;
}

interface Parts {
  readonly callflows: Callflows;
  readonly assigner: NumberAssigner;
}

interface Ground {
  readonly project: ProjectRow;
  readonly owner: UserRow;
  readonly agent: AgentRow;
}

/**
 * Adds an active call flow of the sandbox, and a number of the sandbox that is bound to it. The number is the sandbox's
 * own: strangers who sign up take none of the operator's.
 */
export async function addStarter(
  { callflows, assigner }: Parts,
  { project, owner, agent }: Ground,
  tx: Queryable,
  lanes: string[],
): Promise<Starter> {
  const at = project.created_at;
  const owned = { organization_id: project.organization_id, project_id: project.id, sandbox: true };
  const flow = starterFlow(owner.locale, agent.agent);
  const callflow: CallflowRow = {
    ...{ ...owned, id: newId(), name: flow.name, kind: flow.kind, status: 'active', version: 1 },
    ...{ uses: usesOf(flow), created_at: at, updated_at: at, removed_at: null },
  };
  await callflows.create(callflow, flow.definition, null, tx);
  const assigned = { ...owned, assigned_at: at };
  const number: NumberRow = {
    ...newNumberRow({ e164: SANDBOX_LINE, kind: 'geographic', state: 'assigned', source: 'demo' }, at),
    ...assigned,
    binding: { type: 'callflow', target: callflow.id },
  };
  const assignment = { reason: 'added for a new sandbox', binding: number.binding, mayBeMain: false };
  const added = await assigner.add(tx, lanes, number, assignment);
  if (added === null) throw new Error('a new sandbox already has its number');
  return { callflow, number: added };
}
