import { expect } from 'chai';
import type { TrunkAttempt } from '../../../core/data/repositories/engines/trunk-calls.js';
import type { CallObject } from '../../../core/model/objects/call.js';
import { eventually } from '../eventually.js';
import { freeSipPort, Sipp, type SippOptions } from '../phones/index.js';

/** A trunk of a test. */
export interface TestTrunk {
  readonly name: string;
  readonly port: number;
  readonly transport: 'udp' | 'tcp';
  readonly capacity: number | null;
}

/** A platform on a real engine, to which trunks can be added. */
export interface TrunkAttemptsStage {
  /** Adds trunks, and a route to each for numbers with the prefix, in this order. Resolves when the engine has them. */
  route(prefix: string, trunks: readonly TestTrunk[]): Promise<void>;
  /** Places a call. @returns its id */
  call(json: object): Promise<string>;
  read(callId: string): Promise<CallObject>;
  hangup(callId: string): Promise<void>;
  attempts(callId: string): Promise<readonly Pick<TrunkAttempt, 'trunk' | 'hangup_sip_code' | 'answered_at'>[]>;
}

/** How long an engine asks a carrier that does not answer (64 × T1), and some time to spare. */
const SILENT_MS = 32_000;
const FINAL: ReadonlySet<CallObject['status']> = new Set(['ended', 'missed', 'failed', 'cancelled', 'timeout']);

/** Checks on any engine which carriers ring, with real SIP. */
export function trunkAttempts(stageOf: () => TrunkAttemptsStage): void {
  let tests = 0;
  const carriers: Sipp[] = [];

  afterEach(async () => {
    for (const carrier of carriers.splice(0)) await carrier.kill();
  });

  /** A number that nobody else calls, and trunks to it. */
  async function trunksTo(trunks: readonly Partial<TestTrunk>[]): Promise<{ number: string; ports: number[] }> {
    const prefix = `9665010${String((tests += 1)).padStart(2, '0')}`;
    const made: TestTrunk[] = [];
    for (const [index, trunk] of trunks.entries()) {
      const name = `t${tests}-${index + 1}`;
      made.push({ name, port: await freeSipPort(), transport: 'udp', capacity: null, ...trunk });
    }
    await stageOf().route(prefix, made);
    return { number: `+${prefix}123`, ports: made.map(({ port }) => port) };
  }
  async function carrier(port: number | undefined, options: Omit<SippOptions, 'port'>): Promise<Sipp> {
    const started = await Sipp.start({ ...(port !== undefined && { port }), ...options });
    carriers.push(started);
    return started;
  }
  const becomes = (callId: string, fits: (call: CallObject) => boolean, what: string, limitMs?: number) =>
    eventually(
      async () => {
        const call = await stageOf().read(callId);
        return fits(call) && call;
      },
      what,
      limitMs,
    );
  const over = (callId: string, limitMs?: number): Promise<CallObject> =>
    becomes(callId, ({ status }) => FINAL.has(status), `the end of ${callId}`, limitMs);
  const tried = async (callId: string): Promise<string[]> =>
    (await stageOf().attempts(callId)).map(({ trunk, hangup_sip_code, answered_at }) =>
      [trunk, answered_at === null ? hangup_sip_code : 'answered'].join(' '),
    );

  it('rings by the second carrier if the first one answers 503', async () => {
    const { number, ports } = await trunksTo([{}, {}]);
    const refusing = await carrier(ports[0], { scenario: 'uas-reject', status: 503 });
    await carrier(ports[1], { scenario: 'uas-answer-then-bye', pauseMs: 200 });
    const call = await over(await stageOf().call({ to: number }));
    expect(call).to.include({ status: 'ended', disposition: 'answered' });
    expect(call.legs).to.have.length(1);
    expect(await tried(call.call_id)).to.deep.equal([`t${tests}-1 503`, `t${tests}-2 answered`]);
    expect((await refusing.stop()).created).to.equal(1);
  });

  it('does not ring by the second carrier if the called party is busy', async () => {
    const { number, ports } = await trunksTo([{}, {}]);
    await carrier(ports[0], { scenario: 'uas-reject', status: 486 });
    const second = await carrier(ports[1], { scenario: 'uas-answer' });
    const call = await over(await stageOf().call({ to: number }));
    expect(call).to.include({ status: 'missed', disposition: 'busy' });
    expect(await tried(call.call_id)).to.deep.equal([`t${tests}-1 486`]);
    expect((await second.stop()).created).to.equal(0);
  });

  it('does not ring by the second carrier if the first one sent audio before 503', async () => {
    const { number, ports } = await trunksTo([{}, {}]);
    await carrier(ports[0], { scenario: 'uas-early-media-reject', status: 503, pauseMs: 300 });
    const second = await carrier(ports[1], { scenario: 'uas-answer' });
    const call = await over(await stageOf().call({ to: number }));
    expect(call).to.include({ status: 'failed' });
    expect(await tried(call.call_id)).to.deep.equal([`t${tests}-1 503`]);
    expect((await second.stop()).created).to.equal(0);
  });

  it('rings by the second carrier if the first one refuses connections', async function () {
    this.timeout(3 * SILENT_MS);
    const { number, ports } = await trunksTo([{ transport: 'tcp' }, {}]);
    await carrier(ports[1], { scenario: 'uas-answer-then-bye', pauseMs: 200 });
    const call = await over(await stageOf().call({ to: number, ring_timeout_seconds: 60 }), 2 * SILENT_MS);
    expect(call).to.include({ status: 'ended', disposition: 'answered' });
    expect((await tried(call.call_id)).at(-1)).to.equal(`t${tests}-2 answered`);
  });

  it('rings by the second carrier if the first one is dead', async function () {
    this.timeout(3 * SILENT_MS);
    const { number, ports } = await trunksTo([{}, {}]);
    await carrier(ports[1], { scenario: 'uas-answer-then-bye', pauseMs: 200 });
    const call = await over(await stageOf().call({ to: number, ring_timeout_seconds: 60 }), 2 * SILENT_MS);
    expect(call).to.include({ status: 'ended', disposition: 'answered' });
    expect(await tried(call.call_id)).to.deep.equal([`t${tests}-1 408`, `t${tests}-2 answered`]);
  });

  it('rings by the second carrier while the first one has all the calls that it carries', async () => {
    const { number, ports } = await trunksTo([{ capacity: 1 }, {}]);
    await carrier(ports[0], { scenario: 'uas-answer' });
    await carrier(ports[1], { scenario: 'uas-answer' });
    const place = async (): Promise<CallObject> => {
      const id = await stageOf().call({ to: number });
      return becomes(id, ({ status }) => status === 'answered', `the answer of ${id}`);
    };
    const [one, other] = [await place(), await place()];
    expect(await tried(one.call_id)).to.deep.equal([`t${tests}-1 answered`]);
    expect(await tried(other.call_id)).to.deep.equal([`t${tests}-2 answered`]);
    await stageOf().hangup(one.call_id);
    await over(one.call_id);
    const again = await place();
    expect(await tried(again.call_id)).to.deep.equal([`t${tests}-1 answered`]);
    for (const { call_id } of [other, again]) {
      await stageOf().hangup(call_id);
      await over(call_id);
    }
  });
}
