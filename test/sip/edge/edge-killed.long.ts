import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import type { CrowdCall } from '../../support/peers/sip/crowd.js';
import { describeDrachtio } from '../../support/platform/drachtio.js';
import { EdgeCrowdStage } from '../../support/stages/edge-crowd-stage.js';

/** How many calls are up, and phones registered, when a part is killed. */
const CALLS = Number(process.env.HATIF_TEST_EDGE_CALLS ?? '60');
const PHONES = Number(process.env.HATIF_TEST_EDGE_PHONES ?? '300');
/** Calls that are set up at the same time. */
const AT_ONCE = 20;
/** Both ends of a call know that it is over, and registrations are whole, within this time. */
const ENDED_WITHIN_MS = 30_000;
const WHOLE_WITHIN_MS = 5_000;

interface Pair {
  readonly caller: CrowdCall;
  readonly callee: CrowdCall;
  readonly startedMs: number;
}

describeDrachtio(`${CALLS} calls and ${PHONES} registrations at the SIP edge`, () => {
  let stage: EdgeCrowdStage;

  before(async function () {
    this.timeout(600_000);
    stage = await EdgeCrowdStage.start({ MAX_CALLS: String(2 * CALLS + 100), CODECS: 'alaw' });
    await stage.populate(Math.max(PHONES, CALLS));
    await inBatches(Math.max(PHONES, CALLS), async (n) => expect(await stage.register(n), `p${n}`).to.equal(200));
  });
  after(async function () {
    this.timeout(60_000);
    await stage.close();
  });

  /** Does something for 1 to `count`, some at a time. */
  async function inBatches(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
    for (let from = 1; from <= count; from += AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from + 1) }, (_, at) => work(from + at)));
    }
  }

  /** Calls from the carrier to the phones, which are answered. Each phone is rung once. */
  async function connected(): Promise<Pair[]> {
    stage.phones.rung.clear();
    const known = new Set(stage.phones.calls().map(({ callId }) => callId));
    const pairs: Pair[] = [];
    await inBatches(CALLS, async (n) => {
      const startedMs = performance.now();
      const caller = await stage.carrier.dial(stage.number(n));
      if (caller === null) throw new Error(`p${n} was not reached`);
      const callee = await eventually(
        () =>
          stage.phones
            .calls()
            .find(({ callId, user, answeredMs }) => user === `p${n}` && !known.has(callId) && answeredMs),
        `p${n} has the call`,
      );
      pairs.push({ caller, callee, startedMs });
    });
    expect(
      [...stage.phones.rung.values()].every((times) => times === 1),
      'nobody is rung twice',
    ).to.equal(true);
    return pairs;
  }

  const isOver = ({ caller, callee }: Pair): boolean => caller.endedMs !== null && callee.endedMs !== null;

  /** Hangs up every call, half of them at the phone, and expects that the other side learns it in time. */
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
      () => pairs.every(isOver),
      () => `${pairs.filter((pair) => !isOver(pair)).length} calls to end`,
      ENDED_WITHIN_MS,
    );
    expect(performance.now() - startedMs).to.be.lessThan(ENDED_WITHIN_MS);
    const { db } = stage.database;
    const live = async (): Promise<number> =>
      (await db.query<{ count: number }>(`SELECT count(*)::int AS count FROM calls WHERE ended_at IS NULL`))[0]!.count;
    await eventually(async () => (await live()) === 0, 'the platform knows that all calls are over', ENDED_WITHIN_MS);
  }

  /** What is charged is the time until the hangup. */
  async function chargedToTheHangup(pairs: readonly Pair[]): Promise<void> {
    const { db } = stage.database;
    const longest = Math.max(...pairs.map(({ caller, startedMs }) => (caller.endedMs! - startedMs) / 1000));
    const rows = await db.query<{ seconds: number }>(`SELECT seconds FROM charges ORDER BY created_at DESC LIMIT $1`, [
      pairs.length,
    ]);
    expect(rows).to.have.length(pairs.length);
    for (const { seconds } of rows) expect(seconds).to.be.at.most(Math.ceil(longest) + 1);
  }

  const wholeAgain = (): Promise<unknown> =>
    eventually(async () => (await stage.registrations()) >= PHONES, 'registrations are whole', WHOLE_WITHIN_MS);

  it('survive that the process of the edge is killed that relays', async function () {
    this.timeout(300_000);
    const pairs = await connected();
    const killed = stage.relaying();
    killed.signal('SIGKILL');
    await killed.exited;
    await wholeAgain();
    await hungUp(pairs);
    await chargedToTheHangup(pairs);
    stage.edges.splice(stage.edges.indexOf(killed), 1);
    await stage.startEdge();
  });

  it('survive that drachtio-server is killed', async function () {
    this.timeout(300_000);
    const pairs = await connected();
    await stage.drachtio.restart();
    await wholeAgain();
    await hungUp(pairs);
    await chargedToTheHangup(pairs);
  });

  it('survive that Redis is killed', async function () {
    this.timeout(300_000);
    const pairs = await connected();
    stage.killRedis();
    await wholeAgain();
    const more = await stage.carrier.dial(stage.number(CALLS + 1 > PHONES ? 1 : CALLS + 1));
    expect(more, 'a call while Redis is away').not.to.equal(null);
    await stage.carrier.hangUp(more!);
    await stage.restartRedis();
    await hungUp(pairs);
    await chargedToTheHangup(pairs);
  });

  it('survive on the other engine that an engine is killed, and new calls go there', async function () {
    this.timeout(300_000);
    const pairs = await connected();
    const { db } = stage.database;
    const onSecond = await db.query<{ line_number: string }>(
      `SELECT line_number FROM calls JOIN engines ON engines.id = engine_id WHERE engines.name = 'second' AND ended_at IS NULL`,
    );
    expect(onSecond.length, 'calls are spread').to.be.greaterThan(0).and.lessThan(CALLS);
    stage.killEngine(0);
    await wholeAgain();
    const lines = new Set(onSecond.map(({ line_number: line }) => line));
    const surviving = pairs.filter(({ callee: { user } }) => lines.has(stage.number(Number(user.slice(1)))));
    const startedMs = performance.now();
    const call = await stage.carrier.dial(stage.number(CALLS));
    expect(call, 'a new call').not.to.equal(null);
    expect(performance.now() - startedMs, 'a dead engine costs a second').to.be.lessThan(5_000);
    await stage.carrier.hangUp(call!);
    const statuses = await Promise.all(surviving.map(({ callee }) => stage.phones.hangUp(callee)));
    expect(statuses.filter((status) => status !== 200)).to.deep.equal([]);
    await eventually(() => surviving.every(isOver), 'calls of the other engine end at both sides', ENDED_WITHIN_MS);
  });
});
