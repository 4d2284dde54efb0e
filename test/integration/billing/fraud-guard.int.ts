import { expect } from 'chai';
import { SmtpMailer } from '../../../adapters/mail/smtp.js';
import { Mailbox } from '../../../core/data/repositories/mails/mailbox.js';
import { Mails } from '../../../core/services/mails/mails.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { quiet } from '../../support/logger.js';
import { MailServer } from '../../support/peers/mail-server.js';
import type { FraudLimits, ProjectFraudLimits } from '../../../core/model/fraud/limits.js';
import { graphDefinition } from '../../../core/model/flow/definition.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import type { CallRow, FraudBlockRow } from '../../../core/data/rows.js';
import type { ManageFraud } from '../../../core/services/dialling/manage-fraud.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import { activeFlow } from '../../support/calls/flows.js';
import { openQueue } from '../../support/calls/open-queue.js';
import { fraudManagementOn } from '../../support/rows/fraud-guard.js';
import { BillingStage, RATE } from '../../support/stages/billing/billing-stage.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

const OUTSIDE = '+966559876543';
const OTHER = '+966558765432';
const FOREIGN = '+442079460000';

describe('The guard against toll fraud', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  let fraud: ManageFraud;
  callControllerEach((made) => {
    rig = made;
    ({ fraud } = fraudManagementOn(rig.db, rig.directory, rig.clock));
  });

  const limit = (limits: Partial<ProjectFraudLimits>): Promise<void> =>
    fraud.set(rig.ground.projectId, { project: {}, agents: {}, ...limits });
  const limitAgent = (agents: FraudLimits): Promise<void> => limit({ agents });
  async function dialOut(number = OUTSIDE): Promise<CallRow> {
    // A release and a call at the same moment have no order.
    await rig.clock.advance(1);
    const before = await rig.newest().catch(() => null);
    rig.engine.callIn({
      source: { type: 'softphone', aor: `a${rig.ground.projectId}` },
      dialled: number,
      callerId: { number: '1001', name: null },
    });
    await rig.until(async () => (await rig.newest().catch(() => null)) !== before);
    const callId = await rig.newest();
    const settled = new Set(['answered', 'missed', 'failed']);
    await rig.until(async () => settled.has((await stored(callId)).status));
    return stored(callId);
  }
  const stored = async (callId: string): Promise<CallRow> =>
    (await rig.db.query<CallRow>(`SELECT * FROM calls WHERE id = $1`, [callId]))[0]!;
  const blocks = (): Promise<FraudBlockRow[]> => fraud.blocks(rig.ground.projectId, true, null, 10);
  async function isBlocked(call: CallRow, rule: string, agent: string | null = '1001'): Promise<FraudBlockRow> {
    expect(call).to.include({ status: 'missed', disposition: 'rejected', hangup_q850: 21 });
    const noted = await rig.db.query<{ data: { reason: string } }>(
      `SELECT data FROM call_timeline WHERE call_id = $1 AND type = 'leg.barred'`,
      [call.id],
    );
    expect(noted.map(({ data }) => data.reason)).to.deep.equal(['OUTBOUND_BLOCKED']);
    const [block, ...others] = await blocks();
    expect(others).to.deep.equal([]);
    expect(block).to.include({ rule, agent });
    return block!;
  }
  const rows = (): Promise<{ agent: string | null; per_minute: number | null }[]> =>
    rig.db.query(`SELECT agent, per_minute FROM outside_legs WHERE project_id = $1`, [rig.ground.projectId]);
  const counted = async (): Promise<number> => (await rows()).length;

  it('blocks the agent whose call would exceed the limit, until the block is released', async () => {
    await limitAgent({ calls_per_hour: 2 });
    expect((await dialOut()).status).to.equal('answered');
    const live = await dialOut(OTHER);
    expect(live.status).to.equal('answered');
    const block = await isBlocked(await dialOut(), 'calls_per_hour');
    expect(block).to.include({ number_masked: '+96655••••43', at_most: 2, released_at: null });
    await isBlocked(await dialOut(OTHER), 'calls_per_hour');
    expect((await stored(live.id)).status, 'a live call').to.equal('answered');

    expect((await dialOut('911')).status, 'an emergency call').to.equal('answered');
    await fraud.release(rig.ground.projectId, block.id, null);
    expect((await dialOut()).status).to.equal('answered');
    expect((await dialOut()).status).to.equal('answered');
    await isBlocked(await dialOut(), 'calls_per_hour');
  });

  it('reports each block once, by an event and a mail, and each release', async () => {
    await rig.db.query(`UPDATE organizations SET contact_email = 'owner@example.com' WHERE id = $1`, [
      rig.ground.organizationId,
    ]);
    await limitAgent({ calls_per_hour: 1 });
    await dialOut();
    const block = await isBlocked(await dialOut(), 'calls_per_hour');
    await dialOut();
    await fraud.release(rig.ground.projectId, block.id, null);
    await fraud.release(rig.ground.projectId, block.id, null);
    const events = await rig.db.query<{ type: string; data: Record<string, unknown> }>(
      `SELECT type, data FROM events WHERE type LIKE 'fraud.%' AND project_id = $1 ORDER BY id`,
      [rig.ground.projectId],
    );
    expect(events.map(({ type, data }) => [type, data.id, data.released_at !== null])).to.deep.equal([
      ['fraud.blocked', block.id, false],
      ['fraud.released', block.id, true],
    ]);
    expect(events[0]?.data).to.include({
      agent: '1001',
      rule: 'calls_per_hour',
      limit: 1,
      reason: 'calls per hour: 1',
    });
    const server = await MailServer.start();
    const mailer = new SmtpMailer({ url: server.url, from: 'Hatif <hatif@example.com>' });
    await new Mails({ mailbox: new Mailbox(rig.db), mailer, cipher: TEST_CIPHER, clock: rig.clock, log: quiet }).run();
    const sent = server.mails.length;
    const { text } = await server.mailTo('owner@example.com');
    await server.close();
    expect(sent).to.equal(1);
    expect(text).to.contain('The outside calls of the agent 1001').and.contain('calls per hour: 1');
    expect(text).to.contain('حُظرت المكالمات الخارجية للموظف').and.contain('عدد المكالمات في الساعة: 1');
    expect(text).to.contain(block.id).and.contain('+96655••••43').and.not.contain(OUTSIDE);
    const audit = await rig.db.query(
      `SELECT FROM audit_log WHERE route = 'hatif fraud release' AND organization_id = $1`,
      [rig.ground.organizationId],
    );
    expect(audit).to.have.length(1);
  });

  it('does not count emergency calls, calls inside, and calls that another limit refuses', async () => {
    await limitAgent({ calls_per_hour: 1 });
    await dialOut('911');
    await dialOut(rig.agentNumber);
    expect(await counted()).to.equal(0);
    await rig.db.query(`UPDATE projects SET max_calls = 1`);
    rig.directory.invalidate();
    await dialOut(OUTSIDE);
    expect(await counted()).to.equal(0);
    expect(await blocks()).to.deep.equal([]);
  });

  it('forgets calls after an hour', async () => {
    await limitAgent({ calls_per_hour: 1 });
    await dialOut();
    await rig.clock.advance(3_600_000);
    expect((await dialOut()).status).to.equal('answered');
    await isBlocked(await dialOut(), 'calls_per_hour');
  });

  it('lets an agent’s own limit replace that of the others', async () => {
    await limitAgent({ calls_per_hour: 1 });
    await fraud.setOfAgent(rig.ground.projectId, '1001', { calls_per_hour: null });
    await dialOut();
    expect((await dialOut()).status).to.equal('answered');
    await fraud.setOfAgent(rig.ground.projectId, '1001', {});
    await isBlocked(await dialOut(), 'calls_per_hour');
  });

  it('keeps a block in force when the limits are removed', async () => {
    await limitAgent({ calls_per_hour: 1 });
    await dialOut();
    const block = await isBlocked(await dialOut(), 'calls_per_hour');
    await limit({});
    await isBlocked(await dialOut(), 'calls_per_hour');
    await fraud.release(rig.ground.projectId, block.id, null);
    expect((await dialOut()).status).to.equal('answered');
    const [project] = await rig.db.query<{ fraud_limits: unknown }>(`SELECT fraud_limits FROM projects WHERE id = $1`, [
      rig.ground.projectId,
    ]);
    expect(project?.fraud_limits, 'nothing is checked any more').to.equal(null);
  });

  it('blocks calls to one number that was not called before, however many others are called', async () => {
    await limitAgent({ new_number_calls_per_hour: 2 });
    await dialOut();
    await rig.clock.advance(3_700_000);
    for (let call = 0; call < 4; call++) expect((await dialOut()).status, 'a known number').to.equal('answered');
    for (let call = 0; call < 2; call++) expect((await dialOut(OTHER)).status).to.equal('answered');
    await isBlocked(await dialOut(OTHER), 'new_number_calls_per_hour');
  });

  it('counts the minutes of live and of ended calls by day', async () => {
    await limitAgent({ minutes_per_day: 2 });
    const first = await dialOut();
    await rig.clock.advance(70_000);
    rig.engine.remoteHangup((await rig.legs(first.id))[0]!.id);
    await rig.untilStatus(first.id, 'ended');
    await dialOut(OTHER);
    await rig.clock.advance(49_000);
    expect((await dialOut()).status).to.equal('answered');
    await rig.clock.advance(2_000);
    await isBlocked(await dialOut(), 'minutes_per_day');
  });

  it('counts what live calls cost, before they are rated', async () => {
    const billing = await BillingStage.on(rig.db, '', rig.ground);
    await billing.plan([RATE]);
    await limitAgent({ spend_per_hour: RATE.perMinute * 3 });
    await dialOut();
    await rig.clock.advance(61_000);
    expect((await dialOut()).status, 'two minutes are spent').to.equal('answered');
    await isBlocked(await dialOut(), 'spend_per_hour');
  });

  it('refuses at night what may not be called then, without a block', async () => {
    await rig.db.query(`UPDATE agents SET destination_classes = '{national,mobile,foreign}'`);
    await rig.db.query(`UPDATE projects SET destination_classes = '{national,mobile,foreign}'`);
    const hour = (shift: number): string =>
      new Date(rig.clock.now().getTime() + shift * 3_600_000).toISOString().slice(11, 16);
    const night = {
      from: hour(-1),
      to: hour(1),
      time_zone: 'UTC',
      destination_classes: ['mobile' as const],
      calls_per_hour: 1,
    };
    await limitAgent({ night });
    const refused = await dialOut(FOREIGN);
    expect(refused).to.include({ status: 'missed', hangup_q850: 21 });
    expect(await blocks()).to.deep.equal([]);
    expect((await dialOut()).status).to.equal('answered');
    const block = await isBlocked(await dialOut(), 'night_calls_per_hour');
    await rig.clock.advance(2 * 3_600_000);
    await fraud.release(rig.ground.projectId, block.id, null);
    expect((await dialOut(FOREIGN)).status, 'by day').to.equal('answered');
  });

  describe('of a project', () => {
    const callIn = (): string =>
      rig.engine.callIn({ source: TRUNK_SOURCE, dialled: rig.line, callerId: { number: CUSTOMER, name: null } });
    const reasons = async (callId: string): Promise<unknown[]> =>
      (
        await rig.db.query<{ reason: string }>(
          `SELECT data->>'reason' AS reason FROM call_timeline WHERE call_id = $1 AND type = 'leg.barred'`,
          [callId],
        )
      ).map(({ reason }) => reason);

    beforeEach(async () => {
      await limit({ project: { calls_per_hour: 1 } });
      await dialOut();
      await isBlocked(await dialOut(), 'calls_per_hour', null);
      await hangUpAll();
    });

    const ways: Record<string, () => Promise<string>> = {
      'a call flow that dials': async () => {
        const graph = graphDefinition.parse({
          start: 'dial',
          nodes: {
            dial: { type: 'dial', to: { type: 'number', target: OUTSIDE }, next: 'end' },
            end: { type: 'hangup' },
          },
        });
        const { organizationId, projectId } = rig.ground;
        const flow = await activeFlow(rig.db, { organizationId, projectId }, graph);
        await bind({ type: 'callflow', target: flow });
        callIn();
        await rig.settle();
        return rig.newest();
      },
      'a number that is bound to an outside number': async () => {
        await bind({ type: 'number', target: OUTSIDE });
        callIn();
        await rig.settle();
        return rig.newest();
      },
      'a call that was placed before': () => rig.place({ type: 'idle' }),
      'a callback whose agent was found': async () => {
        const queueId = await openQueue(rig);
        return rig.place(
          { type: 'queue_callback', queueId, to: CUSTOMER, ringSeconds: 30 },
          { kind: 'callback', queue_id: queueId },
        );
      },
    };
    for (const [what, begin] of Object.entries(ways)) {
      it(`stops ${what}`, async () => {
        const callId = await begin();
        await rig.until(async () => (await reasons(callId)).length > 0);
        expect((await reasons(callId))[0]).to.equal('OUTBOUND_BLOCKED');
      });
    }

    it('lets calls come in', async () => {
      rig.engine.callIn({
        source: TRUNK_SOURCE,
        dialled: rig.agentNumber,
        callerId: { number: CUSTOMER, name: null },
      });
      await rig.settle();
      await rig.untilStatus(await rig.newest(), 'answered');
    });
  });

  it('counts a callback’s customer for the agent who was rung first', async () => {
    await limitAgent({ calls_per_hour: 1 });
    const queueId = await openQueue(rig);
    const spec = { type: 'queue_callback', queueId, to: CUSTOMER, ringSeconds: 30 } as const;
    const callId = await rig.place(spec, { kind: 'callback', queue_id: queueId });
    await rig.untilStatus(callId, 'answered');
    expect((await rows()).map(({ agent }) => agent)).to.deep.equal(['1001']);
  });

  it('counts what the agent’s phone transfers to for the agent, and declines it', async () => {
    await limitAgent({ calls_per_hour: 1 });
    await dialOut();
    await hangUpAll();
    const callId = await taken();
    rig.engine.phoneTransfer((await rig.legs(callId)).find(({ role }) => role === 'agent')!.id, OUTSIDE);
    await rig.until(async () => (await blocks()).length > 0);
    expect((await blocks())[0]).to.include({ agent: '1001', rule: 'calls_per_hour' });
    await rig.settle();
    expect((await stored(callId)).status).to.equal('answered');
    expect((await rig.legs(callId)).map(({ role }) => role)).to.not.include('transfer');
  });

  it('counts a call that the API places for an agent for that agent', async () => {
    await limitAgent({ calls_per_hour: 1 });
    const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
    await rig.untilStatus(callId, 'answered');
    await isBlocked(await dialOut(), 'calls_per_hour');
  });

  it('counts a leg that nobody answers as a call, but not as time', async () => {
    rig.parties.set(OUTSIDE, PARTIES.busy);
    await limitAgent({ calls_per_hour: 3, minutes_per_day: 1 });
    for (let call = 0; call < 3; call++) await dialOut();
    await isBlocked(await dialOut(), 'calls_per_hour');
  });

  /** A call of a customer that the agent took. */
  async function taken(): Promise<string> {
    rig.engine.callIn({ source: TRUNK_SOURCE, dialled: rig.agentNumber, callerId: { number: CUSTOMER, name: null } });
    await rig.settle();
    const callId = await rig.newest();
    await rig.untilBothAnswered(callId);
    return callId;
  }
  async function hangUpAll(): Promise<void> {
    const legs = await rig.db.query<{ id: string }>(`SELECT id FROM legs WHERE status <> 'ended'`);
    for (const { id } of legs) if (rig.look(id)) rig.engine.remoteHangup(id);
    await rig.until(() => Promise.resolve(rig.controller.liveCalls === 0));
  }
  async function bind(binding: { readonly type: string; readonly target: string }): Promise<void> {
    const line = await new Numbers(rig.db).findByE164(rig.line);
    await rig.db.query(`UPDATE numbers SET binding = $2 WHERE id = $1`, [line!.id, JSON.stringify(binding)]);
  }
});
