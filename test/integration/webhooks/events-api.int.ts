import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { outcome } from '../../support/judges/outcome.js';
import { callRow, effectOf } from '../../support/rows/rows.js';
import { withWebhookApi, type WebhookApi } from '../../support/stages/webhook-api-stage.js';
import { callEvent } from '../../support/stages/webhook-stage.js';

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

describe('event routes', function () {
  this.timeout(30_000);
  let stage: WebhookApi['stage'];
  let api: WebhookApi['api'];
  let receiver: WebhookApi['receiver'];
  let feed: WebhookApi['feed'];
  let live: string;
  let sandbox: string;
  let ask: WebhookApi['ask'];
  let create: WebhookApi['endpoint'];
  withWebhookApi((made) => ({ stage, api, receiver, feed, live, sandbox, ask, endpoint: create } = made));

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
        const { previous_sequence: previous, ...body } = JSON.parse(sent[index]!.body) as Record<string, unknown>;
        expect(previous).to.equal(index === 0 ? null : index);
        expect(data).to.deep.equal(body);
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

    it('refuses a resumption after what is no event id, and a type that does not exist', async () => {
      for (const [path, headers] of [
        ['/v1/events/stream', { 'Last-Event-ID': 'abc' }],
        ['/v1/events/stream?after=abc', {}],
        ['/v1/events/stream?type=call.nope', {}],
        ['/v1/events?type=call.nope', {}],
      ] as const) {
        expect(outcome(await ask('GET', path, undefined, { headers })), path).to.equal('400 VALIDATION_ERROR');
      }
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
