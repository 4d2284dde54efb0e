import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import type { CrowdCall } from '../../support/peers/sip/crowd.js';
import { describeDrachtio } from '../../support/platform/drachtio.js';
import { EdgeCrowdStage } from '../../support/stages/edge-crowd-stage.js';

/** How many calls are up, and phones registered, when a part is killed. */
const CALLS = Number(process.env.HATIF_TEST_EDGE_CALLS ?? '200');
const PHONES = Math.max(CALLS + 2, Number(process.env.HATIF_TEST_EDGE_PHONES ?? '1000'));
/** The number of calls that are hung up while the part is away; the others are when it is back. */
const HASTY = Math.ceil(CALLS / 10);
/** Calls that are set up at the same time. */
const AT_ONCE = 20;
/** Both ends of a call know that it is over, and registrations are whole, within this time. */
const ENDED_WITHIN_MS = 30_000;
const WHOLE_WITHIN_MS = 5_000;
/** The platform gives up the calls of an engine that stays away after this time. */
const GRACE_SECONDS = 10;
/** Charges are rounded, and this process is busy when calls are answered. */
const CHARGED_EXACTLY_SECONDS = 2;
const TEST_MS = 300_000;

interface Pair {
  readonly number: string;
  readonly caller: CrowdCall;
  readonly callee: CrowdCall;
}

describeDrachtio(`${CALLS} calls and ${PHONES} registrations at the SIP edge`, () => {
  let stage: EdgeCrowdStage;
  /** What took how long. */
  const measured: string[] = [];
  const note = (what: string, sinceMs: number): void =>
    void measured.push(`${what}: ${((performance.now() - sinceMs) / 1000).toFixed(1)} s`);

  before(async function () {
    this.timeout(600_000);
    const settings = {
      MAX_CALLS: String(2 * CALLS + 100),
      CODECS: 'alaw',
      ENGINE_GRACE_SECONDS: String(GRACE_SECONDS),
    };
    stage = await EdgeCrowdStage.start(settings);
    const startedMs = performance.now();
    await stage.populate(PHONES);
    note(`${PHONES} phones are known to two engines`, startedMs);
    const registeringMs = performance.now();
    await inBatches(PHONES, async (n) => expect(await stage.register(n), `p${n}`).to.equal(200));
    note('they are registered', registeringMs);
  });
  after(async function () {
    this.timeout(60_000);
    await stage.close();
    process.stdout.write(`      ${measured.join('\n      ')}\n`);
  });

  /** Does something for 1 to `count`, some at a time. */
  async function inBatches(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
    for (let from = 1; from <= count; from += AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from + 1) }, (_, at) => work(from + at)));
    }
  }

  /** Calls from the carrier to the phones, which are answered. */
  async function connected(): Promise<Pair[]> {
    const startedMs = performance.now();
    stage.phones.rung.clear();
    const known = new Set(stage.phones.calls().map(({ callId }) => callId));
    const pairs: Pair[] = [];
    await inBatches(CALLS, async (n) => {
      const number = stage.number(n);
      const caller = await stage.carrier.dial(number);
      if (caller === null) throw new Error(`p${n} was not reached: ${stage.carrier.refusal}`);
      const callee = await eventually(
        () =>
          stage.phones
            .calls()
            .find(({ callId, user, answeredMs }) => user === `p${n}` && !known.has(callId) && answeredMs),
        `p${n} has the call`,
      );
      pairs.push({ number, caller, callee });
    });
    note(`${CALLS} calls are connected`, startedMs);
    return pairs;
  }

  /** When both sides know that the call is over. */
  const overMs = ({ caller, callee }: Pair): number => Math.max(caller.endedMs ?? Infinity, callee.endedMs ?? Infinity);
  const hungUpMs = ({ caller, callee }: Pair): number => Math.min(caller.endedMs!, callee.endedMs!);

  /** Hangs up, every second call at the phone, and expects that the other side learns it in time. */
  async function hungUp(pairs: readonly Pair[]): Promise<void> {
    const startedMs = performance.now();
    const statuses = await Promise.all(
      pairs.map(({ caller, callee }, at) =>
        at % 2 === 0 ? stage.phones.hangUp(callee) : stage.carrier.hangUp(caller),
      ),
    );
    expect(
      statuses.filter((status) => status !== 200),
      'answers to BYE',
    ).to.deep.equal([]);
    await eventually(
      () => pairs.every((pair) => overMs(pair) < Infinity),
      () => `${pairs.filter((pair) => overMs(pair) === Infinity).length} calls to end`,
      ENDED_WITHIN_MS,
    );
    expect(Math.max(...pairs.map((pair) => overMs(pair) - hungUpMs(pair)))).to.be.lessThan(ENDED_WITHIN_MS);
    note(`${pairs.length} calls ended at both sides`, startedMs);
  }

  /** The latest charge for each of the calls, once the platform knows that they are over. */
  async function charges(pairs: readonly Pair[]): Promise<ReadonlyMap<string, number>> {
    const { db } = stage.database;
    const numbers = pairs.map(({ number }) => number);
    const charged = async (): Promise<ReadonlyMap<string, number> | null> => {
      const rows = await db.query<{ line_number: string; ended: boolean; seconds: number | null }>(
        `SELECT DISTINCT ON (line_number) line_number, ended_at IS NOT NULL AS ended, charges.seconds
         FROM calls LEFT JOIN charges ON charges.call_id = calls.id
         WHERE line_number = ANY ($1) ORDER BY line_number, calls.created_at DESC`,
        [numbers],
      );
      const isWhole = rows.length === pairs.length && rows.every(({ ended, seconds }) => ended && seconds !== null);
      return isWhole ? new Map(rows.map(({ line_number: number, seconds }) => [number, seconds!])) : null;
    };
    return eventually(charged, 'the platform charges for all calls', ENDED_WITHIN_MS);
  }

  /** What is charged ends between the hangup and the moment at which the other side knew of it. */
  async function chargedToTheHangup(pairs: readonly Pair[]): Promise<void> {
    const charged = await charges(pairs);
    for (const pair of pairs) {
      const since = (ms: number): number => (ms - pair.caller.answeredMs!) / 1000;
      expect(charged.get(pair.number), pair.number).to.be.within(
        since(hungUpMs(pair)) - CHARGED_EXACTLY_SECONDS,
        since(overMs(pair)) + CHARGED_EXACTLY_SECONDS,
      );
    }
  }

  /** A phone can register, a phone is rung, and no registration is missing. */
  async function wholeAgain(killedMs: number): Promise<void> {
    const isWhole = async (): Promise<boolean> => {
      if ((await stage.register(PHONES)) !== 200) return false;
      const call = await stage.carrier.dial(stage.number(PHONES - 1));
      if (call === null) return false;
      await stage.carrier.hangUp(call);
      return (await stage.registrations()) >= PHONES;
    };
    await eventually(isWhole, 'registrations are whole', WHOLE_WITHIN_MS);
    expect(performance.now() - killedMs, 'registrations are whole').to.be.lessThan(WHOLE_WITHIN_MS);
    note('  registrations are whole', killedMs);
  }

  function rungOnce(): void {
    const twice = [...stage.phones.rung].filter(([user, times]) => times !== 1 && user !== `p${PHONES - 1}`);
    expect(twice, 'rung twice').to.deep.equal([]);
  }

  /** Calls survive that a part is killed. @param kill begins at once, and resolves when the part is as it will stay */
  async function survives(what: string, kill: () => Promise<unknown>): Promise<void> {
    measured.push(what);
    const pairs = await connected();
    const killedMs = performance.now();
    const killed = kill();
    const hasty = hungUp(pairs.slice(0, HASTY));
    await killed;
    await wholeAgain(killedMs);
    await hasty;
    await hungUp(pairs.slice(HASTY));
    await chargedToTheHangup(pairs);
    rungOnce();
  }

  it('survive that the process of the edge is killed that relays', async () => {
    const relaying = stage.relaying();
    await survives('the edge is killed', () => {
      relaying.signal('SIGKILL');
      return relaying.exited;
    });
    stage.edges.splice(stage.edges.indexOf(relaying), 1);
    await stage.startEdge();
  }).timeout(TEST_MS);

  it('survive that drachtio-server is killed', async () => {
    await survives('drachtio-server is killed', () => stage.drachtio.restart());
  }).timeout(TEST_MS);

  it('survive that Redis is killed', async () => {
    await survives('Redis is killed', () => {
      stage.killRedis();
      return Promise.resolve();
    });
    await stage.restartRedis();
  }).timeout(TEST_MS);

  it('survive on the other engine that an engine is killed, and new calls go there', async () => {
    measured.push('an engine is killed');
    const pairs = await connected();
    const onSecond = new Set(await stage.liveNumbers('second'));
    const surviving = pairs.filter(({ number }) => onSecond.has(number));
    const lost = pairs.filter(({ number }) => !onSecond.has(number));
    expect(Math.min(surviving.length, lost.length), 'calls are spread').to.be.greaterThan(CALLS / 4);
    const killedMs = performance.now();
    stage.killEngine(0);
    const hasty = hungUp(surviving.slice(0, HASTY));
    await wholeAgain(killedMs);
    await hasty;
    await hungUp(surviving.slice(HASTY));
    await chargedToTheHangup(surviving);
    // Nobody pays for what came after the death of the engine.
    const charged = await charges(lost);
    for (const { number, caller } of lost) {
      expect(charged.get(number), number).to.be.closeTo(
        (killedMs - caller.answeredMs!) / 1000,
        CHARGED_EXACTLY_SECONDS,
      );
    }
    rungOnce();
  }).timeout(TEST_MS);
});
