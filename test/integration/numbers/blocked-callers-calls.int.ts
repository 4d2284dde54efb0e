import { expect } from 'chai';
import { BlockedCallers } from '../../../core/data/repositories/numbers/blocked-callers.js';
import { newId } from '../../../core/model/ids.js';
import { MAX_BLOCKED_CALLERS, type BlockedEntry } from '../../../core/model/number/blocked-caller.js';
import { groundIn, insertRows } from '../../support/rows/rows.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

const REFUSED = { refuse: 21, reason: 'caller_blocked', sipStatus: 603 };

describe('a blocked caller', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));
  afterEach(() => rig.db.query('DELETE FROM blocked_callers'));

  async function block(
    entry: BlockedEntry,
    projectId: string | null = rig.ground.projectId,
    sandbox = false,
  ): Promise<void> {
    const row = {
      ...entry,
      id: newId(),
      project_id: projectId,
      agent: null,
      sandbox,
      note: null,
      created_at: new Date(),
    };
    await new BlockedCallers(rig.db).add(row, MAX_BLOCKED_CALLERS);
    rig.directory.invalidate();
  }
  /** Calls from a trunk. @returns whether the call was refused as blocked */
  async function isRefused(number: string | null, dialled = rig.agentNumber): Promise<boolean> {
    const before = rig.refusals.length;
    const legId = rig.engine.callIn({ source: TRUNK_SOURCE, dialled, callerId: { number, name: null } });
    await rig.settle();
    const refusals = rig.refusals.slice(before).map(({ block: _, ...refusal }) => refusal);
    if (refusals.length === 0) {
      rig.engine.remoteHangup(legId);
      await rig.until(() => Promise.resolve(rig.controller.liveCalls === 0));
      return false;
    }
    expect(refusals).to.deep.equal([REFUSED]);
    expect(rig.look(legId)).to.equal(null);
    return true;
  }
  /** How many rows these tables have in the project. */
  async function rows(): Promise<object> {
    const [counts] = await rig.db.query<object>(
      `SELECT (SELECT count(*) FROM calls WHERE project_id = $1) AS calls,
         (SELECT count(*) FROM events WHERE project_id = $1) AS events,
         (SELECT count(*) FROM charges WHERE project_id = $1) AS charges`,
      [rig.ground.projectId],
    );
    return counts!;
  }

  it('is refused before anything is recorded, charged or rung', async () => {
    await block({ kind: 'exact', number: CUSTOMER });
    const before = await rows();
    expect(await isRefused(CUSTOMER)).to.equal(true);
    expect(await isRefused(CUSTOMER, rig.line)).to.equal(true);
    expect(await rows()).to.deep.equal(before);
    expect(rig.controller.liveCalls).to.equal(0);
    expect(await isRefused('+966501234599')).to.equal(false);
  });

  it('is recognized by a prefix, also if the carrier leaves the + out', async () => {
    await block({ kind: 'prefix', number: '+4420' });
    expect(await isRefused('+442071838750')).to.equal(true);
    expect(await isRefused('00442071838750')).to.equal(true);
    expect(await isRefused('442071838750')).to.equal(true);
    expect(await isRefused('+441632960961')).to.equal(false);
    expect(await isRefused(null)).to.equal(false);
  });

  it('may be everybody without a number', async () => {
    await block({ kind: 'withheld', number: null });
    expect(await isRefused(null)).to.equal(true);
    expect(await isRefused(CUSTOMER)).to.equal(false);
  });

  it('is taken again once the entry is gone', async () => {
    await block({ kind: 'exact', number: CUSTOMER });
    expect(await isRefused(CUSTOMER)).to.equal(true);
    await rig.db.query('DELETE FROM blocked_callers');
    rig.directory.invalidate();
    expect(await isRefused(CUSTOMER)).to.equal(false);
  });

  it('is refused by every project if the installation blocks the number', async () => {
    await block({ kind: 'exact', number: CUSTOMER }, null);
    expect(await isRefused(CUSTOMER)).to.equal(true);
  });

  it('is not refused by the list of another project or of the sandbox', async () => {
    const other = await groundIn(rig.db);
    await block({ kind: 'exact', number: CUSTOMER }, other.projectId);
    await block({ kind: 'exact', number: CUSTOMER }, rig.ground.projectId, true);
    expect(await isRefused(CUSTOMER)).to.equal(false);
  });

  it('is never an emergency number, whatever prefix is blocked', async () => {
    await block({ kind: 'prefix', number: '+966' });
    expect(await isRefused('+966501234599')).to.equal(true);
    for (const centre of ['911', '+966911']) expect(await isRefused(centre), centre).to.equal(false);
  });

  it('is not an agent of the project', async () => {
    await block({ kind: 'exact', number: rig.agentNumber });
    rig.engine.callIn({
      source: { type: 'softphone', aor: `a${rig.ground.projectId}` },
      dialled: rig.line,
      callerId: { number: CUSTOMER, name: null },
    });
    await rig.settle();
    expect(rig.refusals).to.deep.equal([]);
    expect(await rig.calls.find(await rig.newest())).to.include({ customer_number: rig.agentNumber });
  });

  it('is refused inside, too: a number of another project that is sent on here', async () => {
    const { organizationId: organization_id, projectId: project_id } = await groundIn(rig.db);
    const theirs = rig.line.replace(/0$/, '7');
    const number = { id: newId(), organization_id, project_id, e164: theirs, kind: 'geographic', state: 'assigned' };
    const binding = { type: 'number', target: rig.line };
    await insertRows(rig.db, 'numbers', [{ ...number, source: 'operator', binding, created_at: new Date() }]);
    await block({ kind: 'exact', number: theirs });
    rig.engine.callIn({ source: TRUNK_SOURCE, dialled: theirs, callerId: { number: CUSTOMER, name: null } });
    await rig.settle();
    await rig.until(() => Promise.resolve(rig.refusals.length === 1));
    expect(rig.refusals).to.have.length(1);
    expect(rig.refusals[0]).to.deep.include(REFUSED);
    const call = await rig.untilStatus(await rig.newest(project_id), 'missed');
    expect(call).to.include({ hangup_q850: 21 });
  });

  describe('by *60 of a softphone', () => {
    async function dialled60(): Promise<string | undefined> {
      const { projectId } = rig.ground;
      const source = { type: 'softphone', aor: `a${projectId}` } as const;
      const leg = rig.engine.callIn({ source, dialled: '*60', callerId: { number: null, name: null } });
      await rig.until(() => Promise.resolve(rig.look(leg) === null));
      return rig.said.at(-1);
    }
    async function talked(number: string | null): Promise<void> {
      const legId = rig.engine.callIn({
        source: TRUNK_SOURCE,
        dialled: rig.agentNumber,
        callerId: { number, name: null },
      });
      await rig.settle();
      const callId = await rig.newest();
      await rig.untilStatus(callId, 'answered');
      await rig.until(() => Promise.resolve(rig.look(legId)?.bridgeId === callId));
      rig.engine.remoteHangup(legId);
      await rig.untilStatus(callId, 'ended');
    }
    const entries = () =>
      new BlockedCallers(rig.db).page({ projectId: rig.ground.projectId, sandbox: false }, null, 10);

    it('is the last one that the agent talked to, for the whole project', async () => {
      await talked('+966501234598');
      await talked(CUSTOMER);
      expect(await dialled60()).to.equal('The last caller is blocked.');
      const [entry, ...others] = await entries();
      expect(others).to.deep.equal([]);
      expect(entry).to.include({ kind: 'exact', number: CUSTOMER, note: 'feature code, agent 1001' });
      expect(await isRefused(CUSTOMER)).to.equal(true);
      expect(await dialled60(), 'a repeat').to.equal('The last caller is blocked.');
      expect(await entries()).to.have.length(1);
    });

    it('is nobody if the agent took no call, or the caller showed no number', async () => {
      expect(await dialled60()).to.equal('There is no caller to block.');
      await talked(null);
      expect(await dialled60()).to.equal('There is no caller to block.');
      expect(await entries()).to.deep.equal([]);
    });

    it('is nobody if the list is full', async () => {
      await talked(CUSTOMER);
      await rig.db.query(
        `INSERT INTO blocked_callers (id, project_id, sandbox, kind, number, created_at)
         SELECT gen_random_uuid(), $1, false, 'exact', '+' || n, now() FROM generate_series(1, $2) AS n`,
        [rig.ground.projectId, MAX_BLOCKED_CALLERS],
      );
      expect(await dialled60()).to.equal('This is not possible now. Try again later.');
    });
  });
});
