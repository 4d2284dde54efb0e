import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { callControllerEach } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';
import { insertRows, ownerIn } from '../../support/rows/rows.js';

/** Where its owner forwards a number, and what it is bound to. */
const ELSEWHERE = '+966559876543';

describe('calls between projects', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  /** The other project, whose agent has the extension 2002. */
  let other: { readonly organizationId: string; readonly projectId: string };
  let number: string;
  let outcomes: string[];
  callControllerEach((made) => (rig = made));

  beforeEach(async () => {
    other = await ownerIn(rig.db);
    number = rig.line.replace(/0$/, '7');
    await insertRows(rig.db, 'agents', [
      {
        organization_id: other.organizationId,
        project_id: other.projectId,
        created_at: new Date(),
        id: newId(),
        agent: '2002',
        aor: `b${other.projectId}`,
        display_name: 'Other agent',
        sip_password: 'sealed',
        may_call_out: true,
        record_calls: true,
        priority: 5,
        caller_id_number: null,
        destination_classes: ['national'],
      },
    ]);
    await rig.engine.registrations.put({ aor: aor(), password: 'x', displayName: 'Other', maxContacts: 1 });
    outcomes = [];
    const { legs } = rig.engine;
    const report = legs.reportTransfer.bind(legs);
    legs.reportTransfer = async (legId, outcome) => {
      await report(legId, outcome);
      outcomes.push(outcome);
    };
  });

  const aor = (): string => `b${other.projectId}`;
  const give = (binding: object | null, changes: object = {}): Promise<void> =>
    insertRows(rig.db, 'numbers', [
      {
        organization_id: other.organizationId,
        project_id: other.projectId,
        created_at: new Date(),
        id: newId(),
        e164: number,
        kind: 'geographic',
        state: 'assigned',
        source: 'operator',
        binding,
        ...changes,
      },
    ]);
  const AGENT = { type: 'agent', target: '2002' } as const;
  /** The endpoint of the call's newest leg. */
  async function dialledBy(callId: string): Promise<unknown> {
    await rig.until(async () => (await rig.legs(callId)).length > 0);
    return (await rig.legs(callId)).at(-1)?.endpoint;
  }

  describe('to a number of another project', () => {
    for (const [what, binding, changes] of [
      ['that another carrier delivers to it', AGENT, { source: 'own' }],
      [
        'that another carrier delivers to it, and that it forwards',
        { type: 'number', target: ELSEWHERE },
        { source: 'own' },
      ],
      ['that is being ported', AGENT, { state: 'porting', source: 'ported' }],
      ['that it forwards to a number', { type: 'number', target: ELSEWHERE }, {}],
      ['that is an end user’s', { type: 'virtual_number', target: newId() }, {}],
    ] as const) {
      it(`leave by the trunk, unchanged, if it is one ${what}`, async () => {
        await give(binding, changes);
        for (const callId of [
          await rig.place({ type: 'idle' }, { customer_number: number }),
          await rig.place({ type: 'idle' }, { customer_number: number, system: true }),
        ]) {
          expect(await dialledBy(callId)).to.deep.include({ type: 'trunk', number });
        }
        const callId = await rig.place({ type: 'connect', to: { type: 'number', target: number } });
        await rig.until(async () => (await rig.legs(callId)).length === 2);
        expect(await dialledBy(callId)).to.deep.include({ type: 'trunk', number });
      });
    }

    it('leave by the trunk from a softphone, too, if another carrier delivers it', async () => {
      await give(AGENT, { source: 'own' });
      const legId = rig.engine.callIn({
        source: { type: 'softphone', aor: `a${rig.ground.projectId}` },
        dialled: number,
        callerId: { number: null, name: null },
      });
      await rig.settle();
      const callId = await rig.newest();
      await rig.until(async () => (await rig.legs(callId)).length === 2);
      expect(await rig.calls.find(callId)).to.include({
        direction: 'outbound',
        customer_number: number,
        agent: '1001',
      });
      expect(await dialledBy(callId)).to.deep.include({ type: 'trunk', number });
      rig.engine.remoteHangup(legId);
      await rig.settle();
    });

    it('still stay inside for the project itself', async () => {
      await give(AGENT, { source: 'own' });
      const callId = await rig.place(
        { type: 'idle' },
        { customer_number: number, project_id: other.projectId, organization_id: other.organizationId },
      );
      expect(await dialledBy(callId)).to.deep.equal({ type: 'softphone', aor: aor() });
    });

    it('ring its agent if it is assigned to it, and do not show the agent', async () => {
      await give(AGENT);
      const callId = await rig.place({ type: 'connect', to: { type: 'number', target: number } });
      await rig.untilBothAnswered(callId);
      expect(await dialledBy(callId)).to.deep.equal({ type: 'softphone', aor: aor() });
      expect(await rig.calls.find(callId)).to.include({ agent: null });
      expect(await shownOf(callId)).not.to.contain('2002');
    });
  });

  /** Everything that the call's project can read about it. */
  async function shownOf(callId: string): Promise<string> {
    const rows = await rig.db.query(
      `SELECT to_jsonb(call) - 'program' AS call, (SELECT json_agg(event.data) FROM events AS event WHERE event.call_id = call.id) AS events,
         (SELECT json_agg(line.data) FROM call_timeline AS line WHERE line.call_id = call.id) AS timeline,
         (SELECT json_agg(to_jsonb(transfer)) FROM transfers AS transfer WHERE transfer.call_id = call.id) AS transfers
       FROM calls AS call WHERE id = $1`,
      [callId],
    );
    return JSON.stringify(rows);
  }

  /** A call of the first project between a customer and the other project's agent. @returns the legs */
  async function between(): Promise<{ readonly callId: string; readonly agent: string; readonly customer: string }> {
    await give(AGENT);
    const callId = await rig.place({ type: 'connect', to: { type: 'number', target: number } });
    await rig.untilBothAnswered(callId);
    await rig.settle();
    const legs = await rig.legs(callId);
    const of = (role: string): string => legs.find((leg) => leg.role === role)!.id;
    return { callId, agent: of('agent'), customer: of('customer') };
  }

  it('are not transferred by the other project’s agent, who would spend this project’s money', async () => {
    const { callId, agent, customer } = await between();
    for (const dialled of [ELSEWHERE, number, rig.agentNumber, '2002']) {
      rig.engine.phoneTransfer(agent, dialled);
      await rig.settle();
    }
    expect(outcomes).to.deep.equal(['declined', 'declined', 'declined', 'declined']);
    expect(await rig.calls.transfersOf([callId])).to.deep.equal([]);
    expect(rig.look(customer)?.bridgeId).to.equal(callId);
    expect(rig.look(agent)?.bridgeId).to.equal(callId);
  });

  for (const [what, binding] of [
    ['queue', { type: 'queue', target: newId() }],
    ['agent', AGENT],
    ['echo service', { type: 'echo', target: null }],
  ] as const) {
    it(`are transferred to another project’s number, never to its ${what}`, async () => {
      await give(binding);
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.untilBothAnswered(callId);
      await rig.settle();
      const agent = (await rig.legs(callId)).find(({ role }) => role === 'agent')!;
      rig.engine.phoneTransfer(agent.id, number);
      await rig.until(async () => (await rig.calls.transfersOf([callId])).some(({ ended_at }) => ended_at !== null));
      const [transfer] = await rig.calls.transfersOf([callId]);
      expect(transfer).to.deep.include({
        status: 'completed',
        destination: { type: 'number', target: number },
        agent: null,
      });
      expect(await rig.calls.find(callId)).to.include({ served_queue_id: null, callflow_id: null, agent: null });
      expect(await shownOf(callId)).not.to.contain('2002');
    });
  }

  it('from a softphone show neither its extension nor follow its recording', async () => {
    const legId = rig.engine.callIn({
      source: { type: 'softphone', aor: aor() },
      dialled: rig.line,
      callerId: { number: null, name: null },
    });
    await rig.settle();
    const callId = await rig.newest();
    await rig.untilStatus(callId, 'answered');
    expect(await rig.calls.find(callId)).to.deep.include({
      project_id: rig.ground.projectId,
      agent: null,
      customer_number: 'anonymous',
      caller_id_number: 'anonymous',
    });
    expect((await rig.calls.find(callId))?.options.record).to.equal(false);
    expect(await shownOf(callId)).not.to.contain('2002');
    rig.engine.remoteHangup(legId);
    await rig.untilStatus(callId, 'ended');
  });

  it('to numbers of its own project still show the customer’s number', async () => {
    const legId = rig.engine.callIn({
      source: { type: 'softphone', aor: `a${rig.ground.projectId}` },
      dialled: rig.line,
      callerId: { number: CUSTOMER, name: null },
    });
    await rig.settle();
    const callId = await rig.newest();
    await rig.untilStatus(callId, 'answered');
    expect(await rig.calls.find(callId)).to.include({ customer_number: rig.agentNumber });
    rig.engine.remoteHangup(legId);
    await rig.untilStatus(callId, 'ended');
  });
});
