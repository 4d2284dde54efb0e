import { expect } from 'chai';
import { Baresip } from '../../support/phones/index.js';
import { eventually } from '../../support/eventually.js';
import type { RealEngine } from '../rigs/sip-rig.js';
import { carrierAt, legTo } from '../rigs/stage.js';

export interface Limits {
  readonly maxCalls: number;
  readonly maxCallsPerSecond: number;
}

const NUMBER = '+966112345678';
const EMERGENCY = '911';
const MAX_CALLS = 2;
const REFUSED = '503 Service Unavailable';

/** Call limits that every engine must enforce without the application. */
export function admissionConformance(
  start: (limits: Limits, override: { readonly maxCalls?: number }) => Promise<RealEngine>,
): void {
  let ground: RealEngine;
  let carrier: Baresip;

  const open = async (limits: Limits, override: { readonly maxCalls?: number } = {}): Promise<void> => {
    ground = await start(limits, override);
    carrier = await Baresip.start({ user: '+966501234567' });
    await ground.engine.trunks.put(carrierAt(carrier.sipPort, { inboundAddresses: [`127.0.0.1:${carrier.sipPort}`] }));
  };
  const close = async (): Promise<void> => {
    await carrier.close();
    await ground.stop();
  };
  const call = (number: string): Promise<string> => carrier.dial(`sip:${number}@${ground.sipAddress}`);
  const incoming = (): number => ground.heard.events.filter(({ type }) => type === 'leg.incoming').length;
  /** Places an inbound call. @returns the leg, or null if it was rejected without reaching the application */
  const admitted = async (number: string): Promise<string | null> => {
    const before = incoming();
    const callId = await call(number);
    const isOver = (): boolean => carrier.calls.get(callId)?.closedAt !== null;
    await eventually(() => incoming() > before || isOver(), 'the call is accepted or rejected');
    if (!isOver()) return callId;
    expect([await carrier.closed(callId), incoming()]).to.deep.equal([REFUSED, before]);
    return null;
  };

  describe('of concurrent calls', () => {
    const accepted: string[] = [];
    before(() => open({ maxCalls: MAX_CALLS, maxCallsPerSecond: 1_000 }));
    after(close);

    it('accepts calls up to the limit', async () => {
      for (let count = 0; count < MAX_CALLS; count += 1) {
        accepted.push((await admitted(NUMBER)) ?? 'refused');
      }
      expect(accepted).not.to.include('refused');
    });

    it('keeps accepted calls', async () => {
      const { engine, heard } = ground;
      for (const { legId } of (await engine.list()).legs) {
        await engine.legs.answer(legId);
        await heard.event('leg.answered', { legId });
        await engine.legs.hold(legId);
      }
    });

    it('rejects the next call with 503 without reaching the application', async () => {
      expect(await admitted(NUMBER)).to.equal(null);
    });

    it('ends a call inside with the cause of a full line', async () => {
      const before = incoming();
      // The refusal can overtake the dialling in the engine, which must not lose its cause.
      for (let count = 0; count < 60; count += 1) {
        const leg = legTo({ type: 'inside', number: NUMBER });
        await ground.engine.legs.originate(leg);
        const { cause } = await ground.heard.event('leg.ended', { legId: leg.legId });
        expect([cause.q850, incoming()]).to.deep.equal([34, before]);
      }
    });

    it('accepts an emergency call, which does not count towards the limit', async () => {
      expect(await admitted(EMERGENCY)).not.to.equal(null);
      await carrier.hangup(accepted.pop());
      await eventually(() => admitted(NUMBER), 'capacity for another call');
    });
  });

  describe('changed by the application', () => {
    before(() => open({ maxCalls: 100, maxCallsPerSecond: 1_000 }, { maxCalls: 1 }));
    after(close);

    it('overrides the configured limit', async () => {
      expect(await admitted(NUMBER)).not.to.equal(null);
      expect(await admitted(NUMBER)).to.equal(null);
    });
  });

  describe('of new calls per second', () => {
    before(() => open({ maxCalls: 100, maxCallsPerSecond: 1 }));
    after(close);

    it('rejects faster calls with 503, except emergency calls', async () => {
      const calls = await Promise.all(Array.from({ length: 5 }, () => call(NUMBER)));
      const emergencies = await Promise.all([call(EMERGENCY), call(EMERGENCY), call(EMERGENCY)]);
      const isRefused = (callId: string): boolean => carrier.calls.get(callId)?.closedAt !== null;
      await eventually(
        () => incoming() + calls.filter(isRefused).length === calls.length + emergencies.length,
        'each call has a response',
      );
      const refused = calls.filter(isRefused);
      expect(refused.length).to.be.within(1, calls.length - 1);
      expect(emergencies.filter(isRefused)).to.deep.equal([]);
      for (const callId of refused) expect(await carrier.closed(callId)).to.equal(REFUSED);
    });

    it('does not count calls inside', async () => {
      for (const number of ['+966112345671', '+966112345672', '+966112345673']) {
        await ground.engine.legs.originate(legTo({ type: 'inside', number }));
        await ground.heard.event('leg.incoming', { dialled: number });
      }
    });

    it('accepts another call a moment later', async () => {
      await eventually(() => admitted(NUMBER), 'capacity for another call');
    });
  });
}
