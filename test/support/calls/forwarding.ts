import { expect } from 'chai';
import { NO_FORWARDING } from '../../../core/model/call/forwarding.js';
import type { CallObject } from '../../../core/model/objects/call.js';
import type { Answer } from '../api.js';
import { eventually } from '../eventually.js';
import { hasSpeech } from '../judges/audio.js';
import { talk } from '../judges/hearing.js';
import type { Baresip } from '../phones/index.js';

/** A platform on a real engine, with the phones of the agents 1001 and 1002 and that of a carrier. */
export interface ForwardingStage {
  readonly agent: Baresip;
  readonly colleague: Baresip;
  /** It logs SIP messages. */
  readonly carrier: Baresip;
  /** Rings the agent 1001. */
  readonly agentNumber: string;
  request(method: string, path: string, json?: object): Promise<Answer>;
  /** The numbers of the call's charged legs, once it is over. */
  charges(callId: string): Promise<readonly string[]>;
}

const MOBILE = '+966559876543';
export const AGENT = { hz: 600 };
export const COLLEAGUE = { hz: 1_200 };
export const CARRIER = { hz: 900 };

const PATH = '/v1/agents/1001/forwarding';

/** What tests of forwarding do with the stage. */
export class ForwardingSteps {
  constructor(private readonly stageOf: () => ForwardingStage) {}

  async ask(method: string, path: string, json?: object): Promise<Record<string, unknown>> {
    const { status, text, body } = await this.stageOf().request(method, path, json);
    expect(status, text).to.be.within(200, 202);
    return body ?? {};
  }

  set(change: object): Promise<object> {
    return this.ask('PATCH', PATH, change);
  }

  async reset(): Promise<void> {
    await this.set(NO_FORWARDING);
    await this.ask('PATCH', '/v1/agents/1002/forwarding', NO_FORWARDING);
  }

  read(): Promise<Record<string, unknown>> {
    return this.ask('GET', PATH);
  }

  /** Dials a code. Resolves when the phone has heard speech and the call has ended by itself. */
  async code(dialled: string): Promise<void> {
    const { agent } = this.stageOf();
    const id = await agent.dial(dialled);
    await agent.waitFor('CALL_ESTABLISHED', { callId: id });
    // A number is repeated digit by digit, in both languages.
    await agent.closed(id, 60_000);
    expect(hasSpeech(agent.heard(id)), `${dialled} is confirmed aloud`).to.equal(true);
  }

  /** The newest call. */
  async newest(): Promise<CallObject> {
    const { data } = await this.ask('GET', '/v1/calls?limit=1');
    return (data as CallObject[])[0]!;
  }

  async over(callId: string): Promise<CallObject> {
    return eventually(async () => {
      const call = (await this.ask('GET', `/v1/calls/${callId}`)) as unknown as CallObject;
      return call.ended_at !== null && call;
    }, `${callId} is over`);
  }

  /** The colleague calls the agent's extension. @returns the phone's id of the call */
  dialAgent(): Promise<string> {
    return this.stageOf().colleague.dial('1001');
  }

  /** A customer behind the trunk, who has answered a call, is connected with the agent. @returns the customer's id of it */
  async customer(): Promise<string> {
    const { carrier } = this.stageOf();
    await this.ask('POST', '/v1/calls', { to: '+966501234517', connect: { type: 'agent', target: '1001' } });
    const own = await carrier.incoming();
    await carrier.answer(own);
    return own;
  }

  /** The colleague's phone rings, answers, and talks with the customer, who then hangs up. */
  async reachesColleague(customer: string): Promise<void> {
    const { carrier, colleague } = this.stageOf();
    const ringing = await colleague.incoming();
    await colleague.answer(ringing);
    await talk({ phone: carrier, callId: customer, ...CARRIER }, { phone: colleague, callId: ringing, ...COLLEAGUE });
    await carrier.hangup(customer);
    await colleague.closed(ringing);
    expect(await this.over((await this.newest()).call_id)).to.include({ disposition: 'answered', agent: '1002' });
  }
}

/** One path of forwarding on any engine: codes, a forward to the telephone network, do-not-disturb, a busy phone. */
export function forwarding(stageOf: () => ForwardingStage): void {
  const steps = new ForwardingSteps(stageOf);
  afterEach(() => steps.reset());

  it('are forwarded to the telephone network by a code of the phone, and charged as a leg of their own', async function () {
    this.timeout(120_000);
    const { colleague, carrier, agentNumber } = stageOf();
    await steps.code(`*21*${MOBILE.replace('+966', '0')}`);
    expect(await steps.read()).to.deep.include({ always: { type: 'number', target: MOBILE } });
    const own = await steps.dialAgent();
    const theirs = await carrier.incoming();
    expect(carrier.call(theirs).peer, 'the number that it shows').to.contain(agentNumber);
    const diversion = new RegExp(`Diversion: .*<sip:\\${agentNumber}@[^>]*>;reason=unconditional`);
    expect(carrier.log(), 'the carrier learns whose call it is').to.match(diversion);
    await carrier.answer(theirs);
    await talk({ phone: colleague, callId: own, ...COLLEAGUE }, { phone: carrier, callId: theirs, ...CARRIER });
    await colleague.hangup(own);
    await carrier.closed(theirs);
    const { call_id } = await steps.newest();
    await steps.over(call_id);
    expect(await stageOf().charges(call_id)).to.deep.equal([MOBILE]);
    // Written as phones send it.
    await steps.code('%2321%23');
    expect(await steps.read()).to.deep.include({ always: null });
  });

  it('find the phone busy in do-not-disturb, or go where its agent wants them', async function () {
    this.timeout(120_000);
    const { colleague } = stageOf();
    await steps.code('*78');
    expect(await colleague.closed(await steps.dialAgent())).to.contain('486');
    await steps.set({ busy: { type: 'agent', target: '1002' } });
    await steps.reachesColleague(await steps.customer());
    await steps.code('*79');
    expect(await steps.read()).to.include({ do_not_disturb: false });
  });

  it('are refused aloud by an unknown code', () => steps.code('*99'));
}

/** The other cases. */
export function forwardingCases(stageOf: () => ForwardingStage): void {
  const steps = new ForwardingSteps(stageOf);
  const colleague = { type: 'agent', target: '1002' };
  afterEach(() => steps.reset());

  it('ring the colleague always', async function () {
    this.timeout(120_000);
    await steps.set({ always: colleague });
    await steps.reachesColleague(await steps.customer());
  });

  it('ring the colleague when the phone declines', async function () {
    this.timeout(120_000);
    await steps.set({ busy: colleague });
    const customer = await steps.customer();
    const { agent } = stageOf();
    await agent.reject(await agent.incoming());
    await steps.reachesColleague(customer);
  });

  it('ring the colleague when nobody answers', async function () {
    this.timeout(120_000);
    await steps.set({ no_answer: colleague, no_answer_seconds: 5 });
    const customer = await steps.customer();
    const { agent } = stageOf();
    const ringing = await agent.incoming();
    await steps.reachesColleague(customer);
    expect(agent.call(ringing).closedAt).not.to.equal(null);
  });

  it('do not come back', async function () {
    this.timeout(120_000);
    await steps.set({ always: colleague });
    await steps.ask('PATCH', '/v1/agents/1002/forwarding', { always: { type: 'agent', target: '1001' } });
    const customer = await steps.customer();
    await stageOf().carrier.closed(customer);
    const { call_id } = await steps.newest();
    const { data } = await steps.ask('GET', `/v1/calls/${call_id}/timeline`);
    const reasons = (data as { type: string; data: { reason?: string } }[])
      .filter(({ type }) => type === 'call.not_forwarded')
      .map((entry) => entry.data.reason);
    expect(reasons).to.deep.equal(['loop']);
  });

  // The last one: the phone does not register again.
  it('ring the colleague when the phone is not registered', async function () {
    this.timeout(120_000);
    await steps.set({ unregistered: colleague });
    await stageOf().agent.close();
    await steps.reachesColleague(await steps.customer());
  });
}
