import { expect } from 'chai';
import { NO_FORWARDING } from '../../../core/model/call/forwarding.js';
import { isFinal } from '../../../core/model/call/call.js';
import { newId } from '../../../core/model/ids.js';
import { callControllerEach, reportedTransfers } from '../../support/stages/call-controller-stage.js';
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
  let outcomes: readonly string[];
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
        fraud_limits: null,
        record_calls: true,
        priority: 5,
        skills: {},
        forwarding: NO_FORWARDING,
        caller_id_number: null,
        destination_classes: ['national', 'mobile'],
      },
    ]);
    await rig.engine.registrations.put({ aor: aor(), password: 'x', displayName: 'Other', maxContacts: 1 });
    outcomes = reportedTransfers(rig);
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

    const unowned = { organization_id: null, project_id: null };
    it('stay inside if it is one of the demo that it forwards', async () => {
      number = '+966115550120';
      await give({ type: 'number', target: ELSEWHERE }, { source: 'demo' });
      const callId = await rig.place({ type: 'idle' }, { customer_number: number });
      expect(await dialledBy(callId)).to.deep.equal({ type: 'inside', number });
    });

    for (const [e164, what, changes, leaves] of [
      ['+966115550121', 'that is offered', { ...unowned, state: 'available' }, false],
      ['+966115550122', 'that rests', { ...unowned, state: 'quarantined' }, false],
      ['+966115550123', 'that was withdrawn', { ...unowned, state: 'released' }, true],
    ] as const) {
      it(`${leaves ? 'leave' : 'never leave'} by the trunk if it is one of the demo ${what}`, async () => {
        number = e164;
        await give(leaves ? null : { type: 'number', target: ELSEWHERE }, { source: 'demo', ...changes });
        const callId = await rig.place({ type: 'idle' }, { customer_number: number });
        if (leaves) expect(await dialledBy(callId)).to.deep.include({ type: 'trunk', number });
        else {
          await rig.untilStatus(callId, 'failed');
          expect(await rig.legs(callId)).to.deep.equal([]);
        }
        const connected = await rig.place({ type: 'connect', to: { type: 'number', target: number } });
        await rig.until(
          async () => isFinal((await rig.calls.find(connected))!.status) || (await rig.legs(connected)).length === 2,
        );
        const dialled = (await rig.legs(connected)).map(({ number: to }) => to);
        expect(dialled.includes(number)).to.equal(leaves);
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

    it('come in as its call if it is assigned to it, and do not show its agent', async () => {
      const { callId, incoming } = await between();
      expect(await dialledBy(callId)).to.deep.equal({ type: 'inside', number });
      expect(await rig.calls.find(callId)).to.include({ agent: null });
      expect(await shownOf(callId)).not.to.contain('2002');
      expect(await shownOf(callId)).not.to.contain(incoming.id);
      expect(await shownOf(callId)).not.to.contain(other.projectId);
      expect(await shownOf(incoming.id)).not.to.contain(callId);
      expect(await shownOf(incoming.id)).not.to.contain(rig.ground.projectId);
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

  /** A call of the first project between a customer and the other project's number, which its agent answered. */
  async function between() {
    await give(AGENT);
    const callId = await rig.place({ type: 'connect', to: { type: 'number', target: number } });
    await rig.untilBothAnswered(callId);
    return { callId, incoming: (await rig.calls.find(await rig.newest(other.projectId)))! };
  }

  it('are transferred by the other project’s agent as its own call, for its own money', async () => {
    const { callId, incoming } = await between();
    const agent = (await rig.legs(incoming.id)).find((leg) => leg.role === 'agent')!;
    rig.engine.phoneTransfer(agent.id, ELSEWHERE);
    await rig.until(async () => (await rig.calls.transfersOf([incoming.id])).some(({ ended_at }) => ended_at !== null));
    expect(outcomes).to.deep.equal(['completed']);
    expect(await rig.calls.transfersOf([callId])).to.deep.equal([]);
    const [target] = await rig.db.query(`SELECT number, billable FROM legs WHERE call_id = $1 AND number = $2`, [
      incoming.id,
      ELSEWHERE,
    ]);
    expect(target).to.deep.equal({ number: ELSEWHERE, billable: true });
  });

  for (const [what, binding] of [
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
    const outgoing = await rig.newest(other.projectId);
    await rig.untilBothAnswered(outgoing);
    expect(await rig.calls.find(outgoing)).to.include({ direction: 'outbound', agent: '2002' });
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
