import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import { HttpNumberProvider } from '../../../adapters/numbers/http-provider.js';
import { StaticRangeProvider } from '../../../adapters/numbers/static-range.js';
import { newId } from '../../../core/model/ids.js';
import { ANY_NUMBER, type NumberSearch } from '../../../core/model/number/search.js';
import { NumberProviderError, type NumberProvider, type ProviderProblem } from '../../../core/ports/number-provider.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { NumberPeer } from '../../support/peers/number-peer.js';
import { numberStage, type NumberStage } from '../../support/stages/number-stage.js';

const SECRET = 'shared with the provider';
const NUMBERS = Array.from({ length: 8 }, (_, index) => `+96611555300${index}`);
const ELSEWHERE = '+966125553000';

async function problemOf(work: Promise<unknown>): Promise<ProviderProblem | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof NumberProviderError) return error.problem;
    throw error;
  }
}

async function offersOf(provider: NumberProvider, search: Partial<NumberSearch> = {}): Promise<string[]> {
  const offers: string[] = [];
  for await (const batch of provider.offers({ ...ANY_NUMBER, ...search }))
    offers.push(...batch.map(({ e164, kind }) => (kind === 'geographic' ? e164 : `${kind} ${e164}`)));
  return offers;
}

interface Subject {
  readonly provider: NumberProvider;
  close(): Promise<void>;
}

function conforms(name: string, make: () => Promise<Subject>): void {
  describe(`a number provider: ${name}`, () => {
    let subject: Subject;
    const order = (e164 = NUMBERS[0]!) => ({ id: newId(), e164 });
    beforeEach(async () => {
      subject = await make();
    });
    afterEach(() => subject.close());

    it('offers all matching numbers, in order', async () => {
      const { provider } = subject;
      expect(await offersOf(provider)).to.deep.equal(NUMBERS);
      expect(await offersOf(provider, { prefix: '+966115553' })).to.deep.equal(NUMBERS);
      expect(await offersOf(provider, { prefix: '+96612' })).to.deep.equal([]);
      expect(await offersOf(provider, { kind: 'geographic', pattern: '*3007' })).to.deep.equal([NUMBERS[7]]);
      expect(await offersOf(provider, { kind: 'mobile' })).to.deep.equal([]);
    });

    it('reserves a number, and ignores a repeat of the same order', async () => {
      const { provider } = subject;
      const mine = order();
      await provider.reserve(mine);
      await provider.reserve(mine);
      await provider.release(mine);
      await provider.release(mine);
    });

    it('does not reserve a number that it does not offer', async () => {
      expect(await problemOf(subject.provider.reserve(order(ELSEWHERE)))).to.equal('not_available');
    });

    it('releases an order that it never received', async () => {
      expect(await problemOf(subject.provider.release(order()))).to.equal(null);
    });
  });
}

conforms('the operator’s own ranges', () =>
  Promise.resolve({
    provider: new StaticRangeProvider([
      { from: NUMBERS[0]!, to: NUMBERS[5]! },
      { from: NUMBERS[6]!, to: NUMBERS[7]! },
    ]),
    close: () => Promise.resolve(),
  }),
);

conforms('over HTTP', async () => {
  const peer = await NumberPeer.start(SECRET, NUMBERS);
  const provider = new HttpNumberProvider({ url: peer.url, secret: SECRET, timeoutMs: 5_000 });
  return {
    provider,
    async close() {
      expect(peer.unsigned).to.deep.equal([]);
      await provider.close();
      await peer.close();
    },
  };
});

describe('a number provider over HTTP', () => {
  let peer: NumberPeer;
  let provider: HttpNumberProvider;
  const order = () => ({ id: newId(), e164: NUMBERS[0]! });

  beforeEach(async () => {
    peer = await NumberPeer.start(SECRET, NUMBERS);
    provider = new HttpNumberProvider({ url: peer.url, secret: SECRET, timeoutMs: 5_000 });
  });
  afterEach(async () => {
    await provider.close();
    await peer.close();
  });

  it('gives a number to only one order, and not to an order that was released', async () => {
    const [mine, other] = [order(), order()];
    await provider.reserve(mine);
    expect(await problemOf(provider.reserve(other))).to.equal('not_available');
    await provider.release(mine);
    expect(await problemOf(provider.reserve(mine))).to.equal('refused');
    // The other order arrived after its release and must never take effect.
    await provider.release(other);
    expect(await problemOf(provider.reserve(other))).to.equal('refused');
    await provider.reserve(order());
  });

  const faults: [string, number | 'lost_answer' | 'lost_request', ProviderProblem][] = [
    ['an internal error of the provider', 500, 'indeterminate'],
    ['a gateway timeout', 504, 'indeterminate'],
    ['a lost response', 'lost_answer', 'indeterminate'],
    ['a lost request', 'lost_request', 'indeterminate'],
    ['a refusal', 422, 'refused'],
    ['too many requests', 429, 'unavailable'],
  ];
  for (const [what, fault, problem] of faults) {
    it(`reports ${what} as the right kind of error`, async () => {
      for (const method of ['PUT', 'DELETE', 'GET']) peer.failNext(method, fault);
      expect(await problemOf(provider.reserve(order()))).to.equal(problem);
      expect(await problemOf(provider.release(order()))).to.equal(problem);
      expect(await problemOf(offersOf(provider))).to.equal(problem);
      expect(await problemOf(offersOf(provider)), 'afterwards').to.equal(null);
    });
  }

  it('is unavailable if nothing listens, and times out if it does not answer', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const impatient = new HttpNumberProvider({ url, secret: SECRET, timeoutMs: 100 });
    expect(await problemOf(impatient.reserve(order()))).to.equal('indeterminate');
    await impatient.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
    await once(silent, 'close');
    const unreachable = new HttpNumberProvider({ url, secret: SECRET, timeoutMs: 5_000 });
    expect(await problemOf(unreachable.reserve(order()))).to.equal('unavailable');
    await unreachable.close();
  });

  it('rejects a wrong secret', async () => {
    const stranger = new HttpNumberProvider({ url: peer.url, secret: 'another secret', timeoutMs: 5_000 });
    expect(await problemOf(stranger.reserve(order()))).to.equal('refused');
    expect(peer.orders.size).to.equal(0);
    await stranger.close();
  });
});

describe('orders with a provider', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let peer: NumberPeer;
  let stage: NumberStage;
  let api: TestApi;
  let key: string;
  const wanted = NUMBERS[0]!;

  beforeEach(async () => {
    database = await testDatabase();
    peer = await NumberPeer.start(SECRET, NUMBERS);
    stage = numberStage(database.url, { NUMBER_PROVIDER_URL: `${peer.url}/`, NUMBER_PROVIDER_SECRET: SECRET });
    api = await testApi({ db: database.db, routes: stage.routes });
    ({ key } = await api.key());
  });
  afterEach(async () => {
    await api.close();
    await stage.close();
    await peer.close();
    await database.close();
    expect(api.faults).to.deep.equal([]);
  });

  const order = (json: object = { number: wanted }, as = key): Promise<Answer> =>
    api.request('POST', '/v1/numbers', { key: as, json });
  const codeOf = async (answer: Promise<Answer>): Promise<string> => {
    const { status, body } = await answer;
    return `${status} ${String(body?.error_code)}`;
  };
  const rowOf = (e164 = wanted) => stage.stores.inventory.find(e164);

  it('assign its number, and return it after the quarantine', async () => {
    const shown = await api.request('GET', '/v1/numbers/available?pattern=*3000', { key });
    expect(shown.body?.data).to.deep.equal([{ e164: wanted, type: 'geographic' }]);
    const placed = await order();
    expect(placed.status, placed.text).to.equal(201);
    expect(placed.body).to.deep.include({ e164: wanted, source: 'provider', status: 'assigned' });
    expect(peer.holdersOf(wanted)).to.deep.equal([(await rowOf())?.order_id]);
    expect((await order({ prefix: '+966115553' })).body).to.deep.include({ e164: NUMBERS[1] });
    await api.request('DELETE', `/v1/numbers/${String(placed.body?.id)}`, { key });
    stage.pass(29);
    await stage.sweep.run();
    expect(peer.holdersOf(wanted)).to.have.length(1);
    stage.pass(2);
    // The first attempt fails.
    peer.failNext('DELETE', 500);
    await stage.sweep.run();
    expect(await rowOf()).to.deep.include({ state: 'quarantined' });
    stage.pass(1);
    await stage.sweep.run();
    expect(await rowOf()).to.deep.include({ state: 'released', order_id: null, project_id: null });
    expect(peer.holdersOf(wanted)).to.deep.equal([]);
    // The number can be ordered again.
    expect((await order()).status).to.equal(201);
  });

  it('are made once for fifty concurrent requests for the same number', async () => {
    const keys = await Promise.all(Array.from({ length: 50 }, async () => (await api.key()).key));
    const answers = await Promise.all(keys.map((one) => order({ number: wanted }, one)));
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    const codes = new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body?.error_code));
    expect([...codes].every((code) => code === 'NUMBER_NOT_AVAILABLE' || code === 'NUMBER_ALREADY_ASSIGNED')).to.equal(
      true,
    );
    expect(peer.asked).to.deep.equal([`PUT ${wanted}`]);
  });

  it('leave nothing behind if the provider rejects them', async () => {
    peer.failNext('PUT', 422);
    expect(await codeOf(order())).to.equal('502 NUMBER_PROVIDER_ERROR');
    expect(await rowOf()).to.deep.include({ state: 'released', project_id: null });
    // Another customer of the provider has it, but the provider still lists it.
    peer.orders.set(newId(), { number: NUMBERS[1]!, status: 'reserved' });
    expect(await codeOf(order({ number: NUMBERS[1] }))).to.equal('409 NUMBER_NOT_AVAILABLE');
    expect((await order()).status).to.equal(201);
  });

  it('whose response was lost are found by a retry, and made once', async () => {
    peer.failNext('PUT', 'lost_answer');
    expect(await codeOf(order())).to.equal('502 NUMBER_PROVIDER_ERROR');
    expect(await rowOf()).to.deep.include({ state: 'reserved' });
    expect((await api.request('GET', '/v1/numbers', { key })).body?.data).to.deep.equal([]);
    const { key: other } = await api.key();
    expect(await codeOf(order({ number: wanted }, other))).to.equal('409 NUMBER_NOT_AVAILABLE');
    const again = await order();
    expect(again.status, again.text).to.equal(201);
    expect(peer.holdersOf(wanted)).to.have.length(1);
    await stage.sweep.run();
    expect(await rowOf()).to.deep.include({ state: 'assigned' });
  });

  it('whose response was lost are cancelled if the client does not retry', async () => {
    peer.failNext('PUT', 'lost_answer');
    expect(await codeOf(order())).to.equal('502 NUMBER_PROVIDER_ERROR');
    expect(peer.holdersOf(wanted)).to.have.length(1);
    peer.failNext('DELETE', 'lost_answer');
    await stage.sweep.run();
    expect(await rowOf()).to.deep.include({ state: 'reserved' });
    stage.pass(1);
    await stage.sweep.run();
    expect(peer.holdersOf(wanted)).to.deep.equal([]);
    expect(await rowOf()).to.deep.include({ state: 'released', project_id: null });
  });

  it('report that the provider cannot be reached', async () => {
    for (let tries = 0; tries < 4; tries += 1) peer.failNext('GET', 503);
    expect(await codeOf(api.request('GET', '/v1/numbers/available', { key }))).to.equal('502 NUMBER_PROVIDER_ERROR');
    expect(await codeOf(order())).to.equal('502 NUMBER_PROVIDER_ERROR');
    expect(await codeOf(order({ prefix: '011' }))).to.equal('502 NUMBER_PROVIDER_ERROR');
  });
});
