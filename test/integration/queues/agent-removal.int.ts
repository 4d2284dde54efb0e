import { expect } from 'chai';
import { PARTIES } from '../../../engine/simulator/party.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { bindLine, openQueue } from '../../support/calls/open-queue.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

describe('removing an agent', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  let api: TestApi;
  let key: string;
  let projectId: string;
  callControllerEach((made) => {
    rig = made;
    ({ projectId } = rig.ground);
  });
  beforeEach(async () => {
    api = await testApi({ db: rig.db, routes: rig.queues.routes });
    ({ key } = await api.key({ projectId }));
  });
  afterEach(async () => {
    expect(api.faults).to.deep.equal([]);
    await api.close();
  });

  const ask = (method: string, agent = '1001', as = key): Promise<Answer> =>
    api.request(method, `/v1/agents/${agent}`, { key: as });
  async function outcome(answer: Promise<Answer>): Promise<string> {
    const { status, body } = await answer;
    return body === undefined ? String(status) : `${status} ${String(body.error_code)}`;
  }
  const remove = (agent?: string, as?: string): Promise<string> => outcome(ask('DELETE', agent, as));
  const REFUSED = '409 AGENT_ON_CALL';

  async function dialIn(dialled: string): Promise<{ callId: string; customer: string }> {
    const customer = rig.engine.callIn({
      source: TRUNK_SOURCE,
      dialled,
      callerId: { number: CUSTOMER, name: null },
    });
    await rig.settle();
    return { callId: await rig.newest(), customer };
  }
  const agentLegs = async (callId: string): Promise<string[]> =>
    (await rig.legs(callId)).filter(({ endpoint }) => 'aor' in endpoint).map(({ status }) => status);
  const agentLegIs = (callId: string, status: string) =>
    rig.until(async () => (await agentLegs(callId)).includes(status));
  /** An agent who is in no call. */
  async function colleague(agent = '1002', owner = projectId, organization = rig.ground.organizationId) {
    await rig.queues.agents.add({ id: owner, organization_id: organization }, agent);
  }

  it('is refused during a call and changes nothing; after the call it succeeds', async () => {
    const before = await ask('GET');
    const { callId, customer } = await dialIn(rig.agentNumber);
    await rig.untilBothAnswered(callId);
    const refused = await ask('DELETE');
    expect(refused.status).to.equal(409);
    expect(refused.body).to.include({
      error_code: 'AGENT_ON_CALL',
      message: 'Agent 1001 cannot be removed now: the agent is on a call, or a call rings the phone.',
      message_ar: 'لا يمكن حذف الموظف 1001 الآن، لأنه في مكالمة أو لأن هاتفه يرن.',
    });
    expect((await ask('GET')).body).to.deep.equal(before.body);
    expect(await agentLegs(callId)).to.deep.equal(['answered']);
    rig.engine.remoteHangup(customer);
    await rig.untilStatus(callId, 'ended');
    await rig.until(async () => (await agentLegs(callId)).every((status) => status === 'ended'));
    expect(await remove()).to.equal('204');
    expect(await remove()).to.equal('404 NOT_FOUND');
  });

  it('is refused from the moment that the phone is dialled, until the caller gives up', async () => {
    rig.parties.set('agent', PARTIES.ringsForEver);
    const { callId, customer } = await dialIn(rig.agentNumber);
    await agentLegIs(callId, 'created');
    expect(await remove()).to.equal(REFUSED);
    await agentLegIs(callId, 'ringing');
    expect(await remove()).to.equal(REFUSED);
    rig.engine.remoteHangup(customer);
    await rig.untilStatus(callId, 'missed');
    await rig.until(async () => (await agentLegs(callId)).every((status) => status === 'ended'));
    expect(await remove()).to.equal('204');
  });

  it('is refused while a queue rings the agent, who stays signed in, but not while the agent waits', async () => {
    await bindLine(rig, await openQueue(rig));
    rig.parties.set('agent', PARTIES.ringsForEver);
    const state = async () => (await rig.queues.coordinator.view(projectId)).agent('1001')?.state;
    const { callId, customer } = await dialIn(rig.line);
    await rig.until(async () => (await state()) === 'ringing');
    await agentLegIs(callId, 'ringing');
    expect(await remove()).to.equal(REFUSED);
    await rig.settle();
    expect(await state()).to.equal('ringing');
    rig.engine.remoteHangup(customer);
    await rig.until(async () => (await state()) === 'idle');
    await rig.until(async () => (await agentLegs(callId)).every((status) => status === 'ended'));
    expect(await remove()).to.equal('204');
    await rig.until(async () => (await state()) === undefined);
  });

  it('is refused while the agent’s own phone calls, also after another process took the call over', async () => {
    const leg = rig.engine.callIn({
      source: { type: 'softphone', aor: `a${projectId}` },
      dialled: rig.line,
      callerId: { number: '1001', name: null },
    });
    await rig.settle();
    const callId = await rig.newest();
    await rig.untilStatus(callId, 'answered');
    expect(await remove()).to.equal(REFUSED);
    await rig.restart();
    expect(await remove()).to.equal(REFUSED);
    rig.engine.remoteHangup(leg);
    await rig.untilStatus(callId, 'ended');
    expect(await remove()).to.equal('204');
  });

  it('is done once if it is requested twice at the same moment', async () => {
    await colleague();
    const outcomes = await Promise.all([remove('1002'), remove('1002')]);
    expect(outcomes.sort()).to.deep.equal(['204', '404 NOT_FOUND']);
  });

  it('depends on the calls of this agent only, and tells strangers nothing about them', async () => {
    const { callId } = await dialIn(rig.agentNumber);
    await rig.untilBothAnswered(callId);
    await colleague();
    expect(await remove('1002')).to.equal('204');

    const other = await api.owner();
    const { key: stranger } = await api.key({ projectId: other.projectId });
    expect(await remove('1001', stranger)).to.equal('404 NOT_FOUND');
    await colleague('1001', other.projectId, other.organizationId);
    expect(await remove('1001', stranger)).to.equal('204');

    const { key: reader } = await api.key({ projectId, scopes: ['queues:read'] });
    expect(await remove('1001', reader)).to.equal('403 INSUFFICIENT_PERMISSIONS');
    const { key: sandbox } = await api.key({ projectId, kind: 'sandbox' });
    expect(await remove('1001', sandbox)).to.equal('403 SANDBOX_KEY_NOT_ALLOWED');
    expect(await remove()).to.equal(REFUSED);
  });
});
