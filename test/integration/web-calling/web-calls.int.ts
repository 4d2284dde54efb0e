import { expect } from 'chai';
import type { CallRow, WebSessionRow } from '../../../core/data/rows.js';
import { isFinal } from '../../../core/model/call/call.js';
import { graphDefinition } from '../../../core/model/flow/definition.js';
import type { SavedProgram } from '../../../core/services/call-state/program.js';
import { activeFlow } from '../../support/calls/flows.js';
import { bindLine, openQueue } from '../../support/calls/open-queue.js';
import { insertRows } from '../../support/rows/rows.js';
import { webSessionRow } from '../../support/rows/web-session-row.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

describe('Calls of browsers', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));

  /** A browser that is registered. */
  const browser = async (changes: Parameters<typeof webSessionRow>[1] = {}): Promise<WebSessionRow> => {
    const row = webSessionRow(rig.ground, changes);
    await insertRows(rig.db, 'web_calling_sessions', [row]);
    const { engineId } = rig.ground;
    await insertRows(rig.db, 'softphone_registrations', [{ engine_id: engineId, aor: row.aor, since: new Date() }]);
    rig.directory.invalidate();
    return row;
  };
  const dial = async ({ aor }: WebSessionRow, dialled: string, headers?: Record<string, string>): Promise<string> => {
    const legId = rig.engine.callIn({
      ...{ source: { type: 'softphone', aor } as const, dialled, callerId: { number: aor, name: null } },
      ...(headers && { headers }),
    });
    await rig.settle();
    return legId;
  };
  const newest = async (): Promise<CallRow> => (await rig.calls.find(await rig.newest()))!;
  const refused = (): string[] => rig.refusals.map(({ reason }) => reason);

  it('are of the kind web, carry the metadata of the session, and reach an agent', async () => {
    const of = await browser({ metadata: { order: '17' } });
    await dial(of, 'agent.1001');
    const call = await newest();
    expect(call).to.deep.include({
      ...{ kind: 'web', direction: 'inbound', customer_number: 'reem', caller_id_name: 'Reem' },
      metadata: { order: '17' },
    });
    await rig.untilStatus(call.id, 'answered');
    expect(await rig.calls.find(call.id)).to.include({ agent: '1001' });
  });

  it('reach queues by name, ID and dial code, and call flows by ID', async () => {
    const { organizationId, projectId } = rig.ground;
    const queueId = await openQueue(rig, {}, false);
    const of = await browser();
    for (const dialled of ['queue.sales', `queue.${queueId}`, '501']) {
      await dial(of, dialled);
      expect((await newest()).program, dialled).to.deep.include({ spec: { type: 'queue', queueId } });
    }
    const graph = graphDefinition.parse({ start: 'end', nodes: { end: { type: 'hangup' } } });
    const flowId = await activeFlow(rig.db, { organizationId, projectId }, graph);
    await dial(of, `callflow.${flowId}`);
    expect(await newest()).to.include({ callflow_id: flowId });
  });

  it('give call flows their headers as variables', async () => {
    const { organizationId, projectId } = rig.ground;
    const graph = graphDefinition.parse({
      start: 'tier',
      nodes: {
        tier: {
          ...{ type: 'branch', next: 'end' },
          cases: [{ variable: 'web_tier', operator: 'equals', value: 'gold', next: 'ask' }],
        },
        ask: { type: 'gather', variable: 'digits', max_digits: 1, next: 'end', prompt: [{ audio_id: projectId }] },
        end: { type: 'hangup' },
      },
    });
    const flowId = await activeFlow(rig.db, { organizationId, projectId }, graph);
    await dial(await browser(), `callflow.${flowId}`, { 'X-Hatif-Tier': 'gold' });
    const callId = await rig.newest();
    await rig.until(async () => JSON.stringify((await rig.calls.find(callId))?.program).includes('"node":"ask"'));
    const saved = (await rig.calls.find(callId))!.program as SavedProgram;
    expect(saved.variables).to.deep.equal({ web_tier: 'gold' });
  });

  it('to numbers show the number of the session, are charged, and are the agent’s if it has one', async () => {
    const of = await browser({ agent: '1001', rights: { caller_id_number: rig.line } });
    await dial(of, CUSTOMER);
    const call = await newest();
    expect(call).to.deep.include({
      ...{ kind: 'web', direction: 'outbound', customer_number: CUSTOMER, caller_id_number: rig.line, agent: '1001' },
    });
    await rig.untilStatus(call.id, 'answered');
    expect((await rig.legs(call.id)).map(({ role, billable }) => [role, billable])).to.deep.equal([
      ['agent', false],
      ['customer', true],
    ]);
  });

  it('to numbers need the project’s rights, also without an agent', async () => {
    const of = await browser();
    await dial(of, CUSTOMER);
    const call = await newest();
    expect(call).to.deep.include({ kind: 'web', agent: null });
    await rig.untilStatus(call.id, 'answered');
    await rig.db.query(`UPDATE projects SET destination_classes = '{}' WHERE id = $1`, [rig.ground.projectId]);
    rig.directory.invalidate();
    await dial(of, '+966501234518');
    const barred = await rig.newest();
    await rig.until(async () => isFinal((await rig.calls.find(barred))!.status));
    expect((await rig.legs(barred)).map(({ role }) => role)).to.deep.equal(['agent']);
  });

  it('are refused if the session does not allow them', async () => {
    const of = await browser({ rights: { outgoing: ['number'], numbers: ['+96611*'] } });
    for (const dialled of ['agent.1001', '1001', CUSTOMER, rig.line.replace('+96611', '+96650')]) {
      await dial(of, dialled);
    }
    expect(refused()).to.deep.equal(['not_allowed', 'not_allowed', 'not_allowed', 'not_allowed']);
    await dial(of, rig.line);
    expect(await newest()).to.include({ kind: 'web', line_number: rig.line });
  });

  it('to emergency numbers are always allowed', async () => {
    await dial(await browser({ rights: { outgoing: [] } }), '911');
    const call = await newest();
    expect(call).to.deep.include({ kind: 'web', customer_number: '911' });
    await rig.untilStatus(call.id, 'answered');
    expect(await rig.charges(call.id)).to.deep.equal([]);
  });

  it('are refused once the session is over, and for feature codes without an agent', async () => {
    const of = await browser();
    await dial(of, '*47');
    await dial(await browser({ ended_at: new Date(), end_reason: 'revoked' }), 'agent.1001');
    await dial(await browser({ expires_at: new Date() }), 'agent.1001');
    expect(refused()).to.deep.equal(['unknown_number', 'unknown_caller', 'unknown_caller']);
  });
});

describe('Calls to browsers', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));

  const register = async (changes: Parameters<typeof webSessionRow>[1] = {}): Promise<WebSessionRow> => {
    const row = webSessionRow(rig.ground, changes);
    await insertRows(rig.db, 'web_calling_sessions', [row]);
    const place = { engine_id: rig.ground.engineId, aor: row.aor, since: new Date() };
    await insertRows(rig.db, 'softphone_registrations', [place]);
    await rig.engine.registrations.put({ aor: row.aor, password: '', displayName: row.display_name, maxContacts: 1 });
    rig.directory.invalidate();
    return row;
  };
  /** Calls a number of the installation. @returns the SIP user name of the phone that rings */
  const rung = async (dialled: string): Promise<unknown> => {
    rig.engine.callIn({ source: TRUNK_SOURCE, dialled, callerId: { number: CUSTOMER, name: null } });
    await rig.settle();
    const callId = await rig.newest();
    const agentLeg = async () => (await rig.legs(callId)).find(({ role }) => role === 'agent');
    await rig.until(async () => (await agentLeg()) !== undefined);
    return ((await agentLeg())?.endpoint as { aor?: string }).aor;
  };
  const bind = async (binding: object): Promise<void> => {
    await rig.db.query(`UPDATE numbers SET binding = $2 WHERE e164 = $1`, [rig.line, JSON.stringify(binding)]);
    rig.directory.invalidate();
  };

  it('for an agent ring the newest browser that takes calls, otherwise the softphone', async () => {
    const softphone = `a${rig.ground.projectId}`;
    expect(await rung(rig.agentNumber)).to.equal(softphone);
    await register({ agent: '1001', rights: { incoming: false } });
    await register({ agent: '1001', ended_at: new Date(), end_reason: 'revoked' });
    expect(await rung(rig.agentNumber)).to.equal(softphone);
    const first = await register({ agent: '1001' });
    expect(await rung(rig.agentNumber)).to.equal(first.aor);
    const second = await register({ agent: '1001' });
    expect(await rung(rig.agentNumber)).to.equal(second.aor);
  });

  it('for an identity ring its browser', async () => {
    const { aor } = await register({ identity: 'huda' });
    await bind({ type: 'sip', target: 'sip:huda@web' });
    expect(await rung(rig.line)).to.equal(aor);
  });

  it('of a queue ring the browser of an agent whose softphone is not registered', async () => {
    const { aor } = await register({ agent: '1001' });
    const queueId = await openQueue(rig);
    await rig.db.query('DELETE FROM softphone_registrations WHERE aor = $1', [`a${rig.ground.projectId}`]);
    await rig.queues.watch.compare();
    await bindLine(rig, queueId);
    expect(await rung(rig.line)).to.equal(aor);
    const callId = await rig.newest();
    await rig.untilStatus(callId, 'answered');
    await rig.settle();
    const { coordinator } = rig.queues;
    expect((await coordinator.view(rig.ground.projectId)).agent('1001')?.state).to.equal('busy');
  });
});
