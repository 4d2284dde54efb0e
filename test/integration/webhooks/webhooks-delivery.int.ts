import { expect } from 'chai';

import type { CallStatus } from '../../../core/model/call/call.js';
import { RETRY_DELAYS_MS } from '../../../core/services/webhooks/retry.js';
import { WebhookReceiver } from '../../support/peers/receiver.js';
import { callEvent, deliveryEach, WebhookStage } from '../../support/stages/webhook-stage.js';
import { effectOf } from '../../support/rows/rows.js';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const LIFE: readonly CallStatus[] = ['initiated', 'ringing', 'answered', 'ended'];

describe('webhook delivery', function () {
  this.timeout(30_000);
  let stage: WebhookStage;
  let receiver: WebhookReceiver;
  let project: WebhookStage['owner'];
  let endpoint: string;

  deliveryEach((...made) => {
    [stage, receiver, endpoint] = made;
    project = stage.owner;
  }, '/hook');

  it('delivers the events of a call signed, in order, each once', async () => {
    const calls = await Promise.all([1, 2, 3].map(() => stage.commitCall(LIFE, { metadata: { order: '42' } })));
    expect(stage.reportedLanes).to.include(endpoint);
    await stage.pass();
    receiver.assertSound();
    expect(receiver.events()).to.have.lengthOf(12);
    for (const call of calls) {
      receiver.assertLegalPath(call.id);
      receiver.assertInOrder(call.id);
    }
    const last = receiver.events().find(({ type }) => type === 'call.ended');
    expect(last?.data).to.deep.include({ status: 'ended', sequence: 4, metadata: { order: '42' } });
    expect(JSON.parse(last!.body)).to.have.all.keys('type', 'timestamp', 'previous_sequence', 'data');
    expect((JSON.parse(last!.body) as { timestamp: string }).timestamp).to.match(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    );
    const rows = await stage.rows(endpoint);
    expect(rows.map(({ status }) => status)).to.deep.equal(Array(12).fill('delivered'));
    expect(rows.map(({ event_id }) => event_id)).to.have.members(receiver.events().map(({ id }) => id));
    expect(stage.observed).to.deep.equal(Array(12).fill('delivered'));
  });

  it('sends an endpoint only the events that it subscribes to', async () => {
    const some = await stage.endpoint(receiver.url('/some'), ['call.ended', 'number.*']);
    receiver.trust();
    await stage.commitCall(LIFE);
    await stage.insertEvents(1, some.endpoint.id);
    await stage.pass();
    expect(receiver.events('/some').map(({ type }) => type)).to.have.members(['call.ended', 'number.assigned']);
    expect(receiver.events('/hook')).to.have.lengthOf(4);
  });

  it('says which event of the call the endpoint got before', async () => {
    await stage.endpoint(receiver.url('/some'), ['call.ringing', 'call.ended']);
    receiver.trust();
    await stage.commitCall(LIFE);
    await stage.pass();
    const sequences = (path: string): unknown[] =>
      receiver.events(path).map(({ body, data }) => {
        const { previous_sequence: previous } = JSON.parse(body) as { previous_sequence: number | null };
        return [previous, data.sequence];
      });
    expect(sequences('/hook')).to.deep.equal([
      [null, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
    expect(sequences('/some')).to.deep.equal([
      [null, 2],
      [2, 4],
    ]);
  });

  it('retries on schedule with the same id and bytes, then keeps a dead letter', async () => {
    receiver.script = () => 500;
    await stage.commitCall(['initiated']);
    await stage.pass();
    const waits: number[] = [];
    for (const delay of RETRY_DELAYS_MS) {
      const [row] = await stage.rows(endpoint);
      expect(row).to.include({ status: 'pending', last_error: 'http_500' });
      waits.push(stage.waitOf(row!));
      // Shortly before that time, nothing is sent.
      const sent = receiver.requests.length;
      await stage.pass(delay - SECOND);
      expect(receiver.requests).to.have.lengthOf(sent);
      await stage.pass(2 * SECOND);
      expect(receiver.requests).to.have.lengthOf(sent + 1);
    }
    expect(receiver.requests).to.have.lengthOf(RETRY_DELAYS_MS.length + 1);
    waits.forEach((wait, index) =>
      expect(wait).to.be.within(RETRY_DELAYS_MS[index]! - SECOND, RETRY_DELAYS_MS[index]! + SECOND),
    );
    expect(new Set(receiver.requests.map(({ id }) => id)).size).to.equal(1);
    expect(new Set(receiver.requests.map(({ timestamp }) => timestamp)).size).to.equal(10);
    receiver.assertSound();
    const [dead] = await stage.rows(endpoint);
    expect(dead).to.include({ status: 'dead', attempts: 10 });
    await stage.pass(48 * HOUR);
    expect(receiver.requests).to.have.lengthOf(10);
    expect(stage.observed.filter((result) => result === 'dead')).to.have.lengthOf(1);
  });

  it('honours Retry-After as a delay, in seconds and as a date, up to a day', async () => {
    let header = '900';
    receiver.script = () => ({ status: 503, headers: { 'Retry-After': header } });
    await stage.commitCall(['initiated']);
    await stage.pass();
    const wait = async (): Promise<number> => stage.waitOf((await stage.rows(endpoint))[0]!);
    expect(await wait()).to.be.within(899 * SECOND, 901 * SECOND);
    header = new Date(stage.clock.now().getTime() + 900 * SECOND + 2 * HOUR).toUTCString();
    await stage.pass(901 * SECOND);
    expect(await wait()).to.be.within(2 * HOUR - 5 * SECOND, 2 * HOUR + 5 * SECOND);
    // Never earlier than the schedule, and never later than a day.
    header = '1';
    await stage.pass(2 * HOUR + 5 * SECOND);
    expect(await wait()).to.be.within(1800 * SECOND - SECOND, 1800 * SECOND + SECOND);
    header = '99999999';
    await stage.pass(1801 * SECOND);
    expect(await wait()).to.be.within(24 * HOUR - SECOND, 24 * HOUR + SECOND);
  });

  it('treats redirects, broken connections and missing responses as failures', async () => {
    const other = await WebhookReceiver.start();
    receiver.script = () => ({ status: 302, headers: { Location: other.url() } });
    await stage.commitCall(['initiated']);
    await stage.pass();
    expect((await stage.rows(endpoint))[0]).to.include({ status: 'pending', last_error: 'redirect_refused' });
    expect(other.requests).to.have.lengthOf(0);
    receiver.script = () => 'drop';
    await stage.pass(6 * SECOND);
    expect((await stage.rows(endpoint))[0]).to.include({ status: 'pending', last_error: 'connection_lost' });
    await receiver.close();
    await stage.pass(301 * SECOND);
    expect((await stage.rows(endpoint))[0]).to.include({ attempts: 3, last_error: 'connection_refused' });
    await other.close();
  });

  it('aborts a request at its timeout', async () => {
    const hurried = await WebhookStage.start({ delivery: { timeoutMs: 150 } });
    const made = await hurried.endpoint(receiver.url('/slow'));
    receiver.trust();
    receiver.script = () => 'hold';
    await hurried.commitCall(['initiated']);
    await hurried.pass();
    expect((await hurried.rows(made.endpoint.id))[0]).to.include({ status: 'pending', last_error: 'timeout' });
    receiver.release();
    await hurried.close();
  });

  it('holds an event back until the previous one was delivered', async () => {
    receiver.script = ({ type }, attempt) => (type === 'call.initiated' && attempt < 3 ? 500 : 204);
    const call = await stage.commitCall(LIFE);
    const other = await stage.commitCall(LIFE.slice(1), { last_sequence: 1 });
    await stage.pass();
    const types = () => receiver.events().filter(({ data }) => data.call_id === call.id);
    expect(types()).to.have.lengthOf(1);
    // Another call does not wait for it.
    expect(receiver.accepted().filter(({ data }) => data.call_id === other.id)).to.have.lengthOf(3);
    // The sweep defers the blocked events, and they are sent as soon as they can be.
    await stage.pass();
    await stage.pass();
    expect(types()).to.have.lengthOf(1);
    await stage.pass(6 * SECOND);
    expect(types()).to.have.lengthOf(2);
    await stage.pass(301 * SECOND);
    expect(types().map(({ type }) => type)).to.deep.equal([
      ...Array<string>(3).fill('call.initiated'),
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
    receiver.assertInOrder(call.id);
    receiver.assertLegalPath(call.id);
  });

  it('continues after three failures while the failed event is still retried', async () => {
    receiver.script = ({ type }, attempt) => (type === 'call.initiated' && attempt <= 4 ? 500 : 204);
    const call = await stage.commitCall(LIFE);
    await stage.pass();
    await stage.pass(6 * SECOND);
    expect(receiver.accepted()).to.have.lengthOf(0);
    await stage.pass(301 * SECOND);
    expect(receiver.accepted().map(({ type }) => type)).to.deep.equal(['call.ringing', 'call.answered', 'call.ended']);
    await stage.pass(HOUR / 2 + SECOND);
    await stage.pass(2 * HOUR + SECOND);
    expect(receiver.accepted().at(-1)?.type).to.equal('call.initiated');
    receiver.assertLegalPath(call.id);
    receiver.assertSound();
  });

  it('disables an endpoint that answers 410, and keeps its pending deliveries for a replay', async () => {
    const from = new Date(0);
    receiver.script = () => 410;
    const call = await stage.commitCall(LIFE);
    await stage.pass();
    expect(receiver.requests).to.have.lengthOf(1);
    expect(await stage.endpoints.get(project, endpoint)).to.include({ status: 'disabled', disabled_reason: 'gone' });
    const rows = await stage.rows(endpoint);
    expect(rows.map(({ status }) => status)).to.deep.equal(Array(4).fill('dead'));
    expect(rows.map(({ last_error }) => last_error)).to.deep.equal([
      'http_410',
      ...Array<string>(3).fill('endpoint_disabled'),
    ]);
    expect(stage.observed).to.deep.equal(['dead', 'disabled:gone']);
    // Nothing is queued for a disabled endpoint.
    const missed = await stage.commitCall(LIFE);
    await stage.pass();
    expect(await stage.rows(endpoint)).to.have.lengthOf(4);
    expect(receiver.requests).to.have.lengthOf(1);
    receiver.script = () => 204;
    await stage.endpoints.update(project, endpoint, { status: 'enabled' });
    await waitForRedis(stage);
    const scope = { ...project, endpointId: endpoint };
    const replayed = await stage.deliveries.replay(scope, { from, to: null, events: null });
    expect(replayed).to.deep.equal({ revived: 4, added: 4, complete: true });
    await stage.deliverer.idle();
    for (const { id } of [call, missed]) {
      receiver.assertLegalPath(id);
      receiver.assertInOrder(id);
    }
    // Delivered events are not sent again.
    expect(await stage.deliveries.replay(scope, { from, to: null, events: null })).to.include({ revived: 0, added: 0 });
  });

  it('disables an endpoint that fails for five days, with new events each day', async () => {
    await stage.endpoint(receiver.url('/other'), ['webhook.*']);
    receiver.trust();
    receiver.script = ({ type }) => (type === 'webhook.disabled' ? 204 : 500);
    for (let day = 0; day < 5; day += 1) {
      await stage.commitCall(['initiated']);
      await stage.pass();
      expect(await stage.endpoints.get(project, endpoint)).to.include({ status: 'enabled' });
      await stage.clock.advance(24 * HOUR);
    }
    await stage.pass(SECOND);
    expect(await stage.endpoints.get(project, endpoint)).to.include({ status: 'disabled', disabled_reason: 'failing' });
    expect(stage.observed).to.include('disabled:failing');
    await stage.pass(SECOND);
    const notices = receiver.events().filter(({ type }) => type === 'webhook.disabled');
    expect(notices.map(({ path }) => path)).to.deep.equal(['/other']);
    const { url } = await stage.endpoints.get(project, endpoint);
    expect(notices[0]?.data).to.deep.include({ webhook_id: endpoint, url, reason: 'failing' });
    expect(Date.parse(String(notices[0]?.data.disabled_at))).to.be.greaterThan(
      Date.parse(String(notices[0]?.data.failing_since)),
    );
  });

  it('clears the record of failures after a success', async () => {
    receiver.script = () => 500;
    await stage.commitCall(['initiated']);
    await stage.pass();
    expect((await stage.endpoints.get(project, endpoint)).failing_since).to.be.instanceOf(Date);
    receiver.script = () => 204;
    await stage.pass(6 * SECOND);
    expect((await stage.endpoints.get(project, endpoint)).failing_since).to.equal(null);
  });

  it('redelivers on request, and shows every attempt', async () => {
    receiver.script = (_, attempt) => (attempt === 1 ? 500 : 204);
    await stage.commitCall(['initiated']);
    await stage.pass();
    await stage.pass(6 * SECOND);
    const scope = { ...project, endpointId: endpoint };
    const [delivered] = await stage.deliveries.list(scope, { status: 'delivered', beforeId: null, limit: 10 });
    expect(delivered?.tries.map(({ status_code, error }) => [status_code, error])).to.deep.equal([
      [500, 'http_500'],
      [204, null],
    ]);
    const again = await stage.deliveries.redeliver(scope, delivered!.id);
    expect(again).to.include({ id: delivered!.id, status: 'pending', event_id: delivered!.event_id });
    await stage.deliverer.idle();
    expect(receiver.events()).to.have.lengthOf(3);
    expect(new Set(receiver.events().map(({ id }) => id)).size).to.equal(1);
    const [row] = await stage.deliveries.list(scope, { status: null, beforeId: null, limit: 10 });
    expect(row?.tries).to.have.lengthOf(3);
    receiver.assertSound();
  });

  it('redelivers a dead letter', async () => {
    receiver.script = () => 500;
    await stage.commitCall(['initiated']);
    await stage.pass();
    for (const delay of RETRY_DELAYS_MS) await stage.pass(delay + SECOND);
    const [dead] = await stage.rows(endpoint);
    expect(dead?.status).to.equal('dead');
    receiver.script = () => 204;
    await stage.deliveries.redeliver({ ...project, endpointId: endpoint }, dead!.id);
    await stage.deliverer.idle();
    expect((await stage.rows(endpoint))[0]).to.include({ status: 'delivered', attempts: 1, last_error: null });
  });

  it('lists deliveries newest first, with stable pages while new ones arrive', async () => {
    await stage.insertEvents(5, endpoint);
    const scope = { ...project, endpointId: endpoint };
    const first = await stage.deliveries.list(scope, { status: null, beforeId: null, limit: 2 });
    await stage.insertEvents(2, endpoint);
    const next = await stage.deliveries.list(scope, { status: null, beforeId: first[1]!.id, limit: 10 });
    expect(next).to.have.lengthOf(3);
    const ids = [...first, ...next].map(({ id }) => id);
    expect(ids).to.deep.equal([...new Set(ids)].sort().reverse());
  });

  it('replays only the requested period and events', async () => {
    receiver.script = () => 410;
    await stage.commitCall(['initiated', 'missed']);
    await stage.pass();
    await stage.endpoints.update(project, endpoint, { status: 'enabled' });
    receiver.script = () => 204;
    await waitForRedis(stage);
    const scope = { ...project, endpointId: endpoint };
    const from = new Date(0);
    const replay = (to: Date | null, events: 'call.missed'[] | null) =>
      stage.deliveries.replay(scope, { from, to, events });
    expect(await replay(new Date(Date.now() - HOUR), null)).to.include({ revived: 0, added: 0 });
    expect(await replay(null, ['call.missed'])).to.include({ revived: 1, added: 0 });
    await stage.deliverer.idle();
    expect(receiver.accepted().map(({ type }) => type)).to.deep.equal(['call.missed']);
    expect(await replay(null, null)).to.include({ revived: 1, added: 0 });
  });

  it('does not let a slow receiver delay others', async () => {
    const slow = await WebhookReceiver.start();
    slow.script = () => 'hold';
    const made = await stage.endpoint(slow.url(), ['number.*']);
    await stage.insertEvents(100, made.endpoint.id);
    await stage.sweep.run();
    // The lane of the slow receiver is full.
    await slow.waitUntil(() => slow.events().length === 20, 'a full lane');
    const calls = await Promise.all([1, 2, 3].map(() => stage.commitCall(LIFE)));
    stage.deliverer.wake(endpoint);
    await receiver.waitUntil(() => receiver.accepted().length === 12, 'all calls of the other endpoint');
    // It stayed full while everything else was delivered.
    expect(slow.accepted()).to.have.lengthOf(0);
    for (const { id } of calls) receiver.assertLegalPath(id);
    slow.script = () => 204;
    slow.release();
    await stage.deliverer.idle();
    expect(slow.accepted()).to.have.lengthOf(100);
    await slow.close();
  });

  it('delivers to a call’s own webhook URL, signed with the project’s secret', async () => {
    const own = await WebhookReceiver.start();
    own.trust(stage.projectSecret);
    const call = await stage.commitCall(LIFE, { webhook_url: own.url('/mine') });
    expect(stage.reportedLanes).to.include(`call:${call.id}`);
    await stage.pass();
    own.assertSound();
    own.assertLegalPath(call.id);
    own.assertInOrder(call.id);
    receiver.assertLegalPath(call.id);
    await own.close();
  });

  it('marks events recovered after an outage, in the same order', async () => {
    const call = await stage.commitCall(['initiated', 'ringing', 'answered']);
    const ended = { ...call, status: 'ended' as const, last_sequence: 4 };
    const event = callEvent(ended, { recovered: true });
    const recovered = { ...event, data: { ...event.data, recovered: true } };
    await stage.writer.commit(effectOf(ended, { events: [recovered] }));
    await stage.pass();
    receiver.assertLegalPath(call.id);
    expect(receiver.accepted().map(({ data }) => data.recovered ?? false)).to.deep.equal([false, false, false, true]);
  });

  it('sends nothing more to a deleted endpoint, and completes running requests without errors', async () => {
    receiver.script = () => 'hold';
    await stage.commitCall(LIFE);
    await stage.sweep.run();
    await receiver.waitUntil(() => receiver.events().length === 1, 'the first event');
    await stage.endpoints.remove(project, endpoint);
    receiver.release();
    await stage.deliverer.idle();
    await stage.pass(HOUR);
    expect(receiver.events()).to.have.lengthOf(1);
    expect(await stage.rows(endpoint)).to.deep.equal([]);
  });
});

async function waitForRedis(stage: WebhookStage): Promise<void> {
  while (!(await stage.jobs.available())) await new Promise((resolve) => setImmediate(resolve));
}
