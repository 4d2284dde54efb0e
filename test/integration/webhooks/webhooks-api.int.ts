import { expect } from 'chai';
import { BullJobs } from '../../../adapters/jobs/bullmq.js';
import { webhookDeliveryRoutes } from '../../../api/routes/webhooks/webhook-deliveries.js';
import { webhookRoutes } from '../../../api/routes/webhooks/webhooks.js';
import { DeliveryLog } from '../../../core/services/webhooks/delivery-log.js';
import { testApi } from '../../support/api.js';
import { withWebhookApi, type WebhookApi } from '../../support/stages/webhook-api-stage.js';

describe('webhook routes', function () {
  this.timeout(30_000);
  let stage: WebhookApi['stage'];
  let api: WebhookApi['api'];
  let receiver: WebhookApi['receiver'];
  let live: string;
  let ask: WebhookApi['ask'];
  let create: WebhookApi['endpoint'];
  withWebhookApi((made) => ({ stage, api, receiver, live, ask, endpoint: create } = made));

  let reader: string;
  before(async () => {
    reader = (await api.key({ projectId: stage.ground.projectId, scopes: ['webhooks:read'] })).key;
  });

  it('create, show, change, list and delete an endpoint', async () => {
    const made = await ask('POST', '/v1/webhooks', {
      url: receiver.url('/hook'),
      events: ['call.*', 'number.assigned'],
      description: ' mine ',
    });
    expect(made.status).to.equal(201);
    const { secret, ...endpoint } = made.body as { secret: string; id: string };
    expect(secret).to.match(/^whsec_/);
    expect(endpoint).to.deep.include({
      url: receiver.url('/hook'),
      events: ['call.*', 'number.assigned'],
      description: 'mine',
      status: 'enabled',
      disabled_reason: null,
      failing_since: null,
    });
    expect((await ask('GET', `/v1/webhooks/${endpoint.id}`)).body).to.deep.equal(endpoint);
    const list = await ask('GET', '/v1/webhooks');
    expect(list.body).to.deep.equal({ data: [endpoint], next_cursor: null, limit: 20 });
    const changed = await ask('PATCH', `/v1/webhooks/${endpoint.id}`, { status: 'disabled', description: null });
    expect(changed.body).to.include({ status: 'disabled', disabled_reason: 'requested', description: null });
    expect((await ask('PATCH', `/v1/webhooks/${endpoint.id}`, { status: 'enabled' })).body).to.include({
      status: 'enabled',
      disabled_reason: null,
    });
    expect((await ask('DELETE', `/v1/webhooks/${endpoint.id}`)).status).to.equal(204);
    expect((await ask('GET', `/v1/webhooks/${endpoint.id}`)).body).to.include({ error_code: 'WEBHOOK_NOT_FOUND' });
  });

  it('page endpoints', async () => {
    const made = [await create('/1'), await create('/2'), await create('/3')];
    const first = await ask('GET', '/v1/webhooks?limit=2');
    const next = await ask('GET', `/v1/webhooks?limit=2&cursor=${String(first.body?.next_cursor)}`);
    const ids = [first, next].flatMap(({ body }) => (body?.data as { id: string }[]).map(({ id }) => id));
    expect(ids).to.deep.equal(made.map(({ id }) => id));
    expect(next.body?.next_cursor).to.equal(null);
  });

  it('report the errors of an invalid endpoint', async () => {
    const wrong: [object, string][] = [
      [{ url: 'https://10.0.0.1/', events: ['*'] }, 'WEBHOOK_URL_INVALID'],
      [{ url: 'http://example.com/', events: ['*'] }, 'WEBHOOK_URL_INVALID'],
      [{ url: receiver.url(), events: [] }, 'VALIDATION_ERROR'],
      [{ url: receiver.url(), events: ['call.nothing'] }, 'VALIDATION_ERROR'],
      [{ url: receiver.url() }, 'VALIDATION_ERROR'],
      [{ url: receiver.url(), events: ['*'], secret: 'x' }, 'VALIDATION_ERROR'],
    ];
    for (const [body, code] of wrong) {
      const answer = await ask('POST', '/v1/webhooks', body);
      expect([answer.status, answer.body?.error_code], JSON.stringify(body)).to.deep.equal([400, code]);
      expect(answer.body?.message_ar).to.match(/[\u0600-\u06ff]/);
    }
    const { challenge } = receiver;
    receiver.challenge = () => 200;
    expect((await ask('POST', '/v1/webhooks', { url: receiver.url(), events: ['*'] })).body).to.include({
      error_code: 'WEBHOOK_VERIFICATION_FAILED',
    });
    receiver.challenge = () => 'drop';
    expect((await ask('POST', '/v1/webhooks', { url: receiver.url(), events: ['*'] })).body).to.include({
      error_code: 'WEBHOOK_UNREACHABLE',
    });
    receiver.challenge = challenge;
    for (const path of ['/1', '/2', '/3', '/4', '/5']) await create(path);
    expect((await ask('POST', '/v1/webhooks', { url: receiver.url('/5'), events: ['*'] })).body).to.include({
      error_code: 'WEBHOOK_URL_DUPLICATE',
    });
    expect((await ask('POST', '/v1/webhooks', { url: receiver.url('/6'), events: ['*'] })).body).to.include({
      error_code: 'WEBHOOK_LIMIT_EXCEEDED',
    });
  });

  it('require their scopes', async () => {
    const { id } = await create();
    expect((await ask('GET', `/v1/webhooks/${id}`, undefined, { key: reader })).status).to.equal(200);
    for (const [method, path, json] of [
      ['POST', '/v1/webhooks', { url: receiver.url('/x'), events: ['*'] }],
      ['PATCH', `/v1/webhooks/${id}`, { description: 'x' }],
      ['DELETE', `/v1/webhooks/${id}`, undefined],
      ['POST', `/v1/webhooks/${id}/test`, {}],
      ['POST', `/v1/webhooks/${id}/rotate-secret`, {}],
      ['POST', `/v1/webhooks/${id}/replay`, { from: '2026-01-01T00:00:00Z' }],
    ] as const) {
      const answer = await ask(method, path, json, { key: reader });
      expect([answer.status, answer.body?.error_code], path).to.deep.equal([403, 'INSUFFICIENT_PERMISSIONS']);
    }
    const calls = (await api.key({ projectId: stage.ground.projectId, scopes: ['calls:read'] })).key;
    for (const path of ['/v1/webhooks', '/v1/webhooks/secret', '/v1/events', '/v1/events/stream']) {
      expect((await ask('GET', path, undefined, { key: calls })).status, path).to.equal(403);
    }
  });

  it('return the secret once, not to a repeated request, and rotate it', async () => {
    const body = { url: receiver.url(), events: ['*'] };
    const options = { headers: { 'Idempotency-Key': 'one' } };
    const first = await ask('POST', '/v1/webhooks', body, options);
    const again = await ask('POST', '/v1/webhooks', body, options);
    expect(again.body).to.deep.equal({ ...first.body, secret: null });
    const rotated = await ask('POST', `/v1/webhooks/${String(first.body?.id)}/rotate-secret`, {});
    expect(rotated.status).to.equal(200);
    expect(rotated.body?.secret)
      .to.match(/^whsec_/)
      .and.to.not.equal(first.body?.secret);
    expect((await ask('GET', '/v1/webhooks/secret')).body).to.deep.equal({ secret: stage.projectSecret });
    const log = api.log.join('');
    for (const secret of [first.body?.secret, rotated.body?.secret, stage.projectSecret]) {
      expect(log).to.not.contain(String(secret));
    }
  });

  it('test, list deliveries, redeliver and replay', async () => {
    const { id } = await create();
    const tested = await ask('POST', `/v1/webhooks/${id}/test`, {});
    expect(tested.body).to.include({ delivered: true, status_code: 200, error: null });
    receiver.script = () => 500;
    const call = await stage.commitCall(['initiated', 'missed']);
    await stage.pass();
    const page = await ask('GET', `/v1/webhooks/${id}/deliveries?limit=1`);
    const [newest] = page.body?.data as Record<string, unknown>[];
    expect(newest).to.include({ type: 'call.missed', call_id: call.id, sequence: 2, status: 'pending' });
    expect(newest?.attempts).to.deep.equal([]);
    const rest = await ask('GET', `/v1/webhooks/${id}/deliveries?cursor=${String(page.body?.next_cursor)}`);
    const [failed] = rest.body?.data as Record<string, unknown>[];
    expect(failed).to.include({ type: 'call.initiated', status: 'pending', last_error: 'http_500' });
    expect((failed?.attempts as object[])[0]).to.include({ status_code: 500, error: 'http_500' });
    receiver.script = () => 204;
    const path = `/v1/webhooks/${id}/deliveries/${String(failed?.id)}/redeliver`;
    const redelivered = await ask('POST', path, {});
    expect([redelivered.status, redelivered.body?.id]).to.deep.equal([202, failed?.id]);
    await stage.deliverer.idle();
    expect(receiver.accepted().map(({ type }) => type)).to.deep.equal(['call.initiated', 'call.missed']);
    const other = (await create('/other')).id;
    expect((await ask('POST', path.replace(id, other), {})).body).to.include({ error_code: 'WEBHOOK_NOT_FOUND' });
    while (!(await stage.jobs.available())) await new Promise((resolve) => setImmediate(resolve));
    const from = new Date(Date.now() - 60_000).toISOString();
    const replayed = await ask('POST', `/v1/webhooks/${other}/replay`, { from, events: ['call.missed'] });
    expect([replayed.status, replayed.body]).to.deep.equal([202, { revived: 0, added: 1, complete: true }]);
    await stage.deliverer.idle();
    expect(receiver.accepted().filter(({ path: at }) => at === '/other')).to.have.lengthOf(0);
    expect(receiver.events('/other').map(({ type }) => type)).to.deep.equal(['call.missed']);
    const backwards = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    expect((await ask('POST', `/v1/webhooks/${other}/replay`, backwards)).status).to.equal(400);
    await ask('PATCH', `/v1/webhooks/${id}`, { status: 'disabled' });
    for (const at of [path, `/v1/webhooks/${id}/replay`]) {
      const answer = await ask('POST', at, at === path ? {} : { from });
      expect(answer.body, at).to.include({ error_code: 'VALIDATION_ERROR' });
    }
  });

  it('reject a replay while the feature is disabled', async () => {
    const { projectId } = await api.owner({ dlq_replay: false });
    const { key } = await api.key({ projectId });
    const made = await ask('POST', '/v1/webhooks', { url: receiver.url(), events: ['*'] }, { key });
    const path = `/v1/webhooks/${String(made.body?.id)}/replay`;
    const answer = await ask('POST', path, { from: '2026-01-01T00:00:00Z' }, { key });
    expect([answer.status, answer.body?.error_code]).to.deep.equal([503, 'DLQ_REPLAY_DISABLED']);
  });

  it('reject a replay while Redis is unavailable', async () => {
    const { id } = await create();
    const { clock, cipher, endpoints, log } = stage;
    const { db } = stage.database;
    // Nothing listens on this port.
    const jobs = new BullJobs({ redisUrl: 'redis://127.0.0.1:1', log });
    const deliveries = new DeliveryLog({ db, jobs, clock, wake: () => undefined });
    const withoutRedis = await testApi({
      db,
      routes: [...webhookRoutes({ endpoints, cipher }), ...webhookDeliveryRoutes(deliveries)],
      cipher,
    });
    const json = { from: '2026-01-01T00:00:00Z' };
    const answer = await withoutRedis.request('POST', `/v1/webhooks/${id}/replay`, { key: live, json });
    await withoutRedis.close();
    await jobs.close();
    expect([answer.status, answer.body?.error_code]).to.deep.equal([503, 'DLQ_REPLAY_BROKER_UNAVAILABLE']);
  });
});
