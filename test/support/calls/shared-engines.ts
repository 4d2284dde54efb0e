import { expect } from 'chai';
import { eventually } from '../eventually.js';
import { hears, hearsMore } from '../judges/hearing.js';
import type { Baresip } from '../phones/index.js';
import { FIRST, PoolStage, SECOND, type Application } from '../stages/pool-stage.js';
import { AGENT_HZ, CUSTOMER, type TrunkTalkers } from '../calls/trunk-talkers.js';

/** An engine that dies or stalls gets no new call after five seconds; two more allow for a slow machine. */
const EXCLUDED_WITHIN_MS = 5_000 + 2_000;

/**
 * Tests two processes that share two engines.
 * @param isLong whether also drained, stalled and killed engines are tested
 */
export function describeSharedEngines(isLong: boolean): void {
  describe('two engines shared by two processes', () => {
    let stage: PoolStage;
    let one: Application;
    let other: Application;
    let atFirst: Baresip;
    let atSecond: Baresip;
    let first: TrunkTalkers;
    let second: TrunkTalkers;

    before(async function () {
      this.timeout(180_000);
      stage = await PoolStage.start();
      one = await stage.application();
      await stage.addSecond();
      await stage.ownedBy(one);
      atFirst = await stage.softphone(one, '1001', FIRST);
      atSecond = await stage.softphone(one, '1002', SECOND);
      first = stage.talkers(one, atFirst);
      second = stage.talkers(one, atSecond);
    });
    after(() => stage.close());

    const toSecondAgent = { to: CUSTOMER, connect: { type: 'agent', target: '1002' } };

    it('belong to one process while it is alone, and are distributed when a second one starts', async () => {
      other = await stage.application();
      await stage.shared();
    });

    it('carry the calls of the agents registered there, controlled from either process', async () => {
      for (const [talkers, agent, name] of [
        [first, '1001', FIRST],
        [second, '1002', SECOND],
      ] as const) {
        for (const [placing, controlling] of [
          [one, other],
          [other, one],
        ] as const) {
          const callId = await stage.call(placing, { to: CUSTOMER, connect: { type: 'agent', target: agent } });
          const ends = await talkers.join(await stage.carrier.incoming());
          expect(await stage.engineOf(callId)).to.equal(name);
          await stage.control(controlling, callId, 'mute');
          await stage.control(controlling, callId, 'hangup');
          await talkers.closed(ends);
          expect(await stage.becomes(placing, callId, 'ended')).to.include({ disposition: 'answered', agent });
        }
      }
    });

    it('reach softphones on each other: a caller on one engine talks to an agent on the other', async () => {
      const { number } = one.bootstrap.sip.agents.find(({ agent }) => agent === '1002')!;
      const atCarrier = await stage.carrier.dial(`sip:${number}@${stage.host(FIRST).sipAddress}`);
      const { atAgent } = await second.pickUp(atCarrier);
      // The phone's transfer button has no effect on an engine that only passes the call.
      await atSecond.command('transfer', '1001');
      await second.keepTalking({ atCarrier, atAgent });
      await atSecond.hangup(atAgent);
      await stage.carrier.closed(atCarrier);
    });

    it('continue when a process is killed: the other process adopts and controls its calls', async () => {
      const { line_number: line } = one.bootstrap;
      const atEcho = await atFirst.dial(line);
      await atFirst.waitToHear(hears(AGENT_HZ), { callId: atEcho, timeoutMs: 40_000 });
      const callId = await stage.call(one, toSecondAgent);
      const ends = await second.join(await stage.carrier.incoming());
      other.process.signal('SIGKILL');
      await other.process.exited;
      await stage.ownedBy(one);
      await stage.controlled(one, callId, 'mute');
      await stage.control(one, callId, 'hangup');
      await second.closed(ends);
      expect(second.missingSeconds(ends)).to.be.lessThan(1);
      expect(await stage.becomes(one, callId, 'ended')).to.include({ disposition: 'answered' });
      await hearsMore(atFirst, atEcho, AGENT_HZ, 1);
      await stage.controlled(one, await stage.callOf(line, FIRST), 'hangup');
      await atFirst.closed(atEcho);
      other = await stage.application();
      await stage.shared();
    });

    if (!isLong) return;

    it('continue when the process that started first is killed', async () => {
      const callId = await stage.call(other, { to: CUSTOMER, connect: { type: 'agent', target: '1001' } });
      const ends = await first.join(await stage.carrier.incoming());
      one.process.signal('SIGKILL');
      await one.process.exited;
      await stage.ownedBy(other);
      await stage.controlled(other, callId, 'hangup');
      await first.closed(ends);
      expect(first.missingSeconds(ends)).to.be.lessThan(1);
      expect(await stage.becomes(other, callId, 'ended')).to.include({ disposition: 'answered' });
      one = await stage.application();
      await stage.shared();
    });

    it('leave new calls to the other engine while one is drained', async () => {
      await stage.command(['engines', 'drain', SECOND]);
      expect(await stage.engine(SECOND)).to.include({ draining: true, takes_calls: false });
      const callId = await stage.call(one, toSecondAgent);
      const ends = await second.join(await stage.carrier.incoming());
      expect(await stage.engineOf(callId), 'the agent is reached from the other engine').to.equal(FIRST);
      await stage.carrier.hangup(ends.atCarrier);
      await second.closed(ends);
      await stage.becomes(one, callId, 'ended');
      await eventually(async () => {
        const id = await stage.carrier.dial(`sip:${one.bootstrap.line_number}@${stage.host(SECOND).sipAddress}`);
        return (await stage.carrier.closed(id)).startsWith('503');
      }, 'calls to the drained engine are refused');
      await stage.command(['engines', 'resume', SECOND]);
    });

    it('leave new calls to the other engine while one stalls, and keep its live calls', async () => {
      const live = await stage.call(one, { to: CUSTOMER, connect: { type: 'agent', target: '1001' } });
      const ends = await first.join(await stage.carrier.incoming());
      expect(await stage.engineOf(live)).to.equal(FIRST);
      stage.signalEngine(FIRST, 'SIGSTOP');
      try {
        await eventually(() => stage.isShunned(FIRST), 'the engine gets no new calls', EXCLUDED_WITHIN_MS);
        const callId = await stage.call(one, toSecondAgent);
        expect(await stage.engineOf(callId)).to.equal(SECOND);
        const others = await second.join(await stage.carrier.incoming());
        await stage.control(other, callId, 'hangup');
        await second.closed(others);
        // Until the owner considers the engine unreachable, a command waits in vain for its response.
        await eventually(async () => {
          const { body } = await stage.request(other, 'POST', `/v1/calls/${live}/mute`, {});
          return body?.error_code === 'CALL_NOT_CONTROLLABLE';
        }, 'its calls cannot be controlled');
      } finally {
        stage.signalEngine(FIRST, 'SIGCONT');
      }
      await eventually(async () => !(await stage.isShunned(FIRST)), 'the engine is available again');
      await first.talk(ends);
      await stage.controlled(one, live, 'hangup');
      await first.closed(ends);
      expect(await stage.becomes(one, live, 'ended')).to.include({ disposition: 'answered' });
    });

    it('leave new calls to the other engine when one is killed, and end its live calls', async () => {
      const live = await stage.call(one, toSecondAgent);
      await second.join(await stage.carrier.incoming());
      expect(await stage.engineOf(live)).to.equal(SECOND);
      stage.signalEngine(SECOND, 'SIGKILL');
      await eventually(() => stage.isShunned(SECOND), 'the engine gets no new calls', EXCLUDED_WITHIN_MS);
      const callId = await stage.call(one, { to: CUSTOMER, connect: { type: 'agent', target: '1001' } });
      expect(await stage.engineOf(callId)).to.equal(FIRST);
      await stage.host(SECOND).restart();
      expect(await stage.becomes(one, live, 'ended')).to.include({ disposition: 'answered' });
      await stage.control(one, callId, 'hangup');
      await stage.shared();
    });
  });
}
