import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { EngineEvent } from '../../../core/ports/engine-events.js';
import { SimulatorEngine } from '../../../engine/simulator/simulator-engine.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';

describe('Virtual clock', () => {
  it('runs timers by due time, then by order, with the correct current time', async () => {
    const clock = new VirtualClock();
    const ran: string[] = [];
    const note = (name: string) => () => ran.push(`${name}@${clock.monotonicMs()}`);
    clock.after(20, note('c'));
    clock.after(10, note('a'));
    clock.after(10, note('b'));
    clock.after(15, note('never')).cancel();
    await clock.advance(19);
    expect(ran).to.deep.equal(['a@10', 'b@10']);
    await clock.advance(1);
    expect(ran).to.deep.equal(['a@10', 'b@10', 'c@20']);
    expect(clock.now().getTime() - new VirtualClock().now().getTime()).to.equal(20);
  });

  it('also runs timers and promises that start while it advances', async () => {
    const clock = new VirtualClock();
    const ran: number[] = [];
    clock.after(10, () => {
      void Promise.resolve().then(() => clock.after(10, () => ran.push(clock.monotonicMs())));
    });
    await clock.advance(30);
    expect(ran).to.deep.equal([20]);
  });
});

describe('Simulator', () => {
  let clock: VirtualClock;
  let engine: SimulatorEngine;
  let events: EngineEvent[];

  beforeEach(async () => {
    clock = new VirtualClock();
    engine = new SimulatorEngine({ clock });
    events = [];
    engine.start((event) => events.push(event));
    await clock.advance(0);
  });

  const call = async (number: string): Promise<string> => {
    const legId = newId();
    await engine.legs.originate({
      legId,
      endpoint: { type: 'trunk', trunkId: 'any', number },
      callerId: { number: '+966112345678', name: null },
      ringTimeoutSeconds: 45,
      maxDurationSeconds: 600,
    });
    return legId;
  };
  const history = (legId: string): string[] =>
    events
      .filter((event) => 'legId' in event && event.legId === legId)
      .map((event) => {
        const seconds = 'at' in event ? (event.at.getTime() - new VirtualClock().now().getTime()) / 1000 : 0;
        return event.type === 'leg.ended'
          ? `${seconds} ended ${event.cause.q850} ${event.cause.sipCode}`
          : `${seconds} ${event.type}`;
      });

  const destinations: Record<string, readonly string[]> = {
    '+966500000001': ['0.5 leg.ringing', '2 leg.answered', '7 ended 16 null'],
    '+966500000002': ['0.5 leg.ringing', '45 ended 19 null'],
    '+966500000003': ['0.5 ended 17 486'],
    '+966500000004': ['0.5 ended 34 503'],
    '+966500000005': ['45 ended 18 null'],
    '+966500000006': ['0.5 leg.ringing', '600 ended 16 null'],
    '+966500000007': ['0.5 leg.ringing', '15 leg.answered', '75 ended 16 null'],
    '+966501234567': ['0.5 leg.ringing', '2 leg.answered', '600 ended 16 null'],
  };
  for (const [number, expected] of Object.entries(destinations)) {
    it(`simulates ${number}`, async () => {
      const legId = await call(number);
      await clock.advance(700_000);
      expect(history(legId)).to.deep.equal(expected);
    });
  }

  it('reports legs that ended during an outage after reconnecting', async () => {
    const legId = await call('+966500000001');
    await clock.advance(3_000);
    engine.disconnect('cut');
    await clock.advance(60_000);
    expect(events.at(-1)).to.deep.equal({ type: 'engine.unreachable', reason: 'cut' });
    engine.reconnect();
    await clock.advance(0);
    expect(events.slice(-2).map((event) => event.type)).to.deep.equal(['engine.connected', 'leg.ended']);
    expect(history(legId).at(-1)).to.equal('63 ended 31 null');
  });

  it('loses everything and changes its boot id on restart', async () => {
    const legId = await call('+966500000006');
    const { bootId } = await engine.list();
    engine.restart();
    await clock.advance(0);
    const after = await engine.list();
    expect(after.legs).to.deep.equal([]);
    expect(after.bootId).not.to.equal(bootId);
    expect(history(legId).at(-1)).to.equal('0 ended 27 null');
  });
});
