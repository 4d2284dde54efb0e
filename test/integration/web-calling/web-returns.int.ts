import { expect } from 'chai';
import type { WebSessionRow } from '../../../core/data/rows.js';
import { awayBrowsersOf } from '../../../core/services/call-state/away-browsers.js';
import { insertRows } from '../../support/rows/rows.js';
import { webSessionRow } from '../../support/rows/web-session-row.js';
import { bindLine, openQueue } from '../../support/calls/open-queue.js';
import { callControllerEach, control, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

/** A conversation of a browser with an agent, or with a customer. */
interface Conversation {
  readonly of: WebSessionRow;
  readonly callId: string;
  /** The browser's leg. */
  readonly own: string;
  readonly other: string;
}

describe('A browser whose page was left in the middle of a call', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));

  const browser = async (changes: Parameters<typeof webSessionRow>[1] = {}): Promise<WebSessionRow> => {
    const row = webSessionRow(rig.ground, changes);
    await insertRows(rig.db, 'web_calling_sessions', [row]);
    const { engineId } = rig.ground;
    await insertRows(rig.db, 'softphone_registrations', [{ engine_id: engineId, aor: row.aor, since: new Date() }]);
    await rig.engine.registrations.put({ aor: row.aor, password: '', displayName: row.display_name, maxContacts: 1 });
    rig.directory.invalidate();
    return row;
  };
  const talk = async (dialled: string, of?: WebSessionRow): Promise<Conversation> => {
    const session = of ?? (await browser());
    const { aor } = session;
    const source = { type: 'softphone', aor } as const;
    const own = rig.engine.callIn({ source, dialled, callerId: { number: aor, name: null } });
    await rig.settle();
    const callId = await rig.newest();
    await rig.untilBothAnswered(callId);
    await rig.settle();
    const legs = await rig.legs(callId);
    return { of: session, callId, own, other: legs.find(({ id }) => id !== own)!.id };
  };
  const page =
    (type: 'browser_left' | 'browser_back') =>
    async ({ of, callId }: Pick<Conversation, 'of' | 'callId'>, before = rig.clock.now()): Promise<string> => {
      // The moment is after everything that has happened.
      const at = new Date(before.getTime() + 1).toISOString();
      const outcome = await rig.controller.command({ type, callId, aor: of.aor, before: at });
      await rig.settle();
      return outcome.result;
    };
  const left = page('browser_left');
  const back = page('browser_back');
  const statusOf = async (callId: string): Promise<string> => (await rig.calls.find(callId))!.status;
  const isBack = async (callId: string): Promise<boolean> =>
    awayBrowsersOf((await rig.calls.find(callId))!).length === 0 && (await statusOf(callId)) === 'answered';
  /** The live legs are in one bridge, and not held. */
  const together = async (callId: string): Promise<string[]> => {
    const legs = (await rig.legs(callId)).filter(({ status }) => status !== 'ended');
    const looks = legs.map(({ id }) => rig.look(id));
    return looks.map((look) => (look?.bridgeId === callId && !look.held ? look.legId : 'elsewhere'));
  };
  const typesOf = async (callId: string): Promise<string[]> =>
    (await rig.eventTypes(callId)).filter((type) => !type.startsWith('call.initiated'));

  it('comes back to the agent, who hears music meanwhile; it stays one call', async () => {
    const call = await talk('agent.1001');
    expect(await left(call)).to.equal('done');
    expect(rig.look(call.other)).to.include({ held: true });
    expect(rig.look(call.own)).to.equal(null);
    expect(await statusOf(call.callId)).to.equal('answered');
    await rig.clock.advance(10_000);
    expect(await back(call)).to.equal('done');
    const returning = (await rig.legs(call.callId)).at(-1)!;
    expect(returning.endpoint).to.deep.include({ aor: call.of.aor, after: call.own });
    expect((returning.endpoint as { resumedSeconds: number }).resumedSeconds).to.be.at.least(10);
    await rig.until(() => isBack(call.callId));
    expect(await together(call.callId)).to.have.members([returning.id, call.other]);
    rig.engine.remoteHangup(call.other);
    await rig.untilStatus(call.callId, 'ended');
    expect(await typesOf(call.callId)).to.deep.equal(['call.ringing', 'call.answered', 'call.ended']);
    expect(await rig.charges(call.callId)).to.deep.equal([]);
  });

  it('comes back to a customer outside, who is charged for one call', async () => {
    const call = await talk(CUSTOMER);
    await left(call);
    await rig.clock.advance(5_000);
    await back(call);
    await rig.until(() => isBack(call.callId));
    expect(await together(call.callId)).to.include(call.other);
    await rig.clock.advance(5_000);
    await rig.controller.command(control(call.callId, { action: 'hangup' }));
    await rig.untilStatus(call.callId, 'ended');
    await rig.settle();
    const charges = await rig.charges(call.callId);
    expect(charges.map(({ number }) => number)).to.deep.equal([CUSTOMER]);
    expect(charges[0]?.seconds).to.be.at.least(10);
  });

  it('comes back as the agent of a queue', async () => {
    const of = await browser({ agent: '1001' });
    const queueId = await openQueue(rig);
    await rig.db.query('DELETE FROM softphone_registrations WHERE aor = $1', [`a${rig.ground.projectId}`]);
    await rig.queues.watch.compare();
    await bindLine(rig, queueId);
    const caller = rig.engine.callIn({
      ...{ source: TRUNK_SOURCE, dialled: rig.line, callerId: { number: CUSTOMER, name: null } },
    });
    await rig.settle();
    const callId = await rig.newest();
    await rig.untilStatus(callId, 'answered');
    await rig.settle();
    const call = { of, callId };
    expect(await left(call)).to.equal('done');
    expect(rig.look(caller)).to.include({ held: true });
    await back(call);
    await rig.until(() => isBack(callId));
    expect(await together(callId)).to.include(caller);
    rig.engine.remoteHangup((await rig.legs(callId)).at(-1)!.id);
    await rig.untilStatus(callId, 'ended');
    await rig.settle();
    expect(rig.look(caller)).to.equal(null);
  });

  it('is waited for half a minute', async () => {
    const call = await talk('agent.1001');
    await left(call);
    await rig.clock.advance(29_000);
    await rig.settle();
    expect(await statusOf(call.callId)).to.equal('answered');
    await rig.clock.advance(1_000);
    await rig.untilStatus(call.callId, 'ended');
    await rig.settle();
    expect(rig.look(call.other)).to.equal(null);
    expect(await back(call)).to.equal('not_active');
  });

  it('is not waited for by somebody who hangs up', async () => {
    const called = await talk('agent.1001');
    await left(called);
    rig.engine.remoteHangup(called.other);
    await rig.untilStatus(called.callId, 'ended');
    const outside = await talk(CUSTOMER);
    await left(outside);
    await back(outside);
    rig.engine.remoteHangup(outside.other);
    await rig.untilStatus(outside.callId, 'ended');
    await rig.settle();
    for (const { id } of await rig.legs(outside.callId)) expect(rig.look(id)).to.equal(null);
  });

  it('comes back although nobody reported that its page was left', async () => {
    const call = await talk('agent.1001');
    expect(await back(call)).to.equal('done');
    expect(rig.look(call.own)).to.equal(null);
    await rig.until(() => isBack(call.callId));
    expect(await together(call.callId)).to.have.length(2);
    // The same page asks again, for its answer was lost.
    const loadedAt = new Date(call.of.created_at.getTime() - 60_000);
    expect(await back(call, loadedAt)).to.equal('leg_not_connected');
    expect(await together(call.callId)).to.have.length(2);
  });

  it('is rung once by one page, and again by the next', async () => {
    const call = await talk('agent.1001');
    await left(call);
    const loadedAt = rig.clock.now();
    await rig.clock.advance(100);
    await back(call, loadedAt);
    await rig.clock.advance(100);
    await back(call, loadedAt);
    expect(await rig.legs(call.callId)).to.have.length(3);
    await back(call);
    expect(await rig.legs(call.callId)).to.have.length(4);
    await rig.until(() => isBack(call.callId));
    expect(await together(call.callId)).to.have.length(2);
  });

  it('and another browser come back to each other', async () => {
    const callee = await browser({ agent: '1001' });
    const call = await talk('agent.1001');
    await left(call);
    await left({ of: callee, callId: call.callId });
    expect([rig.look(call.own), rig.look(call.other)]).to.deep.equal([null, null]);
    await back({ of: callee, callId: call.callId });
    await rig.clock.advance(5_000);
    await rig.settle();
    expect(rig.look((await rig.legs(call.callId)).at(-1)!.id)).to.include({ held: true });
    await back(call);
    await rig.until(() => isBack(call.callId));
    expect(await together(call.callId)).to.have.length(2);
  });

  it('is nobody else, and has no place in a call in which nobody waits', async () => {
    const call = await talk('agent.1001');
    const stranger = { of: await browser(), callId: call.callId };
    expect([await left(stranger), await back(stranger)]).to.deep.equal(['leg_not_connected', 'leg_not_connected']);
    expect(await together(call.callId)).to.have.length(2);
    const { aor } = call.of;
    rig.engine.callIn({
      ...{ source: { type: 'softphone', aor }, dialled: rig.line, callerId: { number: aor, name: null } },
    });
    await rig.settle();
    const echo = await rig.newest();
    await rig.untilStatus(echo, 'answered');
    expect(await left({ of: call.of, callId: echo })).to.equal('done');
    await rig.untilStatus(echo, 'ended');
  });

  it('keeps its mute, and nobody transfers the call or takes it into a conference meanwhile', async () => {
    const call = await talk('agent.1001');
    await rig.controller.command(control(call.callId, { action: 'mute' }));
    await left(call);
    const base = { callId: call.callId, requestId: 'r', actor: null };
    const transfer = await rig.controller.command({
      ...{ ...base, type: 'transfer', transferId: call.of.id, transferType: 'blind', ringTimeoutSeconds: 20 },
      to: { type: 'agent', target: '1001' },
    });
    expect(transfer).to.deep.equal({ result: 'leg_not_connected' });
    const conference = await rig.controller.command({
      ...{ ...base, type: 'join_conference', conferenceId: null, name: 'talk', muted: false, beep: false },
      ...{ startOnEnter: true, endOnExit: false, maxParticipants: 3 },
    });
    expect(conference).to.deep.equal({ result: 'not_controllable' });
    await back(call);
    await rig.until(() => isBack(call.callId));
    expect(rig.look((await rig.legs(call.callId)).at(-1)!.id)).to.include({ muted: true });
  });

  describe('across a crash of the application', () => {
    it('comes back, and is waited for no longer than otherwise', async () => {
      const call = await talk('agent.1001');
      await left(call);
      await rig.restart();
      expect(rig.look(call.other)).to.include({ held: true });
      await back(call);
      await rig.restart();
      await rig.until(() => isBack(call.callId));
      expect(await together(call.callId)).to.have.length(2);
      await left(call);
      await rig.restart();
      await rig.clock.advance(30_000);
      await rig.untilStatus(call.callId, 'ended');
    });

    it('has time to register with the next process, however long there was none', async () => {
      const call = await talk('agent.1001');
      await left(call);
      await rig.clock.advance(29_000);
      await rig.restart();
      await rig.clock.advance(14_000);
      await rig.settle();
      expect(await statusOf(call.callId)).to.equal('answered');
      await back(call);
      await rig.until(() => isBack(call.callId));
      await left(call);
      await rig.clock.advance(29_000);
      await rig.restart();
      await rig.clock.advance(15_000);
      await rig.untilStatus(call.callId, 'ended');
      await rig.settle();
      expect(rig.look(call.other)).to.equal(null);
    });

    it('is back although its answer was missed, and the call ends although a hang-up was', async () => {
      const call = await talk(CUSTOMER);
      await left(call);
      await back(call);
      rig.engine.disconnect('the process is away');
      await rig.clock.advance(5_000);
      rig.engine.reconnect();
      await rig.restart();
      await rig.until(() => isBack(call.callId));
      expect(await together(call.callId)).to.have.length(2);
      await left(call);
      rig.engine.disconnect('the process is away');
      rig.engine.remoteHangup(call.other);
      rig.engine.reconnect();
      await rig.restart();
      await rig.untilStatus(call.callId, 'ended');
      await rig.settle();
      for (const { id } of await rig.legs(call.callId)) expect(rig.look(id)).to.equal(null);
    });
  });
});
