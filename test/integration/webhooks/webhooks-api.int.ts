import { expect } from 'chai';

import { BullJobs } from '../../../adapters/jobs/bullmq.js';
import { eventRoutes } from '../../../api/routes/webhooks/events.js';
import { webhookDeliveryRoutes } from '../../../api/routes/webhooks/webhook-deliveries.js';
import { webhookRoutes } from '../../../api/routes/webhooks/webhooks.js';
import { systemClock } from '../../../core/ports/clock.js';
import { EventFeed } from '../../../core/services/events/feed.js';
import { EventLog } from '../../../core/services/events/list.js';
import { DeliveryLog } from '../../../core/services/webhooks/delivery-log.js';
import { eventually } from '../../support/eventually.js';
import { callRow, effectOf } from '../../support/rows/rows.js';
import { testApi, type Answer, type RequestOptions, type TestApi } from '../../support/api.js';
import { WebhookReceiver } from '../../support/peers/receiver.js';
import { callEvent, WebhookStage } from '../../support/stages/webhook-stage.js';

interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

/** Reads server-sent events from a response as they arrive. */
async function* readStream(response: Response): AsyncGenerator<Message> {
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString('utf8');
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (data !== undefined) {
        yield { id: field('id') ?? '', event: field('event') ?? '', data: JSON.parse(data) as Message['data'] };
      }
    }
  }
}

describe('webhook and event routes', function () {
  this.timeout(30_000);
  let stage: WebhookStage;
  let receiver: WebhookReceiver;
  let api: TestApi;
  let feed: EventFeed;
  let live: string;
  let sandbox: string;
  let reader: string;

  before(async () => {
    stage = await WebhookStage.start();
    const { db } = stage.database;
    feed = new EventFeed({ db, clock: systemClock, log: stage.log });
    stage.writer.onEvents((projectIds) => feed.signal(projectIds));
    const routes = [
      ...webhookRoutes({ endpoints: stage.endpoints, cipher: stage.cipher }),
      ...webhookDeliveryRoutes(stage.deliveries),
      ...eventRoutes({ log: new EventLog(db), feed, streamsPerKey: 3 }),
    ];
    api = await testApi({ db, routes, cipher: stage.cipher });
    const projectId = stage.ground.projectId;
    live = (await api.key({ projectId })).key;
    sandbox = (await api.key({ projectId, kind: 'sandbox' })).key;
    reader = (await api.key({ projectId, scopes: ['webhooks:read'] })).key;
    receiver = await WebhookReceiver.start();
  });
  after(async () => {
    await receiver.close();
    await api.close();
    await stage.close();
  });
  afterEach(async () => {
    expect(api.faults).to.deep.equal([]);
    await stage.deliverer.idle();
    await stage.reset();
    receiver.requests.length = 0;
    receiver.script = () => 204;
  });

  const ask = (method: string, path: string, json?: object, options: RequestOptions = {}): Promise<Answer> =>
    api.request(method, path, { key: live, ...(json && { json }), ...options });

  async function create(path = '/hook'): Promise<{ id: string; secret: string }> {
    const made = await ask('POST', '/v1/webhooks', { url: receiver.url(path), events: ['*'] });
    expect(made.status, made.text).to.equal(201);
    return made.body as { id: string; secret: string };
  }

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

  it('list events newest first, with filters, and only sandbox events to a sandbox key', async () => {
    const call = await stage.commitCall(['initiated', 'ringing', 'answered', 'ended']);
    const simulated = await stage.commitCall(['initiated', 'missed'], { sandbox: true });
    const types = async (query: string, key = live): Promise<unknown[]> => {
      const answer = await ask('GET', `/v1/events${query}`, undefined, { key });
      expect(answer.status, answer.text).to.equal(200);
      return (answer.body?.data as { type: string }[]).map(({ type }) => type);
    };
    expect(await types('')).to.deep.equal([
      'call.missed',
      'call.initiated',
      'call.ended',
      'call.answered',
      'call.ringing',
      'call.initiated',
    ]);
    expect(await types('?type=call.initiated')).to.have.lengthOf(2);
    expect(await types('?type=call.*')).to.have.lengthOf(6);
    expect(await types(`?call_id=${call.id}`)).to.have.lengthOf(4);
    expect(await types('?type=nothing')).to.deep.equal([]);
    expect(await types('?call_id=nothing')).to.deep.equal([]);
    expect(await types('', sandbox)).to.deep.equal(['call.missed', 'call.initiated']);
    const first = await ask('GET', '/v1/events?limit=4');
    const next = await ask('GET', `/v1/events?cursor=${String(first.body?.next_cursor)}`);
    expect(next.body?.data).to.have.lengthOf(2);
    const [event] = first.body?.data as Record<string, unknown>[];
    expect(event).to.deep.include({ type: 'call.missed', call_id: simulated.id, sequence: 2, sandbox: true });
    const other = (await api.key()).key;
    expect(await types('', other)).to.deep.equal([]);
  });

  describe('the event stream', () => {
    async function open(query = '', key = live, headers: Record<string, string> = {}) {
      const stop = new AbortController();
      const response = await fetch(`${api.url}/v1/events/stream${query}`, {
        headers: { Authorization: `Bearer ${key}`, ...headers },
        signal: stop.signal,
      });
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-type')).to.match(/^text\/event-stream/);
      const messages = readStream(response);
      return {
        async take(count: number): Promise<Message[]> {
          const taken: Message[] = [];
          while (taken.length < count) {
            const next = await messages.next();
            if (next.done === true) throw new Error('the stream ended');
            taken.push(next.value);
          }
          return taken;
        },
        close: () => stop.abort(),
      };
    }

    it('sends events committed after it was opened, in the format of webhooks', async () => {
      const { id } = await create();
      await stage.commitCall(['initiated', 'missed']);
      const stream = await open();
      const call = await stage.commitCall(['initiated', 'ringing', 'answered', 'ended']);
      const messages = await stream.take(4);
      stream.close();
      expect(messages.map(({ event }) => event)).to.deep.equal([
        'call.initiated',
        'call.ringing',
        'call.answered',
        'call.ended',
      ]);
      await stage.pass();
      const sent = receiver.accepted().filter(({ data }) => data.call_id === call.id);
      expect(messages.map((message) => message.id)).to.deep.equal(sent.map((request) => request.id));
      for (const [index, { data }] of messages.entries()) {
        expect(data).to.deep.equal(JSON.parse(sent[index]!.body));
      }
      expect((await stage.rows(id)).length).to.equal(6);
    });

    it('resumes after Last-Event-ID or `after`, with filters', async () => {
      const call = await stage.commitCall(['initiated', 'ringing', 'answered', 'ended']);
      const other = await stage.commitCall(['initiated', 'missed'], { sandbox: true });
      const all = (await ask('GET', '/v1/events')).body?.data as { id: string; type: string }[];
      const oldest = all.at(-1)!.id;
      const types = async (stream: Awaited<ReturnType<typeof open>>, count: number) => {
        const taken = await stream.take(count);
        stream.close();
        return taken.map(({ event }) => event.replace('call.', ''));
      };
      const header = { 'Last-Event-ID': oldest };
      const rest = ['ringing', 'answered', 'ended', 'initiated', 'missed'];
      expect(await types(await open('', live, header), 5)).to.deep.equal(rest);
      expect(await types(await open(`?after=${oldest}`), 5)).to.deep.equal(rest);
      expect(await types(await open(`?after=${oldest}&type=call.ended`), 1)).to.deep.equal(['ended']);
      expect(await types(await open(`?after=${oldest}&call_id=${other.id}`), 2)).to.deep.equal(['initiated', 'missed']);
      expect(await types(await open(`?after=${oldest}`, sandbox), 2)).to.deep.equal(['initiated', 'missed']);
      expect(call.id).to.not.equal(other.id);
    });

    it('sends late commits once, and keeps the order of a call', async () => {
      const started = callRow(stage.ground, { last_sequence: 1 });
      const event = callEvent(started);
      // Its id is lower than that of the event sent first.
      const earlier = await stage.commitCall(['initiated']);
      const stream = await open(`?after=${event.id}`);
      expect((await stream.take(1))[0]?.data.data.call_id).to.equal(earlier.id);
      await stage.writer.commit(effectOf(started, { events: [{ ...event, id: previousOf(event.id) }] }));
      const ringing = { ...started, status: 'ringing' as const, last_sequence: 2 };
      await stage.writer.commit(effectOf(ringing, { events: [callEvent(ringing)] }));
      feed.signal([stage.ground.projectId]);
      const late = await stream.take(2);
      stream.close();
      expect(late.map(({ data }) => [data.data.call_id, data.data.sequence])).to.deep.equal([
        [started.id, 1],
        [started.id, 2],
      ]);
    });

    it('answers 429 to one stream too many of a key, until one is closed', async () => {
      const { key: own } = await api.key({ projectId: stage.ground.projectId });
      const refused = () => ask('GET', '/v1/events/stream', undefined, { key: own });
      const streams = [await open('', own), await open('', own), await open('', own)];
      const answer = await refused();
      expect([answer.status, answer.body?.error_code]).to.deep.equal([429, 'EVENT_STREAM_LIMIT_EXCEEDED']);
      expect(answer.headers.get('retry-after')).to.equal('5');
      const { key: other } = await api.key({ projectId: stage.ground.projectId });
      (await open('', other)).close();
      streams.pop()?.close();
      const reopened = await eventually(async () => open('', own).catch(() => null), 'a stream to be free');
      for (const stream of [...streams, reopened]) stream.close();
    });

    it('ends when the server drains', async () => {
      const stream = await open();
      const taken = stream.take(1).then(
        () => 'an event',
        (error: unknown) => (error as Error).message,
      );
      await api.server.close(0);
      expect(await taken).to.equal('the stream ended');
    });
  });
});

/** Returns the next lower id. */
function previousOf(id: string): string {
  return id.replace(/[1-9a-f](?=0*$)/, (digit) => (parseInt(digit, 16) - 1).toString(16));
}
