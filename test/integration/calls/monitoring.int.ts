import { expect } from 'chai';
import { NO_FORWARDING } from '../../../core/model/call/forwarding.js';
import { newId } from '../../../core/model/ids.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import type { Answer } from '../../support/api.js';
import type { CallControllerRig } from '../../support/stages/call-controller.js';
import { insertRows } from '../../support/rows/rows.js';
import { transferEach, type TransferStage } from '../../support/stages/transfer-stage.js';

const UNKNOWN_ID = '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11';

describe('monitoring calls', function () {
  this.timeout(60_000);
  let stage: TransferStage;
  let rig: CallControllerRig;
  transferEach((...made) => ([stage, rig] = made));

  const aorOf = (agent: string): string => `a${agent}-${rig.ground.projectId}`;

  beforeEach(async () => {
    const { organizationId: organization_id, projectId: project_id } = rig.ground;
    for (const agent of ['2001', '2002']) {
      const owner = { organization_id, project_id, created_at: new Date() };
      const may = {
        may_call_out: true,
        fraud_limits: null,
        destination_classes: [],
        record_calls: false,
        priority: 5,
        skills: {},
        forwarding: NO_FORWARDING,
        caller_id_number: null,
      };
      const shown = { display_name: 'Supervisor', sip_password: 'sealed' };
      await insertRows(rig.db, 'agents', [{ ...owner, ...may, ...shown, id: newId(), agent, aor: aorOf(agent) }]);
    }
    const phone = { aor: aorOf('2001'), password: 'x', displayName: 'Supervisor', maxContacts: 1 };
    await rig.engine.registrations.put(phone);
    await rig.engine.registrations.put({ ...phone, aor: aorOf('2002') });
    await rig.settle();
  });

  const codeOf = ({ status, body }: Answer): string => `${status} ${String(body?.error_code ?? body?.action)}`;

  async function monitor(callId: string, mode?: string, agent = '2001'): Promise<string> {
    const answer = await stage.post(callId, 'monitor', { agent, ...(mode !== undefined && { mode }) });
    await rig.settle();
    return codeOf(answer);
  }

  async function stop(callId: string, json: object = {}): Promise<string> {
    const answer = await stage.post(callId, 'monitor/stop', json);
    await rig.settle();
    return codeOf(answer);
  }

  const supervisors = async (callId: string) => (await rig.legs(callId)).filter(({ role }) => role === 'supervisor');

  /** A call of customer and agent, with a supervisor. */
  async function monitored(mode?: string) {
    const parties = await stage.talking();
    expect(await monitor(parties.callId, mode)).to.equal('200 monitor');
    return { ...parties, supervisor: await answered(parties.callId) };
  }

  /** Lets the newest supervisor answer. */
  async function answered(callId: string): Promise<string> {
    await rig.until(async () => (await supervisors(callId)).at(-1)?.status === 'answered');
    await rig.settle();
    return (await supervisors(callId)).at(-1)!.id;
  }

  async function noted(callId: string): Promise<string[]> {
    const rows = await rig.db.query<{ type: string; mode: string | null }>(
      `SELECT type, data->>'mode' AS mode FROM call_timeline WHERE call_id = $1 AND type ~ 'monitor' ORDER BY at, id`,
      [callId],
    );
    return rows.map(({ type, mode }) => (mode === null ? type : `${type} ${mode}`));
  }

  it('follows the contract of all routes', async () => {
    const { routeProblems } = await import('../../support/judges/route-contract.js');
    const routes = stage.routes.filter(({ path }) => path.includes('monitor'));
    expect(routes).to.have.length(2);
    expect(await routeProblems(stage.api, routes)).to.deep.equal([]);
  });

  it('rings the supervisor, who listens to the agent, and changes the mode', async () => {
    const { callId, customer, agent, supervisor } = await monitored();
    expect(rig.look(supervisor)).to.deep.include({ bridgeId: null, monitors: { targetLegId: agent, whispers: false } });
    expect(await monitor(callId, 'listen'), 'a repeat').to.equal('200 monitor');
    await monitor(callId, 'whisper');
    expect(rig.look(supervisor)).to.deep.include({ bridgeId: null, monitors: { targetLegId: agent, whispers: true } });
    await monitor(callId, 'barge');
    expect(rig.look(supervisor)).to.deep.include({ bridgeId: callId, monitors: null });
    expect(await stage.together(callId)).to.have.members([customer, agent, supervisor]);
    await monitor(callId, 'listen');
    expect(rig.look(supervisor)).to.deep.include({ bridgeId: null, monitors: { targetLegId: agent, whispers: false } });
    expect(await supervisors(callId)).to.have.length(1);
    expect(await stop(callId)).to.equal('200 monitor_stop');
    expect(await stop(callId), 'a repeat').to.equal('200 monitor_stop');
    expect(rig.look(supervisor)).to.equal(null);
    expect(await stage.together(callId)).to.have.members([customer, agent]);
    expect(await noted(callId)).to.deep.equal([
      ...['control.monitor listen', 'monitor.mode listen', 'control.monitor whisper', 'monitor.mode whisper'],
      ...['control.monitor barge', 'monitor.mode barge', 'control.monitor listen', 'monitor.mode listen'],
      'control.monitor_stop',
    ]);
  });

  it('keeps the supervisor from being removed until it ends', async () => {
    const { projectId } = rig.ground;
    const { agents } = rig.queues;
    const { callId } = await monitored();
    const refused: unknown = await agents.remove(projectId, '2001').catch((error: unknown) => error);
    expect(refused).to.include({ code: 'AGENT_ON_CALL' });
    expect(await agents.get(projectId, '2001')).to.include({ agent: '2001' });
    await stop(callId);
    expect(await agents.remove(projectId, '2001')).to.include({ agent: '2001' });
  });

  it('does not show in the call, its events or its charges', async () => {
    const before = await stage.talking();
    const eventTypes = await rig.eventTypes(before.callId);
    await monitor(before.callId, 'barge');
    const supervisor = await answered(before.callId);
    rig.engine.pressDigits(supervisor, '12');
    rig.engine.phoneHold(supervisor, true);
    rig.engine.phoneTransfer(supervisor, '0551234567');
    rig.engine.phoneHold(supervisor, false);
    await rig.settle();
    expect(rig.look(supervisor)?.transferOutcome).to.equal('declined');
    expect(await rig.eventTypes(before.callId)).to.deep.equal(eventTypes);
    rig.engine.remoteHangup(before.customer);
    await rig.untilStatus(before.callId, 'ended');
    await rig.settle();
    expect(await rig.eventTypes(before.callId)).to.deep.equal([...eventTypes, 'call.ended']);
    const [ended] = await rig.db.query<{ legs: { leg: string }[] }>(
      `SELECT data->'legs' AS legs FROM events WHERE call_id = $1 AND type = 'call.ended'`,
      [before.callId],
    );
    expect(ended?.legs.map(({ leg }) => leg)).to.deep.equal(['customer', 'agent']);
    expect(await rig.charges(before.callId)).to.have.length(1);
    expect((await supervisors(before.callId)).map(({ billable, status }) => [billable, status])).to.deep.equal([
      [false, 'ended'],
    ]);
  });

  it('writes an audit row with the supervisor and the mode', async () => {
    const { callId } = await monitored('whisper');
    await stage.api.audit.flush();
    const rows = await rig.db.query<{ row: string }>(`SELECT to_jsonb(a)::text AS row FROM audit_log a`);
    const row = rows.map(({ row: text }) => text).find((text) => text.includes(`/v1/calls/${callId}/monitor`));
    expect(row).to.include('2001').and.to.include('whisper');
  });

  it('is not affected when the supervisor hangs up', async () => {
    const { callId, customer, agent, supervisor } = await monitored('barge');
    rig.engine.remoteHangup(supervisor);
    await rig.settle();
    expect(await stage.together(callId)).to.have.members([customer, agent]);
    expect(await rig.calls.find(callId)).to.include({ status: 'answered' });
    expect(await monitor(callId)).to.equal('200 monitor');
    expect(await answered(callId)).not.to.equal(supervisor);
  });

  for (const mode of ['listen', 'barge'] as const) {
    it(`ends with the call, whichever party ends it: ${mode}`, async () => {
      for (const who of ['customer', 'agent', 'api'] as const) {
        const parties = await monitored(mode);
        if (who === 'api') await stage.post(parties.callId, 'hangup');
        else rig.engine.remoteHangup(parties[who]);
        await rig.untilStatus(parties.callId, 'ended');
        await rig.settle();
        expect(rig.look(parties.supervisor), who).to.equal(null);
        expect(await rig.calls.find(parties.callId)).to.include({ disposition: 'answered' });
      }
    });
  }

  it('stops ringing when the call ends', async () => {
    const { callId, customer } = await stage.talking();
    rig.parties.set('agent', PARTIES.neverAnswers);
    await monitor(callId);
    await rig.until(async () => (await supervisors(callId))[0]?.status === 'ringing');
    rig.engine.remoteHangup(customer);
    await rig.untilStatus(callId, 'ended');
    await rig.settle();
    expect((await supervisors(callId)).map(({ status }) => status)).to.deep.equal(['ended']);
  });

  it('does not affect a call whose supervisor does not answer or refuses', async () => {
    const { callId, customer, agent } = await stage.talking();
    for (const party of ['neverAnswers', 'rejects'] as const) {
      rig.parties.set('agent', PARTIES[party]);
      await monitor(callId);
      await rig.until(async () => (await supervisors(callId)).at(-1)?.status === 'ended');
    }
    expect(await stage.together(callId)).to.have.members([customer, agent]);
    expect(await rig.calls.find(callId)).to.include({ status: 'answered', agent: '1001' });
  });

  it('supports several supervisors with their own modes, and hangs up one of them', async () => {
    const { callId, agent, supervisor } = await monitored('whisper');
    expect(await monitor(callId, 'barge', '2002')).to.equal('200 monitor');
    const other = await answered(callId);
    expect(rig.look(supervisor)?.monitors).to.deep.equal({ targetLegId: agent, whispers: true });
    expect(rig.look(other)?.bridgeId).to.equal(callId);
    await stop(callId, { agent: '2002' });
    expect([rig.look(supervisor) !== null, rig.look(other)]).to.deep.equal([true, null]);
  });

  describe('follows the call', () => {
    it('through holds', async () => {
      const { callId, agent, supervisor } = await monitored('whisper');
      await stage.post(callId, 'hold', { leg: 'customer' });
      await stage.post(callId, 'hold', { leg: 'agent' });
      await rig.settle();
      expect(rig.look(supervisor)?.monitors).to.deep.equal({ targetLegId: agent, whispers: true });
      await stage.post(callId, 'unhold', { leg: 'agent' });
      await monitor(callId, 'barge');
      expect(await stage.together(callId)).to.have.members([agent, supervisor]);
    });

    for (const mode of ['whisper', 'barge'] as const) {
      it(`to the transfer's target: ${mode}`, async () => {
        const { callId, customer, agent, supervisor } = await monitored(mode);
        const begun = await stage.transfer(callId, 'attended');
        await stage.until(callId, 'consulting');
        const target = (await rig.legs(callId)).find(({ role }) => role === 'transfer')!.id;
        const inBarge = [agent, target, supervisor];
        expect(await stage.together(callId)).to.have.members(mode === 'barge' ? inBarge : [agent, target]);
        await stage.finish(begun, 'complete');
        await rig.settle();
        expect(await stage.together(callId)).to.have.members(
          mode === 'barge' ? [customer, target, supervisor] : [customer, target],
        );
        if (mode === 'whisper') {
          expect(rig.look(supervisor)?.monitors).to.deep.equal({ targetLegId: target, whispers: true });
        }
      });
    }

    it('while the customer is alone: the supervisor hears the customer, but cannot whisper', async () => {
      const { callId, customer, agent, supervisor } = await monitored('whisper');
      await stage.transfer(callId, 'blind');
      rig.engine.remoteHangup(agent);
      await rig.settle();
      expect(rig.look(supervisor)?.monitors).to.deep.equal({ targetLegId: customer, whispers: false });
      const { leg_id: target } = await stage.until(callId, 'completed');
      expect(rig.look(supervisor)?.monitors).to.deep.equal({ targetLegId: target, whispers: true });
    });

    it('into a conference', async () => {
      const { callId, agent, supervisor } = await monitored('barge');
      const answer = await stage.post(callId, 'conference', { name: 'monitored' });
      expect(answer.status, answer.text).to.equal(200);
      await rig.settle();
      const conferenceId = answer.body?.conference_id;
      expect(rig.look(supervisor)?.bridgeId).to.equal(conferenceId);
      expect((answer.body?.participants as unknown[]).length).to.equal(2);
      await monitor(callId, 'listen');
      expect(rig.look(supervisor)?.monitors).to.deep.equal({ targetLegId: agent, whispers: false });
      await stage.api.request('POST', `/v1/conferences/${String(conferenceId)}/end`, { key: stage.key, json: {} });
      await rig.untilStatus(callId, 'ended');
      await rig.settle();
      expect(rig.look(supervisor)).to.equal(null);
    });
  });

  describe('across a crash of the application', () => {
    for (const mode of ['listen', 'whisper', 'barge'] as const) {
      it(`continues: ${mode}`, async () => {
        const { callId, customer, agent, supervisor } = await monitored(mode);
        await rig.restart();
        await rig.settle();
        const place = mode === 'barge' ? { bridgeId: callId, monitors: null } : { bridgeId: null };
        expect(rig.look(supervisor)).to.deep.include(place);
        if (mode !== 'barge') {
          expect(rig.look(supervisor)?.monitors).to.deep.equal({ targetLegId: agent, whispers: mode === 'whisper' });
        }
        expect(await monitor(callId, mode), 'a repeat').to.equal('200 monitor');
        expect(await supervisors(callId)).to.have.length(1);
        rig.engine.remoteHangup(customer);
        await rig.untilStatus(callId, 'ended');
        await rig.settle();
        expect(rig.look(supervisor)).to.equal(null);
      });
    }

    it('notices that the supervisor answered or left', async () => {
      const { callId, customer, agent } = await stage.talking();
      rig.parties.set('agent', PARTIES.ringsForEver);
      await monitor(callId);
      await rig.until(async () => (await supervisors(callId))[0]?.status === 'ringing');
      const [{ id: supervisor } = { id: '' }] = await supervisors(callId);
      rig.engine.disconnect('the process is away');
      rig.engine.remoteAnswer(supervisor);
      rig.engine.reconnect();
      await rig.restart();
      await rig.settle();
      expect(rig.look(supervisor)?.monitors).to.deep.equal({ targetLegId: agent, whispers: false });
      rig.engine.disconnect('the process is away');
      rig.engine.remoteHangup(supervisor);
      rig.engine.reconnect();
      await rig.restart();
      await rig.settle();
      expect((await supervisors(callId)).map(({ status }) => status)).to.deep.equal(['ended']);
      expect(await rig.calls.find(callId)).to.include({ status: 'answered' });
      expect(await stage.together(callId)).to.have.members([customer, agent]);
    });

    it('hangs up the supervisor if the call ended meanwhile', async () => {
      const { callId, customer, supervisor } = await monitored();
      rig.engine.disconnect('the process is away');
      rig.engine.remoteHangup(customer);
      rig.engine.reconnect();
      await rig.restart();
      await rig.untilStatus(callId, 'ended');
      await rig.settle();
      expect(rig.look(supervisor)).to.equal(null);
    });
  });

  describe('is refused', () => {
    it('without an agent, for the call’s own agent, and in an unknown mode', async () => {
      const { callId } = await stage.talking();
      const invalid = '400 VALIDATION_ERROR';
      expect(await monitor(callId, 'listen', '9999')).to.equal(invalid);
      expect(await monitor(callId, 'listen', '1001')).to.equal(invalid);
      expect(await monitor(callId, 'shout')).to.equal(invalid);
      expect(codeOf(await stage.post(callId, 'monitor'))).to.equal(invalid);
      expect(codeOf(await stage.post(callId, 'monitor/stop', { agent: 7 }))).to.equal(invalid);
      expect(await supervisors(callId)).to.deep.equal([]);
    });

    it('before the answer, without an agent, after the end, and of another project’s call', async () => {
      const callId = await rig.place({ type: 'idle' });
      await rig.untilStatus(callId, 'ringing');
      expect(await monitor(callId)).to.equal('409 CALL_NOT_ANSWERED');
      await rig.untilStatus(callId, 'answered');
      expect(await monitor(callId)).to.equal('409 AGENT_LEG_NOT_CONNECTED');
      await stage.post(callId, 'hangup');
      await rig.untilStatus(callId, 'ended');
      expect(await monitor(callId)).to.equal('409 CALL_NOT_ACTIVE');
      expect(await stop(callId)).to.equal('409 CALL_NOT_ACTIVE');
      expect(await monitor(UNKNOWN_ID)).to.equal('404 CALL_NOT_FOUND');
      const { key } = await stage.api.key();
      const foreign = { key, json: { agent: '2001' } };
      expect(codeOf(await stage.api.request('POST', `/v1/calls/${callId}/monitor`, foreign))).to.equal(
        '404 CALL_NOT_FOUND',
      );
    });

    it('while the phone is not registered, or the engine is unreachable', async () => {
      const { callId, customer, agent } = await stage.talking();
      rig.engine.setRegistered(aorOf('2001'), false);
      expect(await monitor(callId)).to.equal('502 CALL_CONTROL_FAILED');
      rig.engine.disconnect('pulled');
      expect(await monitor(callId)).to.equal('409 CALL_NOT_CONTROLLABLE');
      expect(await stop(callId)).to.equal('409 CALL_NOT_CONTROLLABLE');
      rig.engine.reconnect();
      await rig.settle();
      expect(await stage.together(callId)).to.have.members([customer, agent]);
    });
  });
});
