import { expect } from 'chai';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { graphDefinition } from '../../../core/model/flow/definition.js';
import { newId } from '../../../core/model/ids.js';
import { activeFlow } from '../../support/calls/flows.js';
import { openQueue } from '../../support/calls/open-queue.js';
import { groundIn, insertRows } from '../../support/rows/rows.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

describe('A call that is sent on to a number of its own project', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  /** Another number of the project. */
  let other: string;
  callControllerEach((made) => (rig = made));

  beforeEach(async () => {
    other = rig.line.replace(/0$/, '7');
    const { organizationId: organization_id, projectId: project_id } = rig.ground;
    const number = { id: newId(), organization_id, project_id, e164: other, kind: 'geographic' };
    const rest = { state: 'assigned', source: 'operator', binding: null, created_at: new Date() };
    await insertRows(rig.db, 'numbers', [{ ...number, ...rest }]);
  });

  async function bind(e164: string, binding: { readonly type: string; readonly target: string | null }): Promise<void> {
    const numbers = new Numbers(rig.db);
    const row = await numbers.findByE164(e164);
    await rig.db.query(`UPDATE numbers SET binding = $2 WHERE id = $1`, [row!.id, JSON.stringify(binding)]);
    rig.directory.invalidate();
  }
  /** A flow that dials the number, and ends if nobody is reached. */
  async function dialling(target: string): Promise<string> {
    const { organizationId, projectId } = rig.ground;
    const graph = graphDefinition.parse({
      start: 'dial',
      nodes: { dial: { type: 'dial', to: { type: 'number', target }, next: 'end' }, end: { type: 'hangup' } },
    });
    return activeFlow(rig.db, { organizationId, projectId }, graph);
  }
  async function callIn(): Promise<string> {
    rig.engine.callIn({ source: TRUNK_SOURCE, dialled: rig.line, callerId: { number: CUSTOMER, name: null } });
    await rig.settle();
    return rig.newest();
  }
  const noted = async (callId: string, type: string): Promise<unknown[]> =>
    (
      await rig.db.query<{ data: unknown }>(
        `SELECT data FROM call_timeline WHERE call_id = $1 AND type = $2 ORDER BY id`,
        [callId, type],
      )
    ).map(({ data }) => data);
  const charged = async (callId: string): Promise<number> =>
    (await rig.legs(callId)).filter(({ billable }) => billable).length;

  it('continues there without the carrier: a flow dials a number that is bound to echo', async () => {
    await bind(other, { type: 'echo', target: null });
    await bind(rig.line, { type: 'callflow', target: await dialling(other) });
    const callId = await callIn();
    await rig.until(async () => (await noted(callId, 'echo.started')).length === 1);
    expect(await charged(callId)).to.equal(1);
    expect(await rig.calls.find(callId)).to.include({ status: 'answered' });
  });

  it('waits in the queue that the number is bound to, also through another number', async () => {
    const third = rig.line.replace(/0$/, '8');
    const [line] = await rig.db.query<object>(`SELECT * FROM numbers WHERE e164 = $1`, [other]);
    await insertRows(rig.db, 'numbers', [{ ...line, id: newId(), e164: third }]);
    await bind(other, { type: 'queue', target: await openQueue(rig) });
    await bind(third, { type: 'number', target: other });
    await bind(rig.line, { type: 'number', target: third });
    const callId = await callIn();
    await rig.untilStatus(callId, 'answered');
    expect(await rig.eventTypes(callId)).to.include('queue.entered');
    expect(await charged(callId)).to.equal(1);
  });

  it('ends after five hops if a flow dials its own number', async () => {
    await bind(rig.line, { type: 'callflow', target: await dialling(rig.line) });
    const callId = await callIn();
    await rig.until(async () => (await noted(callId, 'leg.barred')).length === 1);
    await rig.until(() => Promise.resolve(rig.controller.liveCalls === 0));
    expect(await noted(callId, 'leg.barred')).to.deep.equal([{ leg: 'agent', type: 'number', reason: 'loop' }]);
    expect(await noted(callId, 'call.forwarded_inside')).to.have.length(5);
    expect(await charged(callId)).to.equal(1);
  });

  it('is refused there if nothing is bound to the number', async () => {
    await bind(rig.line, { type: 'number', target: other });
    const callId = await callIn();
    await rig.untilStatus(callId, 'failed');
    expect(await rig.calls.find(callId)).to.include({ disposition: 'invalid_number' });
    expect(await charged(callId)).to.equal(1);
  });

  it('comes in as a call of the other project if the number is another project’s', async () => {
    const { organizationId: organization_id, projectId: project_id } = await groundIn(rig.db);
    await rig.db.query(`UPDATE numbers SET organization_id = $2, project_id = $3 WHERE e164 = $1`, [
      other,
      organization_id,
      project_id,
    ]);
    await bind(other, { type: 'echo', target: null });
    await bind(rig.line, { type: 'number', target: other });
    const callId = await callIn();
    await rig.untilStatus(callId, 'answered');
    expect(await charged(callId)).to.equal(2);
    expect((await rig.legs(callId)).at(-1)?.endpoint).to.deep.equal({ type: 'inside', number: other });
  });
});
