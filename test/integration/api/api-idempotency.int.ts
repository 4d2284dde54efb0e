import { expect } from 'chai';
import { Cipher } from '../../../core/model/access/cipher.js';
import type { HatifError } from '../../../core/model/errors/index.js';
import { newId } from '../../../core/model/ids.js';
import { purgeIdempotencyKeys } from '../../../core/data/repositories/accounts/idempotency.js';
import { Idempotency } from '../../../core/services/access/idempotency.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { eventually } from '../../support/eventually.js';
import { quiet } from '../../support/logger.js';
import { Gate, sampleRoutes } from '../../support/sample-routes.js';

describe('idempotency', () => {
  let database: TestDatabase;
  let api: TestApi;
  let key: string;
  let keyId: string;
  const gate = new Gate();
  const cipher = new Cipher('the same secret in both places, for sure');

  before(async function () {
    this.timeout(60_000);
    database = await testDatabase();
    api = await testApi({ db: database.db, routes: sampleRoutes(gate), cipher });
    const made = await api.key();
    key = made.key;
    keyId = made.view.id;
  });
  after(async () => {
    await api.close();
    await database.close();
  });

  const order = (idempotencyKey: string, json: unknown = { to: '+966501234567' }, as = key, query = '') =>
    api.request('POST', `/v1/orders${query}`, { key: as, json, headers: { 'Idempotency-Key': idempotencyKey } });
  const outcome = ({ status, body, headers }: Answer) => [
    status,
    body?.error_code ?? body?.run,
    headers.get('idempotent-replayed'),
  ];

  it('answers a retry with the first answer and its headers, and does nothing', async () => {
    const id = newId();
    const first = await order(id, { to: '+966501234567', size: 2 });
    const runs = gate.runs;
    // The order of members and the white space do not matter.
    const retry = await api.request('POST', '/v1/orders', {
      key,
      raw: '{ "size": 2, "to": "+966501234567" }',
      headers: { 'Idempotency-Key': id, 'Content-Type': 'application/json' },
    });
    expect(gate.runs).to.equal(runs);
    expect(first.headers.has('idempotent-replayed')).to.equal(false);
    expect(retry.headers.get('idempotent-replayed')).to.equal('true');
    expect(retry.status).to.equal(201);
    expect(retry.headers.get('location')).to.equal('/v1/orders/o-1');
    expect(first.body?.secret).to.equal('whsec_visible_once');
    expect(retry.body).to.deep.equal({ ...first.body, secret: null });
    expect(retry.headers.get('x-request-id')).to.not.equal(first.headers.get('x-request-id'));
  });

  it('stores neither bodies nor secrets', async () => {
    await order(newId(), { to: '+966555555555', metadata: { note: 'a-very-private-note' } });
    const rows = await database.db.query('SELECT * FROM idempotency_keys');
    const kept = JSON.stringify(rows);
    expect(rows).to.not.be.empty;
    expect(kept).to.not.include('a-very-private-note').and.not.include('whsec_visible_once');
  });

  it('runs one of two concurrent requests and rejects the other', async () => {
    const id = newId();
    gate.held = true;
    const { runs } = gate;
    const entered = gate.entered();
    const both = [order(id), order(id)];
    await entered;
    const refused = await Promise.race(both);
    expect(outcome(refused)).to.deep.equal([409, 'IDEMPOTENCY_KEY_CONFLICT', null]);
    expect(refused.body?.message).to.include('still running');
    gate.open();
    const answers = await Promise.all(both);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    expect(gate.runs).to.equal(runs + 1);
    expect(outcome(await order(id))).to.deep.equal([201, gate.runs, 'true']);
  });

  it('runs only one of many concurrent requests', async () => {
    const id = newId();
    const { runs } = gate;
    const answers = await Promise.all(Array.from({ length: 12 }, () => order(id)));
    expect(gate.runs).to.equal(runs + 1);
    expect(answers.every(({ status }) => status === 201 || status === 409)).to.equal(true);
    expect(
      answers.filter(({ status, headers }) => status === 201 && !headers.has('idempotent-replayed')),
    ).to.have.lengthOf(1);
  });

  it('rejects a different body under the same key, even an invalid one', async () => {
    const id = newId();
    expect((await order(id)).status).to.equal(201);
    expect(outcome(await order(id, { to: '+966501234568' }))).to.deep.equal([409, 'IDEMPOTENCY_KEY_CONFLICT', null]);
    expect(outcome(await order(id, { nonsense: true }))).to.deep.equal([409, 'IDEMPOTENCY_KEY_CONFLICT', null]);
    expect(outcome(await order(id, { to: '+966501234567' }, key, '?x=1'))).to.deep.equal([
      409,
      'IDEMPOTENCY_KEY_CONFLICT',
      null,
    ]);
  });

  it('stores the answer to an invalid request', async () => {
    const id = newId();
    expect(outcome(await order(id, { to: 'x' }))).to.deep.equal([400, 'INVALID_PHONE_NUMBER', null]);
    expect(outcome(await order(id, { to: 'x' }))).to.deep.equal([400, 'INVALID_PHONE_NUMBER', 'true']);
  });

  it('does not store 5xx answers: the retry runs', async () => {
    const id = newId();
    const { runs } = gate;
    for (const attempt of [1, 2]) {
      expect(outcome(await order(id, { to: '+966501234567', size: 9 }))).to.deep.equal([502, 'CALL_FAILED', null]);
      expect(gate.runs).to.equal(runs + attempt);
    }
  });

  it('does not store 403 answers', async () => {
    const { projectId } = await api.owner();
    const { key: reader } = await api.key({ projectId, scopes: ['usage:read'] });
    const id = newId();
    expect(outcome(await order(id, { to: '+966501234567' }, reader))).to.deep.equal([
      403,
      'INSUFFICIENT_PERMISSIONS',
      null,
    ]);
    const rows = await database.db.query('SELECT 1 FROM idempotency_keys WHERE idempotency_key = $1', [id]);
    expect(rows).to.be.empty;
  });

  it('is separate for each API key and path', async () => {
    const id = newId();
    const { key: other } = await api.key();
    expect((await order(id)).headers.has('idempotent-replayed')).to.equal(false);
    expect((await order(id, undefined, other)).headers.has('idempotent-replayed')).to.equal(false);
    const headers = { 'Idempotency-Key': id };
    for (const path of ['/v1/orders/1/hurry', '/v1/orders/2/hurry']) {
      const answer = await api.request('POST', path, { key: other, headers });
      expect([answer.status, answer.headers.get('idempotent-replayed')], path).to.deep.equal([200, null]);
    }
    const { key: third } = await api.key();
    await api.request('POST', '/v1/orders/3/hurry', { key: third, headers });
    const slash = await api.request('POST', '/v1/orders/3/hurry/', { key: third, headers });
    expect(slash.headers.get('idempotent-replayed')).to.equal('true');
  });

  it('compares the file of a form, regardless of its boundary', async () => {
    const headers = { 'Idempotency-Key': newId() };
    const send = (fill: number) => {
      const data = new FormData();
      data.set('file', new Blob([Buffer.alloc(10, fill)]), 'a.wav');
      return api.request('POST', '/v1/order-audio', { key, raw: data, headers });
    };
    expect((await send(1)).status).to.equal(201);
    expect((await send(1)).headers.get('idempotent-replayed')).to.equal('true');
    expect((await send(2)).body?.error_code).to.equal('IDEMPOTENCY_KEY_CONFLICT');
  });

  it('rejects a malformed key', async () => {
    for (const wrong of ['a b', 'ü', 'a'.repeat(256), '', 'a.b']) {
      const answer = await order(wrong);
      expect([answer.status, answer.body?.error_code], wrong).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect((answer.body?.details as { path: string }[])[0]?.path).to.equal('Idempotency-Key');
    }
    expect((await order('a'.repeat(255))).status).to.equal(201);
  });

  it('expires after 24 hours, and is purged then', async () => {
    const id = newId();
    await order(id);
    const [row] = await database.db.query<{ kept: number }>(
      `SELECT extract(epoch FROM expires_at - created_at)::int AS kept FROM idempotency_keys WHERE idempotency_key = $1`,
      [id],
    );
    expect(row?.kept).to.equal(86_400);
    await database.db.query(
      `UPDATE idempotency_keys SET expires_at = now() - interval '1 s' WHERE idempotency_key = $1`,
      [id],
    );
    expect((await order(id)).headers.has('idempotent-replayed')).to.equal(false);
    await database.db.query(
      `UPDATE idempotency_keys SET expires_at = now() - interval '1 s' WHERE idempotency_key = $1`,
      [id],
    );
    expect(await purgeIdempotencyKeys(database.db, new Date())).to.equal(1);
  });

  /** Inserts the row that a process leaves if it dies while it runs the request. */
  const leaveRunning = (id: string, requestId: string, secondsAgo: number, to = '+966501234567') =>
    database.db.query(
      `INSERT INTO idempotency_keys (key_id, method, path, idempotency_key, body_hmac, state, headers, created_at, expires_at)
       VALUES ($1, 'POST', '/v1/orders', $2, $3, 'running', jsonb_build_object('x-request-id', $4::text),
               now() - make_interval(secs => $5), now() + interval '1 day')`,
      [keyId, id, cipher.mac('idempotency', `\n{"to":"${to}"}`), requestId, secondsAgo],
    );

  /** Lets time pass until the claim of the running request is renewed. @returns when that was */
  const renewed = (id: string, clock: VirtualClock): Promise<number> => {
    const since = clock.now();
    return eventually(async () => {
      await clock.advance(30_000);
      const [row] = await database.db.query<{ renewed_at: Date }>(
        'SELECT renewed_at FROM idempotency_keys WHERE idempotency_key = $1 AND renewed_at > $2',
        [id, since],
      );
      return row?.renewed_at.getTime();
    }, 'the renewal of the claim');
  };

  it('finds the result of a request whose process died, and does not create it again', async () => {
    const id = newId();
    await leaveRunning(id, 'died-after-the-effect', 121);
    const { runs } = gate;
    expect(outcome(await order(id))).to.deep.equal([201, 0, null]);
    expect(gate.runs).to.equal(runs);
    expect(outcome(await order(id))).to.deep.equal([201, 0, 'true']);
  });

  it('reruns a request whose process died before it did anything', async () => {
    const id = newId();
    await leaveRunning(id, 'died-before', 121);
    const { runs } = gate;
    expect(outcome(await order(id))).to.deep.equal([201, runs + 1, null]);
  });

  it('lets only one retry take over, and none too early', async () => {
    const early = newId();
    await leaveRunning(early, 'died-before', 60);
    expect(outcome(await order(early))).to.deep.equal([409, 'IDEMPOTENCY_KEY_CONFLICT', null]);
    const id = newId();
    await leaveRunning(id, 'died-before', 121);
    const { runs } = gate;
    await Promise.all(Array.from({ length: 6 }, () => order(id)));
    expect(gate.runs).to.equal(runs + 1);
  });

  it('never takes over a request that still runs, however long it takes', async () => {
    const clock = new VirtualClock(new Date());
    const slow = await testApi({ db: database.db, routes: sampleRoutes(gate), cipher, clock });
    const id = newId();
    const send = () =>
      slow.request('POST', '/v1/orders', { key, json: { to: '+966501234567' }, headers: { 'Idempotency-Key': id } });
    const { runs } = gate;
    try {
      gate.held = true;
      const entered = gate.entered();
      const first = send();
      await entered;
      for (let renewals = 0; renewals < 10; renewals += 1) await renewed(id, clock);
      expect(outcome(await send())).to.deep.equal([409, 'IDEMPOTENCY_KEY_CONFLICT', null]);
      gate.open();
      expect(outcome(await first)).to.deep.equal([201, runs + 1, null]);
      expect(outcome(await send())).to.deep.equal([201, runs + 1, 'true']);
    } finally {
      gate.open();
      await slow.close();
    }
  });

  it('takes over a request that is no longer renewed', async () => {
    const clock = new VirtualClock(new Date());
    const service = new Idempotency({ db: database.db, cipher, clock, logger: quiet });
    const request = { keyId, method: 'POST', path: '/v1/orders', idempotencyKey: newId(), fingerprint: 'the same' };
    const first = await service.begin({ ...request, requestId: 'first' });
    if (first.action !== 'run') throw new Error('the key is new');
    await service.running(first.claim, () => renewed(request.idempotencyKey, clock));
    // One more renewal may have been under way when the request ended.
    const [row] = await database.db.query<{ renewed_at: Date }>(
      'SELECT renewed_at FROM idempotency_keys WHERE idempotency_key = $1',
      [request.idempotencyKey],
    );
    const retry = async (): Promise<string> => {
      try {
        const decision = await service.begin({ ...request, requestId: 'retry' });
        return 'abandoned' in decision ? `after ${decision.abandoned?.requestId ?? 'nothing'}` : decision.action;
      } catch (error) {
        return (error as HatifError).code;
      }
    };
    await clock.advance(row!.renewed_at.getTime() + 119_000 - clock.now().getTime());
    expect(await retry()).to.equal('IDEMPOTENCY_KEY_CONFLICT');
    await clock.advance(1000);
    expect(await retry()).to.equal('after first');
  });

  it('takes over sooner from a process known to be dead, once none of its writes can still arrive', async () => {
    const clock = new VirtualClock(new Date());
    const logger = quiet;
    const options = { db: database.db, cipher, clock, logger };
    const alive = new Set(['one', 'two']);
    const isDead = (name: string): boolean => !alive.has(name);
    const one = new Idempotency({ ...options, processes: { own: 'one', isDead } });
    const two = new Idempotency({ ...options, processes: { own: 'two', isDead } });
    const fingerprint = 'the same';
    const request = { keyId, method: 'POST', path: '/v1/orders', idempotencyKey: newId(), fingerprint };
    const retry = async (): Promise<string> => {
      try {
        const { action, ...rest } = await two.begin({ ...request, requestId: 'retry' });
        return 'abandoned' in rest && rest.abandoned ? `${action} after ${rest.abandoned.requestId}` : action;
      } catch (error) {
        return (error as HatifError).code;
      }
    };
    expect(await one.begin({ ...request, requestId: 'first' })).to.include({ action: 'run', abandoned: null });
    await clock.advance(20_000);
    expect(await retry()).to.equal('IDEMPOTENCY_KEY_CONFLICT');
    alive.delete('one');
    expect(await retry()).to.equal('IDEMPOTENCY_KEY_CONFLICT');
    await clock.advance(10_000);
    expect(await retry()).to.equal('run after first');
    expect(await retry()).to.equal('IDEMPOTENCY_KEY_CONFLICT');
  });
});
