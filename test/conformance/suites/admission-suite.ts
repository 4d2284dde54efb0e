import { expect } from 'chai';
import { Baresip } from '../../support/phones/index.js';
import { eventually } from '../../support/eventually.js';
import type { RealEngine } from '../rigs/sip-rig.js';
import { carrierAt } from '../rigs/stage.js';

export interface Limits {
  readonly maxCalls: number;
  readonly maxCallsPerSecond: number;
}

const NUMBER = '+966112345678';
const EMERGENCY = '911';
const MAX_CALLS = 2;
const REFUSED = '503 Service Unavailable';

/** What the engine refuses by itself, on every engine alike. */
export function admissionConformance(
  start: (limits: Limits, told: { readonly maxCalls?: number }) => Promise<RealEngine>,
): void {
  let ground: RealEngine;
  let carrier: Baresip;

  const opened = async (limits: Limits, told: { readonly maxCalls?: number } = {}): Promise<void> => {
    ground = await start(limits, told);
    carrier = await Baresip.start({ user: '+966501234567' });
    await ground.engine.trunks.put(carrierAt(carrier.sipPort, { inboundAddresses: [`127.0.0.1:${carrier.sipPort}`] }));
  };
  const closed = async (): Promise<void> => {
    await carrier.close();
    await ground.stop();
  };
  const call = (number: string): Promise<string> => carrier.dial(`sip:${number}@${ground.sipAddress}`);
  const incoming = (): number => ground.heard.events.filter(({ type }) => type === 'leg.incoming').length;
  /** Calls in. @returns the call, or null when it was refused and the application did not hear of it */
  const taken = async (number: string): Promise<string | null> => {
    const before = incoming();
    const callId = await call(number);
    const isOver = (): boolean => carrier.calls.get(callId)?.closedAt !== null;
    await eventually(() => incoming() > before || isOver(), 'the call to be taken or refused');
    if (!isOver()) return callId;
    expect([await carrier.closed(callId), incoming()]).to.deep.equal([REFUSED, before]);
    return null;
  };

  describe('of calls at once', () => {
    const standing: string[] = [];
    before(() => opened({ maxCalls: MAX_CALLS, maxCallsPerSecond: 1_000 }));
    after(closed);

    it('takes as many as it may', async () => {
      for (let count = 0; count < MAX_CALLS; count += 1) {
        standing.push((await taken(NUMBER)) ?? 'refused');
      }
      expect(standing).not.to.include('refused');
    });

    it('holds them', async () => {
      const { engine, heard } = ground;
      for (const { legId } of (await engine.list()).legs) {
        await engine.legs.answer(legId);
        await heard.told('leg.answered', { legId });
        await engine.legs.hold(legId);
      }
    });

    it('refuses the next with 503, and the application does not hear of it', async () => {
      expect(await taken(NUMBER)).to.equal(null);
    });

    it('takes an emergency call all the same, which takes nobody the place', async () => {
      expect(await taken(EMERGENCY)).not.to.equal(null);
      await carrier.hangup(standing.pop());
      await eventually(() => taken(NUMBER), 'room for a call again');
    });
  });

  describe('that the application tells', () => {
    before(() => opened({ maxCalls: 100, maxCallsPerSecond: 1_000 }, { maxCalls: 1 }));
    after(closed);

    it('takes the place of the one of the configuration', async () => {
      expect(await taken(NUMBER)).not.to.equal(null);
      expect(await taken(NUMBER)).to.equal(null);
    });
  });

  describe('of new calls a second', () => {
    before(() => opened({ maxCalls: 100, maxCallsPerSecond: 1 }));
    after(closed);

    it('refuses what comes faster with 503, but no emergency call', async () => {
      const calls = await Promise.all(Array.from({ length: 5 }, () => call(NUMBER)));
      const emergencies = await Promise.all([call(EMERGENCY), call(EMERGENCY), call(EMERGENCY)]);
      const isRefused = (callId: string): boolean => carrier.calls.get(callId)?.closedAt !== null;
      await eventually(
        () => incoming() + calls.filter(isRefused).length === calls.length + emergencies.length,
        'a word on each',
      );
      const refused = calls.filter(isRefused);
      expect(refused.length).to.be.within(1, calls.length - 1);
      expect(emergencies.filter(isRefused)).to.deep.equal([]);
      for (const callId of refused) expect(await carrier.closed(callId)).to.equal(REFUSED);
    });

    it('takes one again a moment later', async () => {
      await eventually(() => taken(NUMBER), 'room for a call again');
    });
  });
}
