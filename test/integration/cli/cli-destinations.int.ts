import { expect } from 'chai';
import { Callflows } from '../../../core/data/repositories/calls/callflows.js';
import { Registrations } from '../../../core/data/repositories/engines/registrations.js';
import { newId } from '../../../core/model/ids.js';
import { QUEUE } from '../../support/calls/open-queue.js';
import { commandForAll } from '../../support/command.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { groundIn, insertProject, type Ground } from '../../support/rows/rows.js';
import { queueParts } from '../../support/stages/queue-stage.js';

const NUMBER = '+966112345678';

describe('destinations and registrations of the hatif command', () => {
  let database: TestDatabase;
  let ground: Ground;
  let queueId: string;
  let flowId: string;
  const run = commandForAll((_, opened) => (database = opened));
  const hatif = (...args: string[]) => run.hatif([...args, '--project', ground.projectId]);
  const json = (...args: string[]) => run.json(...args, '--project', ground.projectId);

  async function flow(name: string, sandbox = false): Promise<string> {
    const [id, at] = [newId(), new Date()];
    const definition = { start: 'end', nodes: { end: { type: 'hangup' } } };
    const uses = { agent: [], queue: [], callflow: [], audio: [], number: [], conference: [], calls: [] };
    await new Callflows(database.db).create(
      {
        ...{ id, organization_id: ground.organizationId, project_id: ground.projectId, sandbox, name, kind: 'graph' },
        ...{ status: 'draft', version: 1, uses, created_at: at, updated_at: at, removed_at: null },
      },
      definition,
      null,
    );
    return id;
  }

  before(async () => {
    ground = await groundIn(database.db);
    const queues = queueParts(database.db);
    queueId = (await queues.queues.create(ground, { ...QUEUE, name: 'sales' })).id;
    await queues.coordinator.stop();
    flowId = await flow('خط المبيعات');
    await flow('sales');
    await flow('only in the sandbox', true);
    for (const name of ['twin', 'twin']) await flow(name);
    await json('agents', 'add', '2001', '--name', 'Reem');
    await json('numbers', 'add', NUMBER);
  });

  const bound = async (where: string): Promise<unknown> =>
    ((await json('numbers', 'bind', '011 234 5678', where)) as { binding: unknown }).binding;

  it('are found by name, extension or id, of every kind that the API knows', async () => {
    for (const [where, binding] of [
      ['Reem', { type: 'agent', target: '2001' }],
      ['agent:Reem', { type: 'agent', target: '2001' }],
      ['2001', { type: 'agent', target: '2001' }],
      ['queue:sales', { type: 'queue', target: queueId }],
      [queueId.toUpperCase(), { type: 'queue', target: queueId }],
      ['خط المبيعات', { type: 'callflow', target: flowId }],
      [`callflow:${flowId}`, { type: 'callflow', target: flowId }],
      ['number:0501234567', { type: 'number', target: '+966501234567' }],
      ['0501234567', { type: 'number', target: '+966501234567' }],
      ['voicemail', { type: 'voicemail', target: null }],
      [`voicemail:${NUMBER}`, { type: 'voicemail', target: NUMBER }],
      ['sip:bob@example.com', { type: 'sip', target: 'sip:bob@example.com' }],
      ['echo', { type: 'echo', target: null }],
      ['none', null],
    ] as const) {
      expect(await bound(where), where).to.deep.equal(binding);
    }
  });

  it('are shown by name', async () => {
    await bound('خط المبيعات');
    expect((await hatif('numbers', 'list')).stdout).to.contain('call flow خط المبيعات');
    await bound('queue:sales');
    expect((await hatif('numbers', 'list')).stdout).to.match(/\+966112345678\s+queue sales\s+yes/);
  });

  it('name a SIP address whose host may not be called yet', async () => {
    const { code, stderr } = await hatif('numbers', 'bind', NUMBER, 'sip:bob@example.com');
    expect(code).to.equal(0);
    expect(stderr).to.contain('Calls to example.com are refused').and.contain('npx hatif sip-targets add <host>');
  });

  it('are refused if they are unknown or ambiguous, with what there is, and nothing changes', async () => {
    await bound('echo');
    for (const [where, words] of [
      ['sales', /"sales" names several destinations\.\nGive one of: queue:\S+ \(sales\), callflow:\S+ \(sales\)/],
      ['callflow:twin', /names several destinations\.\nGive one of: callflow:\S+ \(twin\), callflow:\S+ \(twin\)/],
      ['queue:support', /no queue "support"\.\nQueues: sales\n/],
      ['agent:404', /no agent "404"\.\nAgents: 2001 \(Reem\)/],
      ['callflow:only in the sandbox', /no call flow "only in the sandbox"\.\nCall flows: (?!.*sandbox)/],
      ['Nobody', /no agent, queue or call flow "Nobody"[^]*Agents: 2001 \(Reem\)\nQueues: sales\nCall flows: /],
      ['number:12', /not a phone number/],
      ['voicemail:+966115559999', /no number \+966115559999/],
    ] as const) {
      const { code, stderr } = await hatif('numbers', 'bind', NUMBER, where);
      expect(code, where).to.equal(1);
      expect(stderr, where).to.match(words);
    }
    expect((await hatif('numbers', 'bind', NUMBER, 'moon:1')).code).to.equal(2);
    const [row] = (await json('numbers', 'list')) as { binding: unknown }[];
    expect(row?.binding).to.deep.equal({ type: 'echo', target: null });
  });

  it('are not those of another project', async () => {
    const other = await insertProject(database.db, ground.organizationId);
    await run.json('numbers', 'add', '0112345679', '--project', other);
    for (const where of ['Reem', 'queue:sales', queueId, `callflow:${flowId}`]) {
      const { code, stderr } = await run.hatif(['numbers', 'bind', '0112345679', where, '--project', other]);
      expect(code, where).to.equal(1);
      expect(stderr).to.not.contain('2001');
    }
    const unknown = await run.hatif(['numbers', 'bind', NUMBER, 'echo', '--project', other]);
    expect(unknown.stderr).to.match(/no number \+966112345678\.\nNumbers: \+966112345679\n/);
  });

  it('of a widget are neither a voicemail box nor a call flow', async () => {
    const add = ['widgets', 'add', 'shop', '--origin', 'https://shop.example', '--to'];
    for (const where of ['voicemail', 'خط المبيعات'])
      expect((await hatif(...add, where)).stderr).to.contain(`a widget cannot lead to ${where}`);
    expect(await json(...add, 'Reem')).to.deep.include({ destination: { type: 'agent', target: '2001' } });
    expect((await hatif('widgets', 'list')).stdout).to.match(/shop .* agent 2001 /);
  });

  it('the list of agents shows where phones are registered, and since when if that is known', async () => {
    for (const agent of ['2002', '2003']) await json('agents', 'add', agent);
    const registrations = new Registrations(database.db);
    // What the owner of an engine finds at its start was registered at an unknown time before.
    await registrations.replace(ground.engineId, ['2002']);
    await registrations.add(ground.engineId, '2001');
    await registrations.replace(ground.engineId, ['2001', '2002']);
    const { stdout } = await hatif('agents', 'list');
    const engine = `engine-${ground.engineId}`;
    expect(stdout).to.match(new RegExp(`2001 +${engine} since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\dZ +yes`));
    expect(stdout)
      .to.match(new RegExp(`2002 +${engine} +yes`))
      .and.to.match(/2003 +no +yes/);
    const listed = (await json('agents', 'list')) as { registrations: { registered_at: string | null }[] }[];
    expect(listed.map((agent) => agent.registrations.map(({ registered_at: at }) => typeof at))).to.deep.equal([
      ['string'],
      ['object'],
      [],
    ]);
  });

  it('the caller id of an agent may be written in national form', async () => {
    expect(await json('agents', 'outbound', '2001', '--caller-id', '0112345678')).to.include({
      caller_id_number: NUMBER,
    });
    expect((await hatif('agents', 'outbound', '2001', '--caller-id', '0501234567')).code).to.equal(1);
    expect((await hatif('agents', 'list')).stdout).to.match(/2001 .* \+966112345678 /);
  });

  it('the history of a number is found in national form', async () => {
    expect(await json('numbers', 'history', '0112345678')).to.have.lengthOf.above(0);
  });
});
