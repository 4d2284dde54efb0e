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

/** How many numbers the tests of this process have called. */
let numbers = 0;

/** What the tests do with a stage. */
class Steps {
  readonly #carriers: Sipp[] = [];

  constructor(readonly stageOf: () => TrunkAttemptsStage) {}

  async close(): Promise<void> {
    for (const carrier of this.#carriers.splice(0)) await carrier.kill();
  }

  /** @returns a number that nobody else calls, and the names and ports of two trunks to it */
  async twoTrunks(first: Partial<TestTrunk> = {}) {
    const prefix = `9665010${String((numbers += 1)).padStart(2, '0')}`;
    const made: TestTrunk[] = [];
    for (const changes of [first, {}]) {
      const name = `t${numbers}-${made.length + 1}`;
      made.push({ name, port: await freeSipPort(), transport: 'udp', capacity: null, ...changes });
    }
    await this.stageOf().route(prefix, made);
    const [one, other] = made.map(({ name, port }) => ({ name, port }));
    return { number: `+${prefix}123`, one: one!, other: other! };
  }

  async carrier({ port }: Pick<TestTrunk, 'port'>, options: Omit<SippOptions, 'port'>): Promise<Sipp> {
    const started = await Sipp.start({ port, ...options });
    this.#carriers.push(started);
    return started;
  }

  becomes(callId: string, fits: (call: CallObject) => boolean, what: string, limitMs?: number): Promise<CallObject> {
    return eventually(
      async () => {
        const call = await this.stageOf().read(callId);
        return fits(call) && call;
      },
      what,
      limitMs,
    );
  }

  over(callId: string, limitMs?: number): Promise<CallObject> {
    return this.becomes(callId, ({ status }) => FINAL.has(status), `the end of ${callId}`, limitMs);
  }

  /** Calls the number, and waits until the call is over. */
  async callTo(number: string, limitMs?: number): Promise<CallObject> {
    const patience = limitMs === undefined ? {} : { ring_timeout_seconds: 60 };
    return this.over(await this.stageOf().call({ to: number, ...patience }), limitMs);
  }

  /** Each attempt of the call: the trunk, and the carrier's answer. */
  async tried({ call_id }: CallObject): Promise<string[]> {
    return (await this.stageOf().attempts(call_id)).map(({ trunk, hangup_sip_code, answered_at }) =>
      [trunk, answered_at === null ? hangup_sip_code : 'answered'].join(' '),
    );
  }
}

function stepsOn(stageOf: () => TrunkAttemptsStage): Steps {
  const steps = new Steps(stageOf);
  afterEach(() => steps.close());
  return steps;
}

/** One path: the next carrier after one that fails, and the next trunk while one is full. */
export function trunkAttempts(stageOf: () => TrunkAttemptsStage): void {
  const steps = stepsOn(stageOf);

  it('ring by the second carrier if the first one answers 503', async () => {
    const { number, one, other } = await steps.twoTrunks();
    const refusing = await steps.carrier(one, { scenario: 'uas-reject', status: 503 });
    await steps.carrier(other, { scenario: 'uas-answer-then-bye', pauseMs: 200 });
    const call = await steps.callTo(number);
    expect(call).to.include({ status: 'ended', disposition: 'answered' });
    expect(call.legs).to.have.length(1);
    expect(await steps.tried(call)).to.deep.equal([`${one.name} 503`, `${other.name} answered`]);
    expect((await refusing.stop()).created).to.equal(1);
  });

  it('ring by the second carrier while the first one has all the calls that it carries', async () => {
    const { number, one, other } = await steps.twoTrunks({ capacity: 1 });
    for (const trunk of [one, other]) await steps.carrier(trunk, { scenario: 'uas-answer' });
    const place = async (): Promise<CallObject> => {
      const id = await stageOf().call({ to: number });
      return steps.becomes(id, ({ status }) => status === 'answered', `the answer of ${id}`);
    };
    const [first, second] = [await place(), await place()];
    expect(await steps.tried(first)).to.deep.equal([`${one.name} answered`]);
    expect(await steps.tried(second)).to.deep.equal([`${other.name} answered`]);
    await stageOf().hangup(first.call_id);
    await steps.over(first.call_id);
    const again = await place();
    expect(await steps.tried(again)).to.deep.equal([`${one.name} answered`]);
    for (const { call_id } of [second, again]) {
      await stageOf().hangup(call_id);
      await steps.over(call_id);
    }
  });
}

/** The other cases. */
export function trunkAttemptCases(stageOf: () => TrunkAttemptsStage): void {
  const steps = stepsOn(stageOf);

  it('do not ring by the second carrier if the called party is busy', async () => {
    const { number, one, other } = await steps.twoTrunks();
    await steps.carrier(one, { scenario: 'uas-reject', status: 486 });
    const second = await steps.carrier(other, { scenario: 'uas-answer' });
    const call = await steps.callTo(number);
    expect(call).to.include({ status: 'missed', disposition: 'busy' });
    expect(await steps.tried(call)).to.deep.equal([`${one.name} 486`]);
    expect((await second.stop()).created).to.equal(0);
  });

  it('do not ring by the second carrier if the first one sent audio before 503', async () => {
    const { number, one, other } = await steps.twoTrunks();
    await steps.carrier(one, { scenario: 'uas-early-media-reject', status: 503, pauseMs: 300 });
    const second = await steps.carrier(other, { scenario: 'uas-answer' });
    const call = await steps.callTo(number);
    expect(call).to.include({ status: 'failed' });
    expect(await steps.tried(call)).to.deep.equal([`${one.name} 503`]);
    expect((await second.stop()).created).to.equal(0);
  });

  it('ring by the second carrier if the first one refuses connections', async function () {
    this.timeout(3 * SILENT_MS);
    const { number, other } = await steps.twoTrunks({ transport: 'tcp' });
    await steps.carrier(other, { scenario: 'uas-answer-then-bye', pauseMs: 200 });
    const call = await steps.callTo(number, 2 * SILENT_MS);
    expect(call).to.include({ status: 'ended', disposition: 'answered' });
    expect((await steps.tried(call)).at(-1)).to.equal(`${other.name} answered`);
  });

  it('ring by the second carrier if the first one is dead', async function () {
    this.timeout(3 * SILENT_MS);
    const { number, one, other } = await steps.twoTrunks();
    await steps.carrier(other, { scenario: 'uas-answer-then-bye', pauseMs: 200 });
    const call = await steps.callTo(number, 2 * SILENT_MS);
    expect(call).to.include({ status: 'ended', disposition: 'answered' });
    const [dead, answered] = await steps.tried(call);
    // FreeSWITCH notices that nobody listens on the port of a host that is there.
    expect(dead).to.be.oneOf([`${one.name} 408`, `${one.name} 503`]);
    expect(answered).to.equal(`${other.name} answered`);
  });
}
