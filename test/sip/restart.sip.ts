import { expect } from 'chai';
import { longestSilenceSeconds, slice, toneSeconds } from '../support/audio.js';
import { eventually } from '../support/eventually.js';
import { talk } from '../support/hearing.js';
import type { Baresip } from '../support/phones/index.js';
import { TestPlatform } from '../support/platform.js';

const CUSTOMER = '+966501234517';
const HEARD_SECONDS = 1;

describe('an application that goes away and comes back', () => {
  let stage: TestPlatform;
  let agent: Baresip;
  let carrier: Baresip;

  before(async () => {
    stage = await TestPlatform.start();
    agent = await stage.softphone('1001', { source: { toneHz: 600 } });
    carrier = await stage.carrier({ source: { toneHz: 900 } });
  });
  afterEach(() => stage.assertSound());
  after(async () => stage.stop());

  interface Conversation {
    readonly callId: string;
    readonly atCarrier: string;
    readonly atAgent: string;
  }

  async function conversation(): Promise<Conversation> {
    const { call_id: callId } = await stage.call({ to: CUSTOMER, connect: { type: 'agent', target: '1001' } });
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await talk({ phone: carrier, hz: 900, callId: atCarrier }, { phone: agent, hz: 600, callId: atAgent });
    return { callId, atCarrier, atAgent };
  }

  /** Both hear the other for a while from now on. */
  async function hearMore({ atCarrier, atAgent }: Conversation): Promise<void> {
    const more = async (phone: Baresip, callId: string, hz: number): Promise<void> => {
      const from = phone.heard(callId).seconds;
      await phone.waitToHear((audio) => toneSeconds(slice(audio, from), hz) > HEARD_SECONDS, { callId });
    };
    await Promise.all([more(carrier, atCarrier, 600), more(agent, atAgent, 900)]);
  }

  const adopted = (callId: string): Promise<unknown> =>
    eventually(
      async () => (await stage.timeline(callId)).some(({ type }) => type === 'call.adopted'),
      `${callId} is adopted`,
    );

  it('interrupts no conversation, takes it over and controls it', async () => {
    const conversing = await conversation();
    const { callId, atCarrier, atAgent } = conversing;
    await stage.halt();
    await hearMore(conversing);
    await stage.resume();
    await hearMore(conversing);
    await adopted(callId);
    expect(await stage.read(callId)).to.include({ status: 'answered', agent: '1001' });
    await stage.hangup(callId);
    await Promise.all([carrier.closed(atCarrier), agent.closed(atAgent)]);
    for (const [phone, id] of [
      [carrier, atCarrier],
      [agent, atAgent],
    ] as const) {
      expect(phone.missingSeconds(id)).to.be.lessThan(1);
    }
    const heard = agent.heard(atAgent);
    expect(longestSilenceSeconds(slice(heard, heard.seconds - 2 * HEARD_SECONDS))).to.be.lessThan(1);
    const over = await stage.over(callId);
    expect(over).to.include({ status: 'ended', disposition: 'answered' });
    expect(await stage.charges(callId)).to.have.length(1);
  });

  it('tells afterwards how a call ended meanwhile, and that it was told late', async () => {
    const { callId, atCarrier, atAgent } = await conversation();
    await stage.halt();
    await carrier.hangup(atCarrier);
    await carrier.closed(atCarrier);
    await stage.resume();
    const over = await stage.over(callId);
    expect(over).to.include({ status: 'ended', disposition: 'answered' });
    const told = await stage.told(callId, 'call.ended');
    expect(told.data).to.include({ recovered: true });
    // The agent's leg was alone in the bridge: it is let go at the takeover.
    await agent.closed(atAgent);
  });

  it('joins what was answered meanwhile', async () => {
    const { call_id: callId } = await stage.call({ to: CUSTOMER, connect: { type: 'agent', target: '1001' } });
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    const atAgent = await agent.incoming();
    await stage.told(callId, 'call.answered');
    await stage.halt();
    await agent.answer(atAgent);
    await stage.resume();
    await talk({ phone: carrier, hz: 900, callId: atCarrier }, { phone: agent, hz: 600, callId: atAgent });
    await carrier.hangup(atCarrier);
    await agent.closed(atAgent);
    expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
  });

  it('answers a customer who picked up meanwhile', async () => {
    const { call_id: callId } = await stage.call({ to: CUSTOMER, connect: { type: 'agent', target: '1001' } });
    const atCarrier = await carrier.incoming();
    await stage.told(callId, 'call.ringing');
    await stage.halt();
    await carrier.answer(atCarrier);
    await stage.resume();
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await talk({ phone: carrier, hz: 900, callId: atCarrier }, { phone: agent, hz: 600, callId: atAgent });
    await stage.hangup(callId);
    await Promise.all([carrier.closed(atCarrier), agent.closed(atAgent)]);
    await stage.over(callId);
    const answered = await stage.told(callId, 'call.answered');
    expect(answered.data).to.include({ recovered: true });
  });

  it('lets a caller ring until it is back', async () => {
    const { number } = stage.agent('1001');
    await stage.halt();
    const id = await carrier.dial(stage.sipUri(number));
    await carrier.waitFor('CALL_RINGING', { callId: id });
    await stage.resume();
    const ringing = await agent.incoming();
    await agent.answer(ringing);
    await talk({ phone: carrier, hz: 900, callId: id }, { phone: agent, hz: 600, callId: ringing });
    await agent.hangup(ringing);
    await carrier.closed(id);
  });

  it('leaves a caller with 503 when it does not come back in time', async () => {
    await stage.engineVariable('HATIF_WAIT_SECONDS', '1');
    try {
      await stage.halt();
      const id = await carrier.dial(stage.sipUri(stage.demo.lineNumber));
      expect(await carrier.closed(id)).to.match(/^503/);
    } finally {
      await stage.engineVariable('HATIF_WAIT_SECONDS', '15');
    }
    await stage.resume();
  });
});
