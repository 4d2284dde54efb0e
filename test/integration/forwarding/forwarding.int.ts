import { expect } from 'chai';
import type { CallRow, LegRow } from '../../../core/data/rows.js';
import type { ForwardingChange } from '../../../core/model/call/forwarding.js';
import { newId } from '../../../core/model/ids.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';
import { boxRow } from '../../support/rows/voicemail-rows.js';
import { insertRows } from '../../support/rows/rows.js';

const MOBILE = '+966559876543';
const mobile = { type: 'number', target: MOBILE } as const;
const colleague = { type: 'agent', target: '1002' } as const;

describe('calls for an agent who forwards them', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  let projectId: string;
  callControllerEach((made) => {
    rig = made;
    ({ projectId } = made.ground);
  });

  beforeEach(async () => {
    const owner = { id: projectId, organization_id: rig.ground.organizationId };
    const { agent } = await rig.queues.agents.add(owner, '1002');
    await rig.engine.registrations.put({ aor: agent.aor, password: 'x', displayName: 'Colleague', maxContacts: 1 });
    aors = { '1001': `a${projectId}`, '1002': agent.aor };
    rig.directory.invalidate();
  });
  let aors: Readonly<Record<string, string>>;

  const set = (agent: string, change: ForwardingChange): Promise<unknown> =>
    rig.forwarding.manage.change(projectId, agent, change);

  /** A customer calls the agent's number. @returns the call and the customer's leg */
  async function callIn(dialled = rig.agentNumber, from = CUSTOMER): Promise<{ callId: string; legId: string }> {
    const legId = rig.engine.callIn({ source: TRUNK_SOURCE, dialled, callerId: { number: from, name: null } });
    await rig.settle();
    return { callId: await rig.newest(), legId };
  }
  /** A softphone calls. */
  async function dial(agent: string, dialled: string): Promise<{ callId: string; legId: string }> {
    const source = { type: 'softphone', aor: aors[agent]! } as const;
    const legId = rig.engine.callIn({ source, dialled, callerId: { number: null, name: null } });
    await rig.settle();
    return { callId: await rig.newest(), legId };
  }
  /** What the call rang, in order: extensions and numbers. */
  async function rung(callId: string): Promise<string[]> {
    const legs = (await rig.legs(callId)).filter(({ role }) => role === 'agent');
    return legs.map(({ endpoint }) => {
      const { aor, number } = endpoint as { readonly aor?: string; readonly number?: string };
      return Object.keys(aors).find((agent) => aors[agent] === aor) ?? number ?? '?';
    });
  }
  const agentLeg = async (callId: string): Promise<LegRow> => (await rig.legs(callId)).at(-1)!;
  async function noted(callId: string): Promise<object[]> {
    const rows = await rig.db.query<{ type: string; data: object }>(
      `SELECT type, data FROM call_timeline WHERE call_id = $1 AND type IN ('call.forwarded', 'call.not_forwarded', 'leg.barred') ORDER BY id`,
      [callId],
    );
    return rows.map(({ type, data }) => ({ ...data, type }));
  }
  /** The call is answered; then its customer hangs up. */
  async function talkAndEnd({ callId, legId }: { callId: string; legId: string }): Promise<CallRow> {
    await rig.untilStatus(callId, 'answered');
    await rig.until(() => Promise.resolve(rig.look(legId)?.bridgeId === callId));
    await rig.clock.advance(5_000);
    rig.engine.remoteHangup(legId);
    return rig.untilStatus(callId, 'ended');
  }

  describe('ring', () => {
    for (const [what, change, party, expected] of [
      ['the colleague always', { always: colleague }, PARTIES.answers, ['1002']],
      ['the colleague when the phone is busy', { busy: colleague }, PARTIES.busy, ['1001', '1002']],
      ['the colleague when the phone declines', { busy: colleague }, PARTIES.rejects, ['1001', '1002']],
      [
        'the colleague when nobody answers',
        { no_answer: colleague, no_answer_seconds: 10 },
        PARTIES.neverAnswers,
        ['1001', '1002'],
      ],
      ['the colleague when the phone is silent', { unregistered: colleague }, PARTIES.neverRings, ['1001', '1002']],
      ['the phone itself in all other cases', { busy: colleague, no_answer: colleague }, PARTIES.answers, ['1001']],
    ] as const) {
      it(what, async () => {
        rig.parties.set(aors['1001']!, party);
        await set('1001', change);
        const call = await callIn();
        const ended = await talkAndEnd(call);
        expect(await rung(call.callId)).to.deep.equal(expected);
        expect(ended).to.include({ disposition: 'answered', agent: expected.at(-1) });
        expect(await rig.charges(call.callId), 'the customer’s leg only').to.have.length(1);
      });
    }

    it('the colleague when the phone is not registered', async () => {
      await rig.engine.registrations.remove(aors['1001']!);
      await set('1001', { unregistered: colleague });
      const call = await callIn();
      await talkAndEnd(call);
      expect((await rung(call.callId)).at(-1)).to.equal('1002');
    });

    it('the phone only as long as the agent wants', async () => {
      rig.parties.set(aors['1001']!, PARTIES.neverAnswers);
      await set('1001', { no_answer: colleague, no_answer_seconds: 10 });
      const { callId } = await callIn();
      await rig.until(async () => (await rung(callId)).length === 2);
      const [, first, second] = await rig.legs(callId);
      expect(second!.created_at.getTime() - first!.created_at.getTime()).to.be.within(10_000, 11_000);
    });

    it('one after another, while the caller hears ringing and is not answered', async () => {
      rig.parties.set(aors['1001']!, PARTIES.busy);
      rig.parties.set(aors['1002']!, PARTIES.neverAnswers);
      await set('1001', { busy: colleague });
      await set('1002', { no_answer: mobile, no_answer_seconds: 5 });
      const { callId, legId } = await callIn();
      await rig.until(async () => (await rung(callId)).length === 3);
      expect(await rung(callId)).to.deep.equal(['1001', '1002', MOBILE]);
      expect(rig.look(legId)).to.include({ answered: false });
      await talkAndEnd({ callId, legId });
    });

    it('the colleague of a colleague who calls by extension', async () => {
      await set('1001', { always: mobile });
      const call = await dial('1002', '1001');
      const ended = await talkAndEnd(call);
      expect(await rung(call.callId)).to.deep.equal([MOBILE]);
      expect(ended).to.include({ agent: '1001' });
    });
  });

  describe('to the telephone network', () => {
    it('are charged on their own, show the agent’s number, and tell the carrier whose call it is', async () => {
      await set('1001', { always: mobile });
      const originated: object[] = [];
      const { legs } = rig.engine;
      const originate = legs.originate.bind(legs);
      legs.originate = (request) => {
        originated.push(request);
        return originate(request);
      };
      const call = await callIn();
      await talkAndEnd(call);
      await rig.until(async () => (await rig.charges(call.callId)).length > 1);
      const charges = await rig.charges(call.callId);
      expect(charges.map(({ number }) => number)).to.have.members([CUSTOMER, MOBILE]);
      expect(originated).to.have.length(1);
      expect(originated[0]).to.deep.include({ callerId: { number: rig.agentNumber, name: null } });
      expect(await agentLeg(call.callId)).to.deep.include({ billable: true, number: MOBILE });
      expect((await agentLeg(call.callId)).endpoint).to.deep.include({
        type: 'trunk',
        diversion: { number: rig.agentNumber, case: 'always' },
      });
      expect(await noted(call.callId)).to.deep.equal([{ type: 'call.forwarded', agent: '1001', case: 'always' }]);
    });

    it('show the agent’s number if a colleague called by extension', async () => {
      await set('1001', { always: mobile });
      const { callId } = await dial('1002', '1001');
      await rig.until(async () => (await rung(callId)).length === 1);
      expect((await agentLeg(callId)).endpoint).to.deep.include({
        diversion: { number: rig.agentNumber, case: 'always' },
      });
    });

    for (const [what, sql] of [
      ['the agent may no longer call out', `UPDATE agents SET may_call_out = false WHERE agent = '1001'`],
      ['the project may no longer call the class', `UPDATE projects SET destination_classes = '{}'`],
    ] as const) {
      it(`are refused if ${what}`, async () => {
        await set('1001', { always: mobile });
        await rig.db.query(sql);
        rig.directory.invalidate();
        const { callId } = await callIn();
        const call = await rig.untilStatus(callId, 'missed');
        expect(call).to.include({ disposition: 'rejected', hangup_q850: 21 });
        expect((await noted(callId)).at(-1)).to.deep.include({
          type: 'leg.barred',
          reason: 'INSUFFICIENT_PERMISSIONS',
        });
        expect(await rung(callId)).to.deep.equal([]);
      });
    }

    it('count for the agent’s limits against toll fraud', async () => {
      await set('1001', { always: mobile });
      await rig.db.query(`UPDATE agents SET fraud_limits = '{"calls_per_hour": 1}' WHERE agent = '1001'`);
      rig.directory.invalidate();
      const first = await callIn();
      await talkAndEnd(first);
      const { callId } = await callIn();
      await rig.untilStatus(callId, 'missed');
      expect((await noted(callId)).at(-1)).to.deep.include({ reason: 'OUTBOUND_BLOCKED' });
    });
  });

  it('do not come back', async () => {
    await set('1001', { always: colleague });
    await set('1002', { always: { type: 'agent', target: '1001' } });
    const { callId } = await callIn();
    expect(await rig.untilStatus(callId, 'failed')).to.include({ hangup_q850: 25 });
    expect(await rung(callId)).to.deep.equal([]);
    expect((await noted(callId)).at(-1)).to.deep.equal({ type: 'call.not_forwarded', reason: 'loop' });
  });

  it('end as the first phone did if the forward comes back', async () => {
    rig.parties.set('agent', PARTIES.busy);
    await set('1001', { busy: colleague });
    await set('1002', { busy: { type: 'agent', target: '1001' } });
    const { callId } = await callIn();
    expect(await rig.untilStatus(callId, 'missed')).to.include({ disposition: 'busy', hangup_q850: 17 });
    expect(await rung(callId)).to.deep.equal(['1001', '1002']);
  });

  describe('in do-not-disturb', () => {
    beforeEach(() => set('1001', { do_not_disturb: true }));

    it('find the phone busy, which does not ring', async () => {
      const { callId } = await callIn();
      expect(await rig.untilStatus(callId, 'missed')).to.include({ disposition: 'busy', hangup_q850: 17 });
      expect(await rung(callId)).to.deep.equal([]);
    });

    it('go where the agent forwards calls of a busy phone', async () => {
      await set('1001', { busy: colleague });
      const call = await callIn();
      await talkAndEnd(call);
      expect(await rung(call.callId)).to.deep.equal(['1002']);
    });

    it('ring the phone for half an hour after the agent called an emergency number', async () => {
      const own = await dial('1001', '911');
      rig.engine.remoteHangup(own.legId);
      await rig.until(() => Promise.resolve(rig.look(own.legId) === null));
      await set('1001', { always: mobile });
      const back = await callIn();
      await talkAndEnd(back);
      expect(await rung(back.callId)).to.deep.equal(['1001']);
      await rig.clock.advance(31 * 60_000);
      const later = await callIn();
      await talkAndEnd(later);
      expect(await rung(later.callId)).to.deep.equal([MOBILE]);
    });
  });

  it('leave a message in the agent’s voicemail', async () => {
    rig.parties.set(aors['1001']!, PARTIES.neverAnswers);
    const [number] = await rig.db.query<{ id: string }>('SELECT id FROM numbers WHERE e164 = $1', [rig.agentNumber]);
    await insertRows(rig.db, 'voicemail_boxes', [boxRow(rig.ground, number!.id)]);
    await set('1001', { no_answer: { type: 'voicemail', target: null } });
    // By extension, so that the box of the called line is not what takes the message.
    const { callId, legId } = await dial('1002', '1001');
    await rig.until(() => Promise.resolve(rig.said.some((text) => text.includes('leave a message'))));
    await rig.untilStatus(callId, 'answered');
    rig.engine.remoteHangup(legId);
    await rig.untilStatus(callId, 'ended');
  });

  it('continue after a restart with the phone that rings, and ring no phone twice', async () => {
    rig.parties.set(aors['1001']!, PARTIES.busy);
    rig.parties.set(aors['1002']!, PARTIES.neverAnswers);
    await set('1001', { busy: colleague });
    await set('1002', { no_answer: mobile, no_answer_seconds: 10 });
    const { callId, legId } = await callIn();
    await rig.until(async () => (await rung(callId)).length === 2 && (await agentLeg(callId)).status === 'ringing');
    await rig.restart();
    await talkAndEnd({ callId, legId });
    expect(await rung(callId)).to.deep.equal(['1001', '1002', MOBILE]);
  });

  it('by a transfer are forwarded, too, and return if the agent is not to be disturbed', async () => {
    const { callId } = await callIn(rig.line);
    await rig.untilStatus(callId, 'answered');
    const transfer = async (): Promise<string> => {
      const transferId = newId();
      const outcome = await rig.controller.command({
        type: 'transfer',
        ...{ callId, transferId, transferType: 'blind', to: { type: 'agent', target: '1001' } },
        ...{ ringTimeoutSeconds: 30, requestId: 'r', actor: newId() },
      });
      expect(outcome).to.deep.equal({ result: 'done' });
      return transferId;
    };
    const statusOf = async (id: string): Promise<string | undefined> =>
      (await rig.db.query<{ status: string }>('SELECT status FROM transfers WHERE id = $1', [id]))[0]?.status;
    await set('1001', { do_not_disturb: true });
    const refused = await transfer();
    await rig.until(async () => (await statusOf(refused)) === 'failed');
    await set('1001', { always: mobile });
    const forwarded = await transfer();
    await rig.until(async () => (await statusOf(forwarded)) === 'completed');
    expect(await agentLeg(callId)).to.deep.include({ number: MOBILE, billable: true });
  });
});
