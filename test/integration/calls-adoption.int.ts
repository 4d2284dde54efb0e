import { expect } from 'chai';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { conductorRig, type ConductorRig } from '../support/conductor.js';

const CONNECT = { type: 'connect', to: { type: 'agent', target: '1001' } } as const;
const TOLD = ['call.initiated', 'call.ringing', 'call.answered', 'call.ended'];

describe('catching up with the engine', () => {
  let database: TestDatabase;
  let rig: ConductorRig;

  before(async () => {
    database = await testDatabase();
  });
  after(() => database.close());
  beforeEach(async () => {
    rig = await conductorRig(database.db);
  });
  afterEach(async () => {
    await rig.conductor.stop();
    expect(rig.illegalMoves).to.deep.equal([]);
  });

  const legs = (callId: string) => rig.calls.legsOf([callId]);
  const legOf = async (callId: string, role: 'customer' | 'agent') =>
    (await legs(callId)).find((leg) => leg.role === role)!;
  async function conversation(): Promise<string> {
    const callId = await rig.place(CONNECT);
    await rig.until(async () => (await legs(callId)).filter((leg) => leg.status === 'answered').length === 2);
    return callId;
  }
  async function leaseRegained(): Promise<void> {
    rig.lease.mayCommand = true;
    await rig.conductor.adopt();
    await rig.settle();
  }

  describe('after the lease had run out', () => {
    it('lets the other party go when one left meanwhile', async () => {
      const callId = await conversation();
      const agent = await legOf(callId, 'agent');
      rig.lease.mayCommand = false;
      rig.engine.remoteHangup((await legOf(callId, 'customer')).id);
      await rig.untilStatus(callId, 'ended');
      expect(rig.look(agent.id)).not.to.equal(null);
      await leaseRegained();
      await rig.until(async () => (await legOf(callId, 'agent')).status === 'ended');
      expect(rig.look(agent.id)).to.equal(null);
      expect(await rig.told(callId)).to.deep.equal(TOLD);
      expect(rig.conductor.liveCalls).to.equal(0);
    });

    it('does what an answer called for', async () => {
      const callId = await rig.place(CONNECT);
      await rig.untilStatus(callId, 'ringing');
      rig.lease.mayCommand = false;
      await rig.untilStatus(callId, 'answered');
      expect(await legs(callId)).to.have.length(1);
      await leaseRegained();
      await rig.until(async () => (await legs(callId)).filter((leg) => leg.status === 'answered').length === 2);
      rig.engine.remoteHangup((await legOf(callId, 'agent')).id);
      await rig.untilStatus(callId, 'ended');
      expect(await rig.told(callId)).to.deep.equal(TOLD);
    });

    it('disturbs nothing that missed nothing', async () => {
      const callId = await conversation();
      const before = await rig.told(callId);
      rig.lease.mayCommand = false;
      await leaseRegained();
      expect(await rig.told(callId)).to.deep.equal(before);
      expect(await legs(callId)).to.have.length(2);
    });
  });
});
