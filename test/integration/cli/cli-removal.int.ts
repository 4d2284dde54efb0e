import { expect } from 'chai';
import { Callflows } from '../../../core/data/repositories/calls/callflows.js';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import { newId } from '../../../core/model/ids.js';
import { QUEUE } from '../../support/calls/open-queue.js';
import { commandForAll } from '../../support/command.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { callRow, groundIn, insertProject, insertRows, legRow, type Ground } from '../../support/rows/rows.js';
import { trunkRow } from '../../support/rows/trunk-row.js';
import { queueParts, type QueueParts } from '../../support/stages/queue-stage.js';

describe('hatif agents, numbers and trunks remove', () => {
  let database: TestDatabase;
  let ground: Ground;
  let queues: QueueParts;
  const run = commandForAll((_, opened) => (database = opened));
  before(async () => {
    ground = await groundIn(database.db);
    queues = queueParts(database.db);
  });
  after(() => queues.coordinator.stop());

  const hatif = (...args: string[]) => run.hatif([...args, '--project', ground.projectId]);
  const good = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await hatif(...args);
    expect(code, stderr).to.equal(0);
  };
  const refused = async (words: RegExp, ...args: string[]): Promise<void> => {
    const { code, stderr } = await hatif(...args);
    expect(code).to.equal(1);
    expect(stderr).to.match(words);
  };
  /** A flow that uses these resources. */
  async function flow(name: string, uses: object): Promise<string> {
    const id = newId();
    const all = { audio: [], queue: [], number: [], agent: [], callflow: [], calls: [], ...uses };
    await new Callflows(database.db).create(
      {
        ...{ id, organization_id: ground.organizationId, project_id: ground.projectId, sandbox: false, name },
        ...{ kind: 'menu', status: 'draft', version: 1, uses: all, removed_at: null },
        ...{ created_at: new Date(), updated_at: new Date() },
      },
      {},
      null,
    );
    return id;
  }
  const end = (table: string, id: string) =>
    database.db.query(`UPDATE ${table} SET status = 'ended' WHERE id = $1`, [id]);

  it('lists what uses an agent, and removes the agent once nothing does', async () => {
    const { projectId, organizationId } = ground;
    await good('agents', 'add', '1001');
    await good('numbers', 'add', '+966112345601', '--bind', 'agent:1001');
    await good('numbers', 'callbacks', 'agent:1001');
    const flowId = await flow('Main line', { agent: ['1001'] });
    await queues.queues.create({ projectId, organizationId }, QUEUE);
    await queues.signIn.login(projectId, '1001', 'sales');
    await good('agents', 'add', '1003');
    await good('agents', 'forward', '1003', '--busy', 'agent:1001');
    const [agent] = await database.db.query<{ aor: string }>(
      `SELECT aor FROM agents WHERE project_id = $1 AND agent = '1001'`,
      [projectId],
    );
    const call = callRow(ground, { status: 'answered' });
    const leg = legRow(call.id, {
      role: 'agent',
      status: 'answered',
      endpoint: { type: 'softphone', aor: agent?.aor },
    });
    await insertRows(database.db, 'calls', [call]);
    await insertRows(database.db, 'legs', [leg]);

    await refused(/1001 is still in use/, 'agents', 'remove', '1001');
    for (const words of [
      /bound numbers: \+966112345601/,
      /default destination of callbacks in: Test/,
      /call flows: Main line/,
      /logged in to the queues: sales/,
      /forwarded calls of the agents: 1003/,
      new RegExp(`live calls: ${call.id}`),
    ])
      await refused(words, 'agents', 'remove', '1001');

    await good('numbers', 'bind', '+966112345601', 'echo');
    await good('numbers', 'callbacks', 'none');
    await new Callflows(database.db).remove(flowId, new Date());
    await queues.signIn.logout(projectId, '1001', 'sales');
    await good('agents', 'forward', '1003', '--busy', 'off');
    await good('agents', 'remove', '1003');
    await refused(/is still in use: live calls: \S+$/m, 'agents', 'remove', '1001');
    await end('legs', leg.id);
    await end('calls', call.id);
    await good('agents', 'remove', '1001');
    expect(await database.db.query('SELECT 1 FROM agents WHERE project_id = $1', [projectId])).to.deep.equal([]);
    expect((await queues.coordinator.view(projectId)).agent('1001'), 'the dispatcher forgets the agent').to.equal(
      undefined,
    );
    await refused(/1001/, 'agents', 'remove', '1001');
  });

  it('lists what uses a number, and releases it once nothing does', async () => {
    const { projectId, organizationId } = ground;
    const e164 = '+966112345602';
    await good('agents', 'add', '1002');
    await good('numbers', 'add', e164, '--bind', 'agent:1002');
    await good('agents', 'outbound', '1002', '--caller-id', e164);
    await good('agents', 'add', '1004');
    await good('agents', 'forward', '1004', '--unanswered', `number:${e164}`);
    await queues.queues.create(
      { projectId, organizationId },
      { ...QUEUE, name: 'night', dial_code: null, overflow: { type: 'voicemail', target: e164 } },
    );
    const flowId = await flow('Menu', { number: [e164] });
    const call = callRow(ground, { status: 'ringing', line_number: e164 });
    await insertRows(database.db, 'calls', [call]);
    for (const words of [
      /destination of its calls: agent 1002/,
      /caller ID of the agents: 1002/,
      /forwarded calls of the agents: 1004/,
      /overflow of the queues: night/,
      /call flows: Menu/,
      new RegExp(`live calls: ${call.id}`),
    ])
      await refused(words, 'numbers', 'remove', e164);
    await end('calls', call.id);
    await new Callflows(database.db).remove(flowId, new Date());
    await database.db.query(`UPDATE agents SET caller_id_number = NULL WHERE agent = '1002'`);
    await good('agents', 'forward', '1004', '--unanswered', 'off');
    await database.db.query(`UPDATE queues SET removed_at = now() WHERE name = 'night'`);
    await good('numbers', 'bind', e164, 'none');
    await good('numbers', 'remove', e164);
    expect((await hatif('numbers', 'list')).stdout).not.to.contain(e164);
    await refused(/No number/, 'numbers', 'remove', e164);
    await refused(/not a phone number/, 'numbers', 'remove', '12');
  });

  it('refuses a number of an end user', async () => {
    await good('numbers', 'add', '+966112345603');
    await database.db.query(
      `INSERT INTO virtual_numbers
         (id, organization_id, project_id, number_id, e164, status, external_user_id, instructions, assigned_at)
       SELECT uuid_v7(), organization_id, project_id, id, e164, 'assigned', 'user-7', '{}', now() FROM numbers
       WHERE e164 = '+966112345603'`,
    );
    await refused(/virtual number of the end users: user-7/, 'numbers', 'remove', '+966112345603');
  });

  it('removes neither agents nor numbers of another project', async () => {
    await good('agents', 'add', '1003');
    await good('numbers', 'add', '+966112345604');
    const other = await insertProject(database.db, ground.organizationId);
    for (const args of [
      ['agents', 'remove', '1003'],
      ['numbers', 'remove', '+966112345604'],
    ])
      expect((await run.hatif([...args, '--project', other])).code).to.equal(1);
    expect((await hatif('agents', 'list')).stdout).to.contain('1003');
    expect((await hatif('numbers', 'list')).stdout).to.contain('+966112345604');
  });

  it('refuses a trunk that a live call uses, and removes it afterwards', async () => {
    const trunk = trunkRow('carrier');
    await new Trunks(database.db).create(trunk);
    const call = callRow(ground, { status: 'answered' });
    const leg = legRow(call.id, { status: 'answered', endpoint: { type: 'trunk', trunkId: trunk.id, number: '1' } });
    await insertRows(database.db, 'calls', [call]);
    await insertRows(database.db, 'legs', [leg]);
    await refused(new RegExp(`carrier is still in use: live calls: ${call.id}`), 'trunks', 'remove', 'carrier');
    await end('legs', leg.id);
    expect((await hatif('trunks', 'remove', 'carrier')).stdout).to.contain('no default trunk now');
    await refused(/no trunk carrier/, 'trunks', 'remove', 'carrier');
  });
});
