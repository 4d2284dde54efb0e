import { expect } from 'chai';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { AllowedCallers } from '../../../core/data/repositories/numbers/allowed-callers.js';
import { BlockedCallers } from '../../../core/data/repositories/numbers/blocked-callers.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import type { CallRow } from '../../../core/data/rows.js';
import { graphDefinition } from '../../../core/model/flow/definition.js';
import { newId } from '../../../core/model/ids.js';
import type { BlockedCallerAnswer, BlockedEntry } from '../../../core/model/number/blocked-caller.js';
import { BlockReports } from '../../../core/services/blocked-callers/reports.js';
import { activeFlow } from '../../support/calls/flows.js';
import { quiet } from '../../support/logger.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

const STRANGER = '+442071838750';
const ANONYMOUS: BlockedEntry = { kind: 'withheld', number: null };
const exactly = (number: string): BlockedEntry => ({ kind: 'exact', number });

interface Whose {
  readonly projectId?: string | null;
  readonly agent?: string;
}

describe('Lists of callers', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));
  afterEach(async () => {
    for (const table of ['blocked_callers', 'allowed_callers', 'blocked_caller_answers'])
      await rig.db.query(`DELETE FROM ${table}`);
  });

  const rowOf = (entry: BlockedEntry, { projectId = rig.ground.projectId, agent }: Whose) => ({
    ...{ ...entry, id: newId(), project_id: projectId, agent: agent ?? null, sandbox: false, note: null },
    created_at: new Date(),
  });
  async function block(entry: BlockedEntry, whose: Whose = {}): Promise<string> {
    const row = rowOf(entry, whose);
    await new BlockedCallers(rig.db).add(row, 100);
    rig.directory.invalidate();
    return row.id;
  }
  async function allow(entry: BlockedEntry, whose: Whose = {}): Promise<void> {
    await new AllowedCallers(rig.db).add(rowOf(entry, whose), 100);
    rig.directory.invalidate();
  }
  async function answerWith(answer: BlockedCallerAnswer): Promise<void> {
    await new BlockedCallers(rig.db).setAnswer(rig.ground.projectId, answer);
    rig.directory.invalidate();
  }
  /** A call from a trunk. @returns its leg */
  async function callIn(number: string | null, dialled = rig.agentNumber): Promise<string> {
    const legId = rig.engine.callIn({ source: TRUNK_SOURCE, dialled, callerId: { number, name: null } });
    await rig.settle();
    return legId;
  }
  /** @returns whose list refuses the call; null if it is taken */
  async function refusedBy(number: string | null, dialled = rig.agentNumber): Promise<string | null> {
    const before = rig.refusals.length;
    const legId = await callIn(number, dialled);
    const [refusal] = rig.refusals.slice(before);
    if (refusal) return refusal.block?.of ?? refusal.reason;
    rig.engine.remoteHangup(legId);
    await rig.until(() => Promise.resolve(rig.controller.liveCalls === 0));
    return null;
  }
  const endOf = async (callId: string): Promise<CallRow> => {
    await rig.until(async () => ['missed', 'ended', 'failed'].includes((await rig.calls.find(callId))!.status));
    return (await rig.calls.find(callId))!;
  };
  async function bind(binding: { readonly type: string; readonly target: string }): Promise<void> {
    const line = await new Numbers(rig.db).findByE164(rig.line);
    await rig.db.query(`UPDATE numbers SET binding = $2 WHERE id = $1`, [line!.id, JSON.stringify(binding)]);
    rig.directory.invalidate();
  }

  describe('of an agent', () => {
    it('refuse calls to the number of the agent alone', async () => {
      await block(exactly(STRANGER), { agent: '1001' });
      expect(await refusedBy(STRANGER)).to.equal('agent');
      expect(await refusedBy(STRANGER, rig.line)).to.equal(null);
      expect(await refusedBy(CUSTOMER)).to.equal(null);
    });

    it('reject callers without a number, but not an emergency centre that may be calling back', async () => {
      await block(ANONYMOUS, { agent: '1001' });
      expect(await refusedBy(null)).to.equal('agent');
      const source = { type: 'softphone', aor: `a${rig.ground.projectId}` } as const;
      const emergency = rig.engine.callIn({ source, dialled: '911', callerId: { number: null, name: null } });
      await rig.settle();
      rig.engine.remoteHangup(emergency);
      await rig.until(() => Promise.resolve(rig.controller.liveCalls === 0));
      expect(await refusedBy(null)).to.equal(null);
      await rig.clock.advance(31 * 60_000);
      expect(await refusedBy(null)).to.equal('agent');
    });

    it('end a call of a flow that rings the agent as if the phone had rejected it', async () => {
      const { organizationId, projectId } = rig.ground;
      const graph = graphDefinition.parse({
        start: 'dial',
        nodes: {
          dial: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'end' },
          end: { type: 'hangup' },
        },
      });
      await bind({ type: 'callflow', target: await activeFlow(rig.db, { organizationId, projectId }, graph) });
      await block(exactly(STRANGER), { agent: '1001' });
      await callIn(STRANGER, rig.line);
      const callId = await rig.newest();
      await endOf(callId);
      expect((await rig.legs(callId)).map(({ role }) => role)).to.deep.equal(['customer']);
      const notes = await rig.db.query<{ data: object }>(
        `SELECT data FROM call_timeline WHERE call_id = $1 AND type = 'call.not_forwarded'`,
        [callId],
      );
      expect(notes).to.deep.equal([{ data: { reason: 'caller_blocked' } }]);
    });

    it('do not concern the phones of the project', async () => {
      await block({ kind: 'prefix', number: rig.agentNumber.slice(0, 8) }, { agent: '1001' });
      await block(ANONYMOUS, { agent: '1001' });
      const source = { type: 'softphone', aor: `a${rig.ground.projectId}` } as const;
      rig.engine.callIn({ source, dialled: rig.agentNumber, callerId: { number: '1001', name: null } });
      await rig.settle();
      await rig.untilStatus(await rig.newest(), 'answered');
    });
  });

  describe('of those who are never blocked', () => {
    it('of a project or of the installation win over every block list', async () => {
      for (const whose of [{}, { projectId: null }] as const) {
        for (const blocked of [{}, { projectId: null }, { agent: '1001' }] as const) {
          await block({ kind: 'prefix', number: '+4420' }, blocked);
        }
        expect(await refusedBy(STRANGER)).to.equal('agent');
        await allow({ kind: 'prefix', number: '+44207' }, whose);
        expect(await refusedBy(STRANGER)).to.equal(null);
        expect(await refusedBy('+442081234567'), 'others').to.equal('agent');
        await rig.db.query(`DELETE FROM allowed_callers`);
        rig.directory.invalidate();
      }
    });

    it('of an agent win over the own list only', async () => {
      await block({ kind: 'prefix', number: '+4420' }, { agent: '1001' });
      await allow(exactly(STRANGER), { agent: '1001' });
      expect(await refusedBy(STRANGER)).to.equal(null);
      await block({ kind: 'prefix', number: '+4420' });
      expect(await refusedBy(STRANGER)).to.equal('project');
      expect(await refusedBy(STRANGER, rig.line)).to.equal('project');
    });

    it('may be everybody without a number', async () => {
      await block(ANONYMOUS, { projectId: null });
      expect(await refusedBy(null)).to.equal('installation');
      await allow(ANONYMOUS);
      expect(await refusedBy(null)).to.equal(null);
    });
  });

  describe('of the blocked', () => {
    it('give the caller the status that the project chose', async () => {
      await block(exactly(STRANGER));
      for (const [answer, sipStatus] of [
        ['declined', 603],
        ['unwanted', 607],
      ] as const) {
        await answerWith(answer);
        await refusedBy(STRANGER);
        expect(rig.refusals.at(-1)).to.deep.include({ refuse: 21, sipStatus });
      }
    });

    it('may tell the caller that the call is not taken, before an answer and at no cost', async () => {
      await block(exactly(STRANGER));
      await block(ANONYMOUS);
      await answerWith('announcement');
      for (const [number, words] of [
        [STRANGER, 'Sorry, your call cannot be taken.'],
        [null, 'Sorry, calls without a number are not taken here.'],
      ] as const) {
        const legId = await callIn(number);
        const callId = await rig.newest();
        expect(await rig.calls.countLive(rig.ground.projectId, null), 'uses up no call of the project').to.equal(0);
        const call = await endOf(callId);
        expect(call).to.include({ status: 'missed', disposition: 'rejected', hangup_q850: 21, answered_at: null });
        expect(rig.look(legId)).to.equal(null);
        expect(rig.said.at(-1)).to.contain(words);
        expect(await rig.charges(callId)).to.deep.equal([]);
        expect((await rig.legs(callId)).map(({ role }) => role)).to.deep.equal(['customer']);
        expect(rig.refusals.at(-1)).to.deep.include({ reason: 'caller_blocked' });
      }
    });

    it('end the announcement if the process dies in the middle', async () => {
      await block(exactly(STRANGER));
      await answerWith('announcement');
      const legId = await callIn(STRANGER);
      const callId = await rig.newest();
      await rig.restart();
      expect(await endOf(callId)).to.include({ status: 'missed', disposition: 'rejected' });
      expect(rig.look(legId)).to.equal(null);
    });
  });

  describe('are counted', () => {
    const reports = (): BlockReports =>
      new BlockReports({
        ...{ db: rig.db, table: new BlockedCallers(rig.db), wake: () => undefined },
        ...{ clock: rig.clock, log: quiet },
      });
    const events = (): Promise<{ data: Record<string, unknown> }[]> =>
      rig.db.query(`SELECT data FROM events WHERE type = 'number.caller_blocked' AND project_id = $1 ORDER BY id`, [
        rig.ground.projectId,
      ]);
    const call = { caller: STRANGER, line: '+966112345678', at: new Date() };

    it('by entry, and reported at most once an hour, with a masked number', async () => {
      const id = await block(exactly(STRANGER), { agent: '1001' });
      const counting = reports();
      for (let calls = 0; calls < 3; calls++) counting.note({ id, of: 'agent' }, call);
      await counting.write();
      counting.note({ id, of: 'agent' }, call);
      await counting.write();
      expect((await events()).map(({ data }) => data)).to.deep.equal([
        {
          ...{ blocked_caller_id: id, kind: 'exact', agent: '1001', caller_masked: '+44207••••50' },
          ...{ line_number: '+966112345678', refused_calls: 3, last_refused_at: call.at.toISOString() },
        },
      ]);
      await rig.clock.advance(3_601_000);
      counting.note({ id, of: 'agent' }, { ...call, caller: null });
      await counting.write();
      const all = await events();
      expect(all).to.have.length(2);
      expect(all[1]?.data).to.include({ refused_calls: 5, caller_masked: null });
      const [row] = await new BlockedCallers(rig.db).page(
        { projectId: rig.ground.projectId, sandbox: false, agent: '1001' },
        null,
        1,
      );
      expect(row).to.deep.include({ refused_calls: 5, last_refused_at: call.at });
    });

    it('without an event for an entry of the installation, and without a fault for one that is gone', async () => {
      const id = await block(exactly(STRANGER), { projectId: null });
      const counting = reports();
      counting.note({ id, of: 'installation' }, call);
      counting.note({ id: newId(), of: 'project' }, call);
      await counting.write();
      expect(await events()).to.deep.equal([]);
      const [row] = await new BlockedCallers(rig.db).page({ projectId: null, sandbox: false }, null, 1);
      expect(row).to.include({ refused_calls: 1 });
    });

    it('by several processes at the same time, with one event', async () => {
      const id = await block(exactly(STRANGER));
      const processes = Array.from({ length: 8 }, reports);
      for (const one of processes) one.note({ id, of: 'project' }, call);
      await Promise.all(processes.map((one) => one.write()));
      const [row] = await new BlockedCallers(rig.db).page({ projectId: rig.ground.projectId, sandbox: false }, null, 1);
      expect(row).to.include({ refused_calls: 8 });
      expect(await events()).to.have.length(1);
    });
  });

  describe('changed by a softphone', () => {
    async function dials(dialled: string): Promise<string | undefined> {
      const source = { type: 'softphone', aor: `a${rig.ground.projectId}` } as const;
      const leg = rig.engine.callIn({ source, dialled, callerId: { number: null, name: null } });
      await rig.until(() => Promise.resolve(rig.look(leg) === null));
      return rig.said.at(-1);
    }
    const entries = (agent: string | null): Promise<object[]> =>
      new BlockedCallers(rig.db).page({ projectId: rig.ground.projectId, sandbox: false, agent }, null, 10);

    it('block the last caller for the agent alone by *66', async () => {
      expect(await dials('*66')).to.equal('There is no caller to block.');
      const legId = await callIn(STRANGER);
      const callId = await rig.newest();
      await rig.untilStatus(callId, 'answered');
      await rig.until(() => Promise.resolve(rig.look(legId)?.bridgeId === callId));
      rig.engine.remoteHangup(legId);
      await rig.untilStatus(callId, 'ended');
      expect(await dials('*66')).to.equal('The last caller is blocked for your phone.');
      expect(await entries(null)).to.deep.equal([]);
      expect((await entries('1001'))[0]).to.include({ number: STRANGER, note: 'feature code, agent 1001' });
      expect(await refusedBy(STRANGER)).to.equal('agent');
      expect(await refusedBy(STRANGER, rig.line)).to.equal(null);
    });

    it('reject callers without a number by *77, and take them again by *87', async () => {
      expect(await dials('*77')).to.equal('Calls without a number are rejected.');
      expect(await dials('*77'), 'a repeat').to.equal('Calls without a number are rejected.');
      expect(await entries('1001')).to.have.length(1);
      expect(await refusedBy(null)).to.equal('agent');
      expect(await dials('*87')).to.equal('Calls without a number are taken again.');
      expect(await refusedBy(null)).to.equal(null);
      expect(await dials('*87'), 'a repeat').to.equal('Calls without a number are taken again.');
    });
  });

  it('go with their agent', async () => {
    await block(exactly(STRANGER), { agent: '1001' });
    await allow(exactly(CUSTOMER), { agent: '1001' });
    await block(exactly(CUSTOMER));
    expect(await new Agents(rig.db).removeUnlessOnCall(rig.ground.projectId, '1001')).to.equal(true);
    const left = await rig.db.query<{ number: string }>(
      `SELECT number FROM blocked_callers UNION ALL SELECT number FROM allowed_callers`,
    );
    expect(left).to.deep.equal([{ number: CUSTOMER }]);
    expect(await new BlockedCallers(rig.db).add(rowOf(exactly(STRANGER), { agent: '1001' }), 10)).to.equal('no_agent');
  });
});
