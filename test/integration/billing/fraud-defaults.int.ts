import { expect } from 'chai';
import { FraudGuardTable } from '../../../core/data/repositories/calls/fraud-guard.js';
import type { CallRow } from '../../../core/data/rows.js';
import { NO_FRAUD_DEFAULTS, NO_FRAUD_LIMITS, type FraudDefaults } from '../../../core/model/fraud/limits.js';
import type { CommandBus } from '../../../core/ports/command-bus.js';
import { EndBlockedCalls } from '../../../core/services/calls/end-blocked-calls.js';
import type { ManageFraud } from '../../../core/services/dialling/manage-fraud.js';
import type { ManageFraudDefaults } from '../../../core/services/dialling/manage-fraud-defaults.js';
import { callCommandOf } from '../../support/calls/call-command.js';
import { quiet } from '../../support/logger.js';
import { fraudManagementOn } from '../../support/rows/fraud-guard.js';
import { groundIn } from '../../support/rows/rows.js';
import { callControllerEach } from '../../support/stages/call-controller-stage.js';
import type { CallControllerRig } from '../../support/stages/call-controller.js';

const OUTSIDE = '+966559876543';
const OTHER = '+966558765432';

describe('Defaults of the guard against toll fraud', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  let fraud: ManageFraud;
  let defaults: ManageFraudDefaults;
  callControllerEach((made) => {
    rig = made;
    ({ fraud, defaults } = fraudManagementOn(rig.db, rig.directory, rig.clock));
  });
  afterEach(() => rig.db.query('DELETE FROM fraud_defaults'));

  const of = (changes: Partial<FraudDefaults>): FraudDefaults => ({ ...NO_FRAUD_DEFAULTS, ...changes });
  const perAgent = (calls_per_hour: number | null) => ({ ...NO_FRAUD_LIMITS, agents: { calls_per_hour } });
  const blocks = () => fraud.blocks(rig.ground.projectId, true, null, 10);
  const stored = async (callId: string): Promise<CallRow> => (await rig.calls.find(callId))!;
  async function dialOut(number = OUTSIDE): Promise<CallRow> {
    // A release and a call at the same moment have no order.
    await rig.clock.advance(1);
    const before = await rig.newest().catch(() => null);
    const source = { type: 'softphone', aor: `a${rig.ground.projectId}` } as const;
    rig.engine.callIn({ source, dialled: number, callerId: { number: '1001', name: null } });
    await rig.until(async () => (await rig.newest().catch(() => null)) !== before);
    const callId = await rig.newest();
    const settled = new Set(['answered', 'missed', 'failed']);
    await rig.until(async () => settled.has((await stored(callId)).status));
    return stored(callId);
  }

  it('limit agents whose project says nothing, and a project may lift them', async () => {
    await defaults.set(null, of({ limits: perAgent(1) }));
    expect((await dialOut()).status).to.equal('answered');
    expect((await dialOut()).status).to.equal('missed');
    const [block] = await blocks();
    expect(block).to.include({ agent: '1001', rule: 'calls_per_hour', at_most: 1 });
    await fraud.release(rig.ground.projectId, block!.id, null);
    await fraud.set(rig.ground.projectId, perAgent(null));
    for (let call = 0; call < 3; call++) expect((await dialOut()).status).to.equal('answered');
  });

  it('of an organization come before those of the installation, and concern no other organization', async () => {
    await defaults.set(null, of({ limits: perAgent(1) }));
    await defaults.set(rig.ground.organizationId, of({ limits: perAgent(2) }));
    const { organizationId: other } = await groundIn(rig.db);
    await defaults.set(other, of({ limits: perAgent(9) }));
    expect((await dialOut()).status).to.equal('answered');
    expect((await dialOut()).status).to.equal('answered');
    expect((await dialOut()).status).to.equal('missed');
    expect((await blocks())[0]).to.include({ at_most: 2 });
  });

  it('that are removed leave the block in force', async () => {
    await defaults.set(null, of({ limits: perAgent(1) }));
    await dialOut();
    await dialOut();
    const [block] = await blocks();
    await defaults.set(null, NO_FRAUD_DEFAULTS);
    expect((await dialOut()).status).to.equal('missed');
    await fraud.release(rig.ground.projectId, block!.id, null);
    expect((await dialOut()).status).to.equal('answered');
    const [project] = await rig.db.query<{ fraud_limits: unknown }>(`SELECT fraud_limits FROM projects WHERE id = $1`, [
      rig.ground.projectId,
    ]);
    expect(project?.fraud_limits, 'nothing is checked any more').to.equal(null);
  });

  describe('that end calls', () => {
    /** As another process would: it knows only what is stored. */
    const endCalls = (): Promise<void> => {
      const bus: Pick<CommandBus, 'send'> = { send: (_, command) => rig.controller.command(callCommandOf(command)) };
      return new EndBlockedCalls({ table: new FraudGuardTable(rig.db), bus, clock: rig.clock, log: quiet }).run();
    };
    const endedAt = async (): Promise<Date | null> => (await blocks())[0]!.calls_ended_at;

    it('end the live outside calls of the agent who is blocked, and no emergency call', async () => {
      await defaults.set(null, of({ limits: perAgent(2), ends_calls: true }));
      const [first, emergency, second] = [await dialOut(), await dialOut('911'), await dialOut(OTHER)];
      await endCalls();
      expect((await stored(first.id)).status, 'nobody is blocked yet').to.equal('answered');
      await dialOut();
      expect((await blocks())[0]).to.include({ ends_calls: true, calls_ended_at: null });
      await endCalls();
      for (const { id } of [first, second]) await rig.untilStatus(id, 'ended');
      expect((await stored(emergency.id)).status).to.equal('answered');
      await endCalls();
      expect(await endedAt(), 'a leg may be stored late').to.equal(null);
      await rig.clock.advance(61_000);
      await endCalls();
      expect(await endedAt()).to.be.instanceOf(Date);
      const [event] = await rig.db.query<{ data: { ends_calls: boolean } }>(
        `SELECT data FROM events WHERE type = 'fraud.blocked' AND project_id = $1`,
        [rig.ground.projectId],
      );
      expect(event?.data.ends_calls).to.equal(true);
    });

    it('end nothing if the organization says so, and nothing after a release', async () => {
      await defaults.set(null, of({ limits: perAgent(1), ends_calls: true }));
      await defaults.set(rig.ground.organizationId, of({ ends_calls: false }));
      const live = await dialOut();
      await dialOut();
      await endCalls();
      expect((await stored(live.id)).status).to.equal('answered');
      const [kept] = await blocks();
      expect(kept).to.include({ ends_calls: false });
      await fraud.release(rig.ground.projectId, kept!.id, null);

      await defaults.set(rig.ground.organizationId, NO_FRAUD_DEFAULTS);
      const next = await dialOut();
      await dialOut();
      await fraud.release(rig.ground.projectId, (await blocks())[0]!.id, null);
      await endCalls();
      expect((await stored(next.id)).status).to.equal('answered');
    });

    it('try again if no process owns the engine', async () => {
      await defaults.set(null, of({ limits: perAgent(1), ends_calls: true }));
      const live = await dialOut();
      await dialOut();
      rig.lease.mayCommand = false;
      await endCalls().catch(() => undefined);
      rig.lease.mayCommand = true;
      expect((await stored(live.id)).status).to.equal('answered');
      await endCalls();
      await rig.untilStatus(live.id, 'ended');
    });
  });
});
