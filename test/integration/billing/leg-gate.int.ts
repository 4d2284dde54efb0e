import { expect } from 'chai';
import { graphDefinition } from '../../../core/model/flow/definition.js';
import { CallHolds } from '../../../core/data/repositories/billing/call-holds.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { VirtualNumbers } from '../../../core/data/repositories/numbers/virtual-numbers.js';
import type { LegRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import { activeFlow } from '../../support/calls/flows.js';
import { bindLine, openQueue } from '../../support/calls/open-queue.js';
import { BillingStage, RATE } from '../../support/stages/billing/billing-stage.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';
import { allocate, SPENT, spendAll } from '../../support/stages/billing/charging.js';

const OUTSIDE = '+966559876543';
const FOREIGN = '+442079460000';

describe('The gate of dialled legs', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));

  const dialOut = (dialled: string): string =>
    rig.engine.callIn({
      source: { type: 'softphone', aor: `a${rig.ground.projectId}` },
      dialled,
      callerId: { number: '1001', name: null },
    });
  const callIn = (dialled = rig.line): string =>
    rig.engine.callIn({ source: TRUNK_SOURCE, dialled, callerId: { number: CUSTOMER, name: null } });
  async function bind(binding: { readonly type: string; readonly target: string | null }): Promise<void> {
    const numbers = new Numbers(rig.db);
    const line = await numbers.findByE164(rig.line);
    await rig.db.query(`UPDATE numbers SET binding = $2 WHERE id = $1`, [line!.id, JSON.stringify(binding)]);
  }
  async function flow(nodes: Record<string, unknown>): Promise<string> {
    const graph = graphDefinition.parse({ start: Object.keys(nodes)[0], nodes });
    const { organizationId, projectId } = rig.ground;
    return activeFlow(rig.db, { organizationId, projectId }, graph);
  }
  /** The legs to outside numbers that were dialled. */
  const dialled = async (callId: string): Promise<LegRow[]> =>
    (await rig.legs(callId)).filter(({ id, billable }) => billable && !incoming.has(id));
  const noted = async (callId: string, type: string): Promise<unknown[]> =>
    (
      await rig.db.query<{ data: unknown }>(
        `SELECT data FROM call_timeline WHERE call_id = $1 AND type = $2 ORDER BY id`,
        [callId, type],
      )
    ).map(({ data }) => data);
  const incoming = new Set<string>();

  for (const how of SPENT) {
    describe(`after ${how}`, () => {
      beforeEach(() => spendAll(rig.db, rig.ground, how));

      const ways: Record<string, () => Promise<string>> = {
        'a softphone that calls out': async () => {
          dialOut(OUTSIDE);
          await rig.settle();
          return rig.newest();
        },
        'a call flow that dials': async () => {
          await bind({
            type: 'callflow',
            target: await flow({
              dial: { type: 'dial', to: { type: 'number', target: OUTSIDE }, next: 'which' },
              which: {
                type: 'branch',
                cases: [{ variable: 'dial_status', operator: 'equals', value: 'failed', next: 'end' }],
                next: 'wrong',
              },
              wrong: { type: 'say', text: 'wrong', language: 'en', next: 'end' },
              end: { type: 'hangup' },
            }),
          });
          incoming.add(callIn());
          await rig.settle();
          return rig.newest();
        },
        'a number that is bound to an outside number': async () => {
          await bind({ type: 'number', target: OUTSIDE });
          incoming.add(callIn());
          await rig.settle();
          return rig.newest();
        },
        'a virtual number that forwards': async () => {
          await virtualNumber(OUTSIDE);
          incoming.add(callIn());
          await rig.settle();
          return rig.newest();
        },
        'a queue that overflows': async () => {
          const overflow = { type: 'number', target: OUTSIDE } as const;
          await bindLine(rig, await openQueue(rig, { max_wait_seconds: 5, overflow }, false));
          incoming.add(callIn());
          await rig.settle();
          return rig.newest();
        },
        'a call that was placed before': () => rig.place({ type: 'idle' }),
        'a callback whose agent was found': async () => {
          const queueId = await openQueue(rig);
          const spec = { type: 'queue_callback', queueId, to: CUSTOMER, ringSeconds: 30 } as const;
          return rig.place(spec, { kind: 'callback', queue_id: queueId });
        },
      };
      for (const [what, begin] of Object.entries(ways)) {
        it(`stops ${what}`, async () => {
          const callId = await begin();
          await rig.until(async () => (await noted(callId, 'leg.barred')).length > 0);
          expect((await noted(callId, 'leg.barred'))[0]).to.include({ type: 'number', reason: how });
          await rig.until(async () => (await rig.legs(callId)).every(({ status }) => status === 'ended'));
          expect(await dialled(callId)).to.deep.equal([]);
          expect(rig.said).to.not.include('wrong');
        });
      }

      it('lets emergency calls out, which cost nothing and continue', async () => {
        const legId = dialOut('911');
        await rig.settle();
        const callId = await rig.newest();
        await rig.untilStatus(callId, 'answered');
        await rig.clock.advance(120_000);
        await rig.settle();
        expect(rig.look(legId)?.bridgeId).to.equal(callId);
        expect((await rig.legs(callId)).map(({ billable }) => billable)).to.deep.equal([false, false]);
      });

      it('lets calls to the project’s own softphones ring, which cost nothing', async () => {
        callIn(rig.agentNumber);
        await rig.settle();
        await rig.untilStatus(await rig.newest(), 'answered');
      });

      it('refuses an incoming call only if it has a price', async () => {
        const billing = await BillingStage.on(rig.db, '', rig.ground);
        await billing.plan([RATE, { ...RATE, direction: 'inbound' }]);
        const legId = callIn(rig.agentNumber);
        await rig.settle();
        expect(rig.look(legId)).to.equal(null);
        expect(rig.controller.liveCalls).to.equal(0);
      });
    });
  }

  async function virtualNumber(forwardTo: string): Promise<void> {
    const line = await new Numbers(rig.db).findByE164(rig.line);
    const id = newId();
    await new VirtualNumbers(rig.db).insert(
      {
        id,
        organization_id: rig.ground.organizationId,
        project_id: rig.ground.projectId,
        number_id: line!.id,
        e164: rig.line,
        status: 'assigned',
        external_user_id: id,
        display_name: null,
        contact_id: null,
        instructions: { text: null, audio_url: null, language: null, forward_to: forwardTo },
        audio_id: null,
        audio_path: null,
        assigned_at: new Date(),
        released_at: null,
      },
      rig.db,
    );
    await bind({ type: 'virtual_number', target: id });
  }

  describe('by destination class', () => {
    async function allow(table: 'agents' | 'projects', classes: string): Promise<void> {
      const key = table === 'agents' ? 'project_id' : 'id';
      const values = [rig.ground.projectId, classes];
      await rig.db.query(`UPDATE ${table} SET destination_classes = $2 WHERE ${key} = $1`, values);
      rig.directory.invalidate();
    }
    async function called(number: string): Promise<string> {
      dialOut(number);
      await rig.settle();
      return rig.newest();
    }
    async function isBarred(number: string, destination_class: string): Promise<void> {
      const callId = await called(number);
      expect(await rig.untilStatus(callId, 'missed')).to.include({ disposition: 'rejected', hangup_q850: 21 });
      expect(await noted(callId, 'leg.barred')).to.deep.equal([
        { leg: 'customer', type: 'number', destination_class, reason: 'INSUFFICIENT_PERMISSIONS' },
      ]);
      expect(await dialled(callId)).to.deep.equal([]);
    }

    it('lets a softphone call national numbers only', async () => {
      for (const [number, destinationClass] of [
        [FOREIGN, 'foreign'],
        ['+449098790000', 'premium'],
        ['+881612345678', 'satellite'],
      ] as const) {
        await isBarred(number, destinationClass);
      }
      await rig.untilStatus(await called(OUTSIDE), 'answered');
    });

    it('lets a softphone call a class that both its agent and the project are allowed', async () => {
      await allow('agents', '{national,foreign}');
      await isBarred(FOREIGN, 'foreign');
      await allow('agents', '{national}');
      await allow('projects', '{national,foreign}');
      await isBarred(FOREIGN, 'foreign');
      await allow('agents', '{foreign}');
      await rig.untilStatus(await called(FOREIGN), 'answered');
      await isBarred(OUTSIDE, 'mobile');
    });

    it('counts numbers of high-risk prefixes as premium', async () => {
      await allow('agents', '{foreign}');
      await allow('projects', '{foreign}');
      await rig.untilStatus(await called(FOREIGN), 'answered');
      await rig.db.query(`INSERT INTO high_risk_prefixes (prefix, created_at) VALUES ($1, now())`, [
        FOREIGN.slice(0, 5),
      ]);
      rig.directory.invalidate();
      await isBarred(FOREIGN, 'premium');
      await rig.db.query(`DELETE FROM high_risk_prefixes`);
    });

    it('lets a number be forwarded to what the project is allowed, whatever its agents are', async () => {
      await bind({ type: 'number', target: FOREIGN });
      incoming.add(callIn());
      await rig.settle();
      const refused = await rig.newest();
      await rig.untilStatus(refused, 'missed');
      expect(await noted(refused, 'leg.barred')).to.have.length(1);
      await allow('projects', '{foreign}');
      incoming.add(callIn());
      await rig.settle();
      await rig.untilStatus(await rig.newest(), 'answered');
    });
  });

  describe('by the number of calls at once', () => {
    it('dials nothing outside beyond the limit of the project, but rings its softphones', async () => {
      await rig.db.query(`UPDATE projects SET max_calls = 1 WHERE id = $1`, [rig.ground.projectId]);
      const first = await rig.place({ type: 'idle' });
      await rig.untilStatus(first, 'answered');
      dialOut(OUTSIDE);
      await rig.settle();
      const second = await rig.newest();
      expect(await rig.untilStatus(second, 'failed')).to.include({ disposition: 'congestion', hangup_q850: 42 });
      expect(await noted(second, 'leg.barred')).to.deep.equal([
        { leg: 'customer', type: 'number', destination_class: 'mobile', reason: 'CALL_FAILED' },
      ]);
      callIn(rig.agentNumber);
      await rig.settle();
      await rig.untilStatus(await rig.newest(), 'answered');
    });
  });

  describe('with money for one unit', () => {
    const held = (): Promise<number> => new CallHolds(rig.db).sum(rig.ground.projectId);
    beforeEach(async () => {
      await spendAll(rig.db, rig.ground, 'INSUFFICIENT_CREDITS');
      await allocate(rig.db, rig.ground, RATE.perMinute);
    });

    it('admits one leg at a time, and none while that one rings', async () => {
      rig.parties.set(OUTSIDE, PARTIES.neverAnswers);
      dialOut(OUTSIDE);
      await rig.settle();
      const first = await rig.newest();
      await rig.untilStatus(first, 'ringing');
      expect(await held()).to.equal(RATE.perMinute);
      dialOut(OUTSIDE);
      await rig.settle();
      const second = await rig.newest();
      expect(second).to.not.equal(first);
      await rig.untilStatus(second, 'missed');
      expect(await noted(second, 'leg.barred')).to.have.length(1);
    });

    it('admits the next call at once if nobody answered', async () => {
      rig.parties.set(OUTSIDE, PARTIES.busy);
      dialOut(OUTSIDE);
      await rig.settle();
      await rig.untilStatus(await rig.newest(), 'missed');
      await rig.until(async () => (await held()) === 0);
      rig.parties.delete(OUTSIDE);
      dialOut(OUTSIDE);
      await rig.settle();
      await rig.untilStatus(await rig.newest(), 'answered');
    });
  });
});
