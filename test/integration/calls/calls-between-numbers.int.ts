import { expect } from 'chai';
import { graphDefinition } from '../../../core/model/flow/definition.js';
import { newId } from '../../../core/model/ids.js';
import { activeFlow } from '../../support/calls/flows.js';
import { openQueue } from '../../support/calls/open-queue.js';
import { insertRows, ownerIn } from '../../support/rows/rows.js';
import { allocate, spendAll } from '../../support/stages/billing/charging.js';
import { callControllerEach, control, reportedTransfers } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

const CALLER_ID = '+966112345678';
const HANGUP = { action: 'hangup' } as const;

describe('A call to a number of the installation', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  /** Another project, and its number. */
  let other: { readonly organizationId: string; readonly projectId: string };
  let theirs: string;
  callControllerEach((made) => (rig = made));

  beforeEach(async () => {
    other = await ownerIn(rig.db);
    theirs = rig.line.replace(/0$/, '7');
    await give(theirs, { type: 'echo', target: null }, other);
  });

  async function give(e164: string, binding: object | null, to: Omit<typeof rig.ground, 'engineId'>): Promise<void> {
    const owner = { organization_id: to.organizationId, project_id: to.projectId };
    const rest = { kind: 'geographic', state: 'assigned', source: 'operator', created_at: new Date() };
    await insertRows(rig.db, 'numbers', [{ id: newId(), e164, binding, ...owner, ...rest }]);
    rig.directory.invalidate();
  }
  async function bind(e164: string, binding: object | null): Promise<void> {
    await rig.db.query(`UPDATE numbers SET binding = $2 WHERE e164 = $1`, [e164, binding && JSON.stringify(binding)]);
    rig.directory.invalidate();
  }
  const call = (to: string): Promise<string> =>
    rig.place({ type: 'idle' }, { customer_number: to, caller_id_number: CALLER_ID });
  /** The ids of the calls that came in inside, oldest first. */
  const cameIn = async (): Promise<string[]> => {
    const rows = await rig.db.query<{ id: string }>(
      `SELECT id FROM calls WHERE engine_id = $1 AND direction = 'inbound' ORDER BY id`,
      [rig.ground.engineId],
    );
    return rows.map(({ id }) => id);
  };
  async function incomingOf(outgoing: string): Promise<string> {
    await rig.until(async () => (await cameIn()).length > 0);
    const [found] = await cameIn();
    expect(found).not.to.equal(outgoing);
    return found!;
  }
  const billable = async (callId: string): Promise<boolean[]> => (await rig.legs(callId)).map((leg) => leg.billable);
  const endpoints = async (): Promise<string[]> => {
    const rows = await rig.db.query<{ type: string }>(
      `SELECT legs.endpoint->>'type' AS type FROM legs JOIN calls ON calls.id = call_id WHERE engine_id = $1`,
      [rig.ground.engineId],
    );
    return rows.map(({ type }) => type);
  };
  const noted = async (type: string): Promise<unknown[]> => {
    const rows = await rig.db.query<{ data: unknown }>(
      `SELECT data FROM call_timeline JOIN calls ON calls.id = call_id WHERE engine_id = $1 AND type = $2`,
      [rig.ground.engineId, type],
    );
    return rows.map(({ data }) => data);
  };

  const bound: Readonly<Record<string, () => Promise<object>>> = {
    'a flow': async () => {
      const nodes = {
        hear: { type: 'record', action: 'start', next: 'wait' },
        wait: { type: 'conference', name: 'a' },
      };
      const graph = graphDefinition.parse({ start: 'hear', nodes });
      return { type: 'callflow', target: await activeFlow(rig.db, rig.ground, graph) };
    },
    'a queue': async () => ({ type: 'queue', target: await openQueue(rig) }),
    'the echo service': () => Promise.resolve({ type: 'echo', target: null }),
  };
  for (const [what, binding] of Object.entries(bound)) {
    it(`of the same project that is bound to ${what} is answered inside and costs nothing`, async () => {
      await bind(rig.line, await binding());
      const outgoing = await call(rig.line);
      await rig.untilStatus(outgoing, 'answered');
      const incoming = await incomingOf(outgoing);
      await rig.untilStatus(incoming, 'answered');
      expect(await rig.calls.find(incoming)).to.include({
        project_id: rig.ground.projectId,
        customer_number: CALLER_ID,
        line_number: rig.line,
        kind: 'inbound',
      });
      expect([...(await billable(outgoing)), ...(await billable(incoming))]).not.to.include(true);
      expect(await endpoints()).not.to.include('trunk');
      await rig.controller.command(control(outgoing, HANGUP));
      await rig.untilStatus(incoming, 'ended');
    });
  }

  it('of another project is one call for each project, and each pays for its own', async () => {
    const outgoing = await call(theirs);
    const incoming = await incomingOf(outgoing);
    await rig.untilStatus(incoming, 'answered');
    await rig.untilStatus(outgoing, 'answered');
    expect(await rig.calls.find(incoming)).to.include({
      project_id: other.projectId,
      organization_id: other.organizationId,
      customer_number: CALLER_ID,
      line_number: theirs,
    });
    await rig.controller.command(control(outgoing, HANGUP));
    await rig.untilStatus(incoming, 'ended');
    const charged = await rig.db.query(
      `SELECT project_id, direction, number FROM charges WHERE call_id = ANY($1::uuid[]) ORDER BY direction`,
      [[outgoing, incoming]],
    );
    expect(charged).to.deep.equal([
      { project_id: other.projectId, direction: 'inbound', number: CALLER_ID },
      { project_id: rig.ground.projectId, direction: 'outbound', number: theirs },
    ]);
    expect(await endpoints()).not.to.include('trunk');
  });

  it('fails as at the carrier if nothing is bound to it, and is missed if the caller gives up', async () => {
    await bind(theirs, null);
    expect(await rig.untilStatus(await call(theirs), 'failed')).to.include({ disposition: 'invalid_number' });
    await bind(rig.agentNumber, null);
    await bind(theirs, { type: 'number', target: CUSTOMER });
    rig.parties.set(CUSTOMER, {
      ringsAfterMs: 1,
      answersAfterMs: null,
      hangsUpAfterMs: null,
      refuses: null,
      ignoresRingTimeout: true,
    });
    const outgoing = await call(theirs);
    await rig.untilStatus(outgoing, 'ringing');
    const incoming = await incomingOf(outgoing);
    await rig.controller.command(control(outgoing, { action: 'cancel' }));
    expect(await rig.untilStatus(incoming, 'missed')).to.include({ disposition: 'no_answer' });
    expect(await rig.calls.find(outgoing)).to.include({ status: 'cancelled' });
  });

  it('ends after five hops if two projects forward to each other', async () => {
    await bind(theirs, { type: 'number', target: rig.line });
    await bind(rig.line, { type: 'number', target: theirs });
    const outgoing = await call(theirs);
    await rig.untilStatus(outgoing, 'failed');
    await rig.until(() => Promise.resolve(rig.controller.liveCalls === 0));
    expect(await cameIn()).to.have.length(5);
    expect(await noted('leg.barred')).to.deep.equal([{ leg: 'agent', type: 'number', reason: 'loop' }]);
    expect(await endpoints()).not.to.include('trunk');
  });

  it('is reached by transfers, also while the engine is drained', async () => {
    const outcomes = reportedTransfers(rig);
    const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
    await rig.untilBothAnswered(callId);
    await rig.settle();
    rig.controller.close(true);
    const agent = (await rig.legs(callId)).find(({ role }) => role === 'agent')!;
    rig.engine.phoneTransfer(agent.id, rig.line);
    await rig.until(() => Promise.resolve(outcomes.length === 1));
    expect(outcomes).to.deep.equal(['completed']);
    const [transfer] = await rig.calls.transfersOf([callId]);
    expect(transfer).to.deep.include({ status: 'completed', destination: { type: 'number', target: rig.line } });
    expect(await rig.calls.find(await incomingOf(callId))).to.include({ status: 'answered', line_number: rig.line });
  });

  it('is not dialled if the money of the project that calls is spent; the other project pays nothing for it', async () => {
    await spendAll(rig.db, { ...rig.ground, ...other }, 'INSUFFICIENT_CREDITS');
    await spendAll(rig.db, rig.ground, 'INSUFFICIENT_CREDITS');
    expect((await rig.untilStatus(await call(theirs), 'missed')).disposition).to.equal('rejected');
    expect(await noted('leg.barred')).to.have.length(1);
    expect(await cameIn()).to.deep.equal([]);
    await allocate(rig.db, rig.ground, 10_000_000);
    await rig.untilStatus(await call(theirs), 'answered');
    await rig.untilStatus(await call(rig.line), 'answered');
  });

  it('is no way to an emergency number', async () => {
    const legId = rig.engine.callIn({
      source: { type: 'softphone', aor: `a${rig.ground.projectId}` },
      dialled: '911',
      callerId: { number: null, name: null },
    });
    await rig.settle();
    await rig.until(async () => (await rig.legs(await rig.newest())).length === 2);
    expect((await rig.legs(await rig.newest())).at(-1)?.endpoint).to.include({ type: 'trunk', number: '911' });
    rig.engine.remoteHangup(legId);
    await rig.settle();
  });

  it('continues if another process takes the engine over', async () => {
    const outgoing = await call(theirs);
    await rig.untilStatus(outgoing, 'answered');
    const incoming = await incomingOf(outgoing);
    await rig.untilStatus(incoming, 'answered');
    await rig.restart();
    expect(rig.controller.liveCalls).to.equal(2);
    await rig.controller.command(control(incoming, HANGUP));
    await rig.untilStatus(outgoing, 'ended');
    await rig.untilStatus(incoming, 'ended');
  });
});
