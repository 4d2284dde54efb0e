import { expect } from 'chai';
import type { Answer } from '../api.js';
import type { Baresip } from '../phones/index.js';

/** A platform on a real engine, with a carrier's phone and that of the agent 1001. */
export interface OutboundBlockStage {
  readonly carrier: Baresip;
  readonly agent: Baresip;
  request(method: string, path: string, json?: object): Promise<Answer>;
}

const NUMBERS = ['0501234517', '0501234518', '0501234519'] as const;

/**
 * Checks on any engine what phones get from the guard against toll fraud.
 * @param rejected the SIP status for Q.850 21
 */
export function outboundBlock(rejected: '403' | '603', stageOf: () => OutboundBlockStage): void {
  async function ask(method: string, path: string, json?: object): Promise<NonNullable<Answer['body']>> {
    const { status, text, body } = await stageOf().request(method, path, json);
    expect(status, text).to.equal(200);
    return body!;
  }
  /** The agent dials, the carrier answers, and the agent hangs up. */
  async function callTo(number: string): Promise<void> {
    const { agent, carrier } = stageOf();
    const own = await agent.dial(number);
    const theirs = await carrier.incoming();
    await carrier.answer(theirs);
    await agent.waitFor('CALL_ESTABLISHED', { callId: own });
    await agent.hangup(own);
    await carrier.closed(theirs);
  }
  async function isRefused(number: string): Promise<void> {
    const { agent } = stageOf();
    expect(await agent.closed(await agent.dial(number))).to.contain(rejected);
  }
  const blocks = async (): Promise<Record<string, unknown>[]> => (await ask('GET', '/v1/fraud-blocks')).data as never;

  it('refuses a phone once it has dialled too many numbers, until it is released', async function () {
    this.timeout(120_000);
    await ask('PUT', '/v1/fraud-limits', { project: {}, agents: { calls_per_hour: 2 } });
    await callTo(NUMBERS[0]);
    await callTo(NUMBERS[1]);
    await isRefused(NUMBERS[2]);
    const [block, ...others] = await blocks();
    expect(others).to.deep.equal([]);
    expect(block).to.include({ agent: '1001', rule: 'calls_per_hour', number_masked: '+96650••••19' });

    await callTo('911');
    await isRefused(NUMBERS[0]);
    const json = { to: `+966${NUMBERS[0].slice(1)}`, connect: { type: 'agent', target: '1001' } };
    const placed = await stageOf().request('POST', '/v1/calls', json);
    expect(`${placed.status} ${String(placed.body?.error_code)}`).to.equal('403 OUTBOUND_BLOCKED');

    await ask('POST', `/v1/fraud-blocks/${String(block?.id)}/release`);
    await callTo(NUMBERS[2]);
    expect(await blocks()).to.deep.equal([]);
  });

  it('lets a live call continue while the phone is blocked', async function () {
    this.timeout(120_000);
    await ask('PUT', '/v1/fraud-limits/1001', { calls_per_hour: 2 });
    const { agent, carrier } = stageOf();
    const own = await agent.dial(NUMBERS[0]);
    const theirs = await carrier.incoming();
    await carrier.answer(theirs);
    await agent.waitFor('CALL_ESTABLISHED', { callId: own });
    await isRefused(NUMBERS[1]);
    const [block] = await blocks();
    expect(carrier.call(theirs).closedAt, 'the live call').to.equal(null);
    await agent.hangup(own);
    await carrier.closed(theirs);
    await ask('PUT', '/v1/fraud-limits/1001', { calls_per_hour: null });
    await isRefused(NUMBERS[1]);
    await ask('POST', `/v1/fraud-blocks/${String(block?.id)}/release`);
    await callTo(NUMBERS[1]);
  });
}
