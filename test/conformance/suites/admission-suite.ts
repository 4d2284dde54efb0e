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

/** Call limits that every engine must enforce by itself. */
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
  /** Places an inbound call. @returns the leg, or null if it was rejected without reaching the application */
  const taken = async (number: string): Promise<string | null> => {
    const before = incoming();
    const callId = await call(number);
    const isOver = (): boolean => carrier.calls.get(callId)?.closedAt !== null;
    await eventually(() => incoming() > before || isOver(), 'the call to be accepted or rejected');
    if (!isOver()) return callId;
    expect([await carrier.closed(callId), incoming()]).to.deep.equal([REFUSED, before]);
    return null;
  };

  describe('of concurrent calls', () => {
    const standing: string[] = [];
    before(() => opened({ maxCalls: MAX_CALLS, maxCallsPerSecond: 1_000 }));
    after(closed);

    it('accepts calls up to the limit', async () => {
      for (let count = 0; count < MAX_CALLS; count += 1) {
        standing.push((await taken(NUMBER)) ?? 'refused');
      }
      expect(standing).not.to.include('refused');
    });

    it('keeps them', async () => {
      const { engine, heard } = ground;
      for (const { legId } of (await engine.list()).legs) {
        await engine.legs.answer(legId);
        await heard.told('leg.answered', { legId });
        await engine.legs.hold(legId);
      }
    });

    it('rejects the next with 503 without reaching the application', async () => {
      expect(await taken(NUMBER)).to.equal(null);
    });

    it('accepts an emergency call regardless, which does not use up a place', async () => {
      expect(await taken(EMERGENCY)).not.to.equal(null);
      await carrier.hangup(standing.pop());
      await eventually(() => taken(NUMBER), 'capacity for another call');
    });
  });

  describe('set by the application', () => {
    before(() => opened({ maxCalls: 100, maxCallsPerSecond: 1_000 }, { maxCalls: 1 }));
    after(closed);

    it('overrides the configured limit', async () => {
      expect(await taken(NUMBER)).not.to.equal(null);
      expect(await taken(NUMBER)).to.equal(null);
    });
  });

  describe('of new calls per second', () => {
    before(() => opened({ maxCalls: 100, maxCallsPerSecond: 1 }));
    after(closed);

    it('rejects faster calls with 503, except emergency calls', async () => {
      const calls = await Promise.all(Array.from({ length: 5 }, () => call(NUMBER)));
      const emergencies = await Promise.all([call(EMERGENCY), call(EMERGENCY), call(EMERGENCY)]);
      const isRefused = (callId: string): boolean => carrier.calls.get(callId)?.closedAt !== null;
      await eventually(
        () => incoming() + calls.filter(isRefused).length === calls.length + emergencies.length,
        'a response to each',
      );
      const refused = calls.filter(isRefused);
      expect(refused.length).to.be.within(1, calls.length - 1);
      expect(emergencies.filter(isRefused)).to.deep.equal([]);
      for (const callId of refused) expect(await carrier.closed(callId)).to.equal(REFUSED);
    });

    it('accepts another call a moment later', async () => {
      await eventually(() => taken(NUMBER), 'capacity for another call');
    });
  });
}
