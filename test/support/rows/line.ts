import { randomInt } from 'node:crypto';
import type { Database } from '../../../core/data/database.js';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import { NO_FORWARDING } from '../../../core/model/call/forwarding.js';
import { newId } from '../../../core/model/ids.js';
import { groundIn, insertRows, type Ground } from './rows.js';
import { trunkRow } from './trunk-row.js';

/** What telephone calls of a new project lead to. */
export interface Line {
  readonly ground: Ground;
  /** A number that reaches the echo service. */
  readonly line: string;
  /** A number that rings the agent 1001. */
  readonly agentNumber: string;
}

/** A new project with an agent, an echo line and a default trunk. */
export async function lineIn(db: Database): Promise<Line> {
  const ground = await groundIn(db);
  // Numbers are unique in a database, and several rigs of one file share it.
  const block = `+96611${randomInt(100_000, 999_999)}`;
  const line = `${block}0`;
  const agentNumber = `${block}1`;
  const owner = { organization_id: ground.organizationId, project_id: ground.projectId, created_at: new Date() };
  await insertRows(db, 'agents', [
    {
      ...owner,
      id: newId(),
      agent: '1001',
      aor: `a${ground.projectId}`,
      display_name: 'Agent',
      sip_password: 'sealed',
      may_call_out: true,
      destination_classes: ['national', 'mobile'],
      record_calls: false,
      priority: 5,
      skills: {},
      forwarding: NO_FORWARDING,
      caller_id_number: null,
    },
  ]);
  const number = (e164: string, binding: object): object => ({
    ...owner,
    id: newId(),
    e164,
    kind: 'geographic',
    state: 'assigned',
    source: 'operator',
    binding,
  });
  await insertRows(db, 'numbers', [
    number(line, { type: 'echo', target: null }),
    number(agentNumber, { type: 'agent', target: '1001' }),
  ]);
  await new Trunks(db).create(trunkRow(ground.projectId));
  return { ground, line, agentNumber };
}
