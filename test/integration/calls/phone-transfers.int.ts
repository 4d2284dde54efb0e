import { expect } from 'chai';
import { PARTIES } from '../../../engine/simulator/party.js';
import type { CallControllerRig } from '../../support/stages/call-controller.js';
import { TARGET, transferEach, type Parties, type TransferStage } from '../../support/stages/transfer-stage.js';
import { ownerIn } from '../../support/rows/rows.js';
import { reportedTransfers } from '../../support/stages/call-controller-stage.js';

describe('transfers requested by a softphone', function () {
  this.timeout(60_000);
  let stage: TransferStage;
  let rig: CallControllerRig;
  /** Transfer outcomes reported to phones. */
  let outcomes: readonly string[];
  transferEach((...made) => ([stage, rig] = made));

  beforeEach(() => {
    outcomes = reportedTransfers(rig);
  });

  async function requestTransfer(legId: string, dialled: string | null): Promise<void> {
    rig.engine.phoneTransfer(legId, dialled);
    await rig.settle();
  }

  it('connect the customer to the target, and report success to the phone', async () => {
    const { callId, customer, agent } = await stage.talking();
    await requestTransfer(agent, TARGET);
    expect(rig.look(customer)).to.include({ held: true });
    expect(await stage.newest(callId)).to.include({ type: 'blind', requested_by: null, from_leg_id: agent });
    await stage.until(callId, 'completed');
    expect(outcomes).to.deep.equal(['completed']);
    expect(rig.look(agent)).to.equal(null);
    expect(await stage.together(callId)).to.have.members([customer, await stage.target(callId)]);
  });

  it('accept numbers as agents dial them', async () => {
    const { callId, agent } = await stage.talking();
    await requestTransfer(agent, TARGET.replace('+966', '0'));
    expect((await stage.newest(callId))?.destination).to.deep.equal({ type: 'number', target: TARGET });
  });

  it('continue when the phone hangs up immediately', async () => {
    const { callId, customer, agent } = await stage.talking();
    await requestTransfer(agent, TARGET);
    rig.engine.remoteHangup(agent);
    await stage.until(callId, 'completed');
    expect(await stage.together(callId)).to.have.members([customer, await stage.target(callId)]);
    expect(outcomes).to.deep.equal([]);
  });

  it('return the customer when the target is busy, and report it to the phone', async () => {
    rig.parties.set(TARGET, PARTIES.busy);
    const { callId, customer, agent } = await stage.talking();
    await requestTransfer(agent, TARGET);
    await stage.until(callId, 'failed');
    expect(outcomes).to.deep.equal(['failed']);
    expect(await stage.together(callId)).to.have.members([customer, agent]);
  });

  it('do not report transfers of the API to a phone', async () => {
    rig.parties.set(TARGET, PARTIES.busy);
    const { callId } = await stage.talking();
    await stage.transfer(callId, 'blind');
    await stage.until(callId, 'failed');
    expect(outcomes).to.deep.equal([]);
  });

  describe('are declined, and nothing changes,', () => {
    for (const [what, dialled] of [
      ['to an unknown code', '8100'],
      ['to a service', '*43'],
      ['to an emergency number', '911'],
      ['to an invalid number', 'somebody@elsewhere'],
      ['with a second call of the phone (attended)', null],
    ] as const) {
      it(what, async () => {
        const { callId, customer, agent } = await stage.talking();
        await requestTransfer(agent, dialled);
        expect(outcomes).to.deep.equal(['declined']);
        expect(await stage.together(callId)).to.have.members([customer, agent]);
        expect(await stage.list(callId)).to.deep.equal([]);
        expect(await stage.noted(callId)).to.deep.equal(['transfer.declined']);
      });
    }

    it('to a number if the agent may not call out', async () => {
      await rig.db.query(`UPDATE agents SET may_call_out = false`);
      const { callId, customer, agent } = await stage.talking();
      await requestTransfer(agent, TARGET);
      expect(outcomes).to.deep.equal(['declined']);
      expect(await stage.together(callId)).to.have.members([customer, agent]);
    });

    it('by an agent of another project, whatever that agent may call', async () => {
      const { callId, customer, agent } = await stage.talking();
      const { organizationId, projectId } = await ownerIn(rig.db);
      await rig.db.query(
        `UPDATE agents SET organization_id = $1, project_id = $2, may_call_out = true WHERE project_id = $3`,
        [organizationId, projectId, rig.ground.projectId],
      );
      rig.directory.invalidate();
      await requestTransfer(agent, TARGET);
      expect(outcomes).to.deep.equal(['declined']);
      expect(await stage.together(callId)).to.have.members([customer, agent]);
      expect(await stage.list(callId)).to.deep.equal([]);
      expect(await stage.noted(callId)).to.deep.equal(['transfer.declined']);
    });

    it('by the customer', async () => {
      const { callId, customer, agent } = await stage.talking();
      await requestTransfer(customer, TARGET);
      expect(outcomes).to.deep.equal(['declined']);
      expect(await stage.together(callId)).to.have.members([customer, agent]);
    });

    it('while another is running', async () => {
      const { callId, agent } = await stage.talking();
      await stage.transfer(callId, 'attended');
      await requestTransfer(agent, TARGET);
      expect(outcomes).to.deep.equal(['declined']);
      expect(await stage.list(callId)).to.have.length(1);
    });
  });
});

describe('attended transfers requested by a softphone, if they are allowed', function () {
  this.timeout(60_000);
  let stage: TransferStage;
  let rig: CallControllerRig;
  transferEach((...made) => ([stage, rig] = made), { attendedTransfers: true });

  const statusOf = async (callId: string): Promise<string | undefined> => (await rig.calls.find(callId))?.status;

  it('end the consultation, and connect the customer to the consulted party', async () => {
    const served = await stage.talking();
    const consulted = await stage.talking();
    const consultedNumber = (await rig.calls.find(consulted.callId))?.customer_number;
    rig.engine.phoneTransfer(served.agent, null, consulted.agent);
    await rig.untilStatus(consulted.callId, 'ended');
    await stage.until(served.callId, 'completed');
    expect((await stage.newest(served.callId))?.destination).to.deep.equal({ type: 'number', target: consultedNumber });
    expect(await stage.together(served.callId)).to.have.members([served.customer, await stage.target(served.callId)]);
    expect(await rig.eventTypes(served.callId)).to.include('call.transferred');
    expect(await stage.noted(consulted.callId)).to.include('transfer.consulted');
  });

  for (const [what, named] of [
    ['an unknown leg', () => null],
    ['the call itself', ({ agent }) => agent],
    ['another phone’s leg', (_, { customer }) => customer],
  ] as const satisfies readonly (readonly [string, (served: Parties, other: Parties) => string | null])[]) {
    it(`are declined for ${what}, and nothing changes`, async () => {
      const served = await stage.talking();
      const other = await stage.talking();
      rig.engine.phoneTransfer(served.agent, null, named(served, other));
      await rig.settle();
      for (const { callId, customer, agent } of [served, other]) {
        expect(await statusOf(callId)).to.equal('answered');
        expect(await stage.together(callId)).to.have.members([customer, agent]);
      }
      expect(await stage.noted(served.callId)).to.deep.equal(['transfer.declined']);
    });
  }
});
