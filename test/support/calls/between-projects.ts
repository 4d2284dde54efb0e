import { expect } from 'chai';
import type { Database } from '../../../core/data/database.js';
import { hearsMore, talk } from '../judges/hearing.js';
import { eventually } from '../eventually.js';
import type { Baresip } from '../phones/index.js';
import { ownerIn } from '../rows/rows.js';
import type { ProcessStage } from '../stages/process-stage.js';
import { AGENT_HZ } from './trunk-talkers.js';

const OTHER_HZ = 1_400;

/** A platform without a carrier that answers, on a real engine. */
export interface BetweenProjects {
  readonly application: ProcessStage;
  readonly db: Database;
  close(): Promise<void>;
}

/** Checks on any engine that a call to another project's number stays inside. */
export function callsBetweenProjects(start: () => Promise<BetweenProjects>): void {
  let stage: BetweenProjects;
  let agent: Baresip;
  /** The phone of the other project's agent, and the number that rings it. */
  let other: Baresip;
  let number: string;
  let otherProject: string;

  before(async function () {
    this.timeout(180_000);
    stage = await start();
    const { application, db } = stage;
    agent = await application.softphone();
    other = await application.softphone(1, OTHER_HZ);
    const { organizationId, projectId } = await ownerIn(db);
    otherProject = projectId;
    number = application.bootstrap.sip.agents[1]!.number;
    const owner = [organizationId, projectId];
    await db.query(`UPDATE numbers SET organization_id = $1, project_id = $2 WHERE e164 = $3`, [...owner, number]);
    await db.query(`UPDATE agents SET organization_id = $1, project_id = $2 WHERE agent = '1002'`, owner);
  });
  after(() => stage.close());

  const incomingOf = async (): Promise<string> => {
    const query = `SELECT id FROM calls WHERE project_id = $1 ORDER BY id DESC LIMIT 1`;
    const [row] = await stage.db.query<{ id: string }>(query, [otherProject]);
    return row!.id;
  };
  const ends = (callId: string): Promise<unknown> =>
    eventually(
      async () =>
        (await stage.db.query(`SELECT 1 FROM calls WHERE id = $1 AND status = 'ended'`, [callId])).length === 1,
      'the incoming call ends',
    );
  /** Both agents talk: each project has a call of its own. */
  async function conversation() {
    const connect = { type: 'agent', target: '1001' };
    const callId = await stage.application.call({ to: number, connect });
    const atOther = await other.incoming();
    expect(other.call(atOther).peer).to.contain((await stage.application.read(callId)).line_number);
    await other.answer(atOther);
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await talk({ phone: agent, hz: AGENT_HZ, callId: atAgent }, { phone: other, hz: OTHER_HZ, callId: atOther });
    return { callId, incoming: await incomingOf(), atAgent, atOther };
  }

  it('connects both projects’ phones, and charges each project for its own call', async () => {
    const { callId, incoming, atAgent, atOther } = await conversation();
    await other.hangup(atOther);
    await agent.closed(atAgent);
    const { disposition, hangup_cause: cause } = await stage.application.becomes(callId, 'ended');
    expect([disposition, cause?.q850]).to.deep.equal(['answered', 16]);
    await ends(incoming);
    expect((await stage.application.request('GET', `/v1/calls/${incoming}`)).status).to.equal(404);
    const charges = await stage.db.query(
      `SELECT call_id, direction FROM charges WHERE call_id = ANY($1::uuid[]) ORDER BY direction`,
      [[callId, incoming]],
    );
    expect(charges).to.deep.equal([
      { call_id: incoming, direction: 'inbound' },
      { call_id: callId, direction: 'outbound' },
    ]);
  });

  it('reports that the other side refuses, or that the caller gave up', async () => {
    const refused = await stage.application.call({ to: number });
    await other.reject(await other.incoming());
    expect(await stage.application.becomes(refused, 'missed')).to.include({ disposition: 'busy' });
    const cancelled = await stage.application.call({ to: number });
    const ringing = await other.incoming();
    await stage.application.becomes(cancelled, 'ringing');
    await stage.application.hangup(cancelled);
    await other.closed(ringing);
  });

  it('continues after the application was killed', async () => {
    const { callId, incoming, atAgent, atOther } = await conversation();
    await stage.application.kill();
    await stage.application.start();
    await stage.application.adopted(callId);
    await Promise.all([hearsMore(agent, atAgent, OTHER_HZ, 1), hearsMore(other, atOther, AGENT_HZ, 1)]);
    await stage.application.hangup(callId);
    await Promise.all([agent.closed(atAgent), other.closed(atOther)]);
    await stage.application.becomes(callId, 'ended');
    await ends(incoming);
  });

  it('ends if it was hung up while the application was away', async () => {
    const { callId, incoming, atAgent, atOther } = await conversation();
    await stage.application.kill();
    await agent.hangup(atAgent);
    await stage.application.start();
    await other.closed(atOther);
    await stage.application.becomes(callId, 'ended');
    await ends(incoming);
  });
}
