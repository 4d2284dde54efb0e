import { expect } from 'chai';
import { projectEvent, recordEvent } from '../../../core/data/outbox.js';
import type { Answer } from '../../support/api.js';
import { WebhookReceiver } from '../../support/peers/receiver.js';
import { withWebhookApi, type CreatedEndpoint, type WebhookApi } from '../../support/stages/webhook-api-stage.js';

describe('webhooks of live and sandbox keys', function () {
  this.timeout(30_000);
  let stage: WebhookApi['stage'];
  let receiver: WebhookApi['receiver'];
  let api: WebhookApi['api'];
  let made: WebhookApi;
  type Kind = 'live' | 'sandbox';
  const KINDS: readonly Kind[] = ['live', 'sandbox'];
  withWebhookApi((opened) => {
    made = opened;
    ({ stage, receiver, api } = made);
  });

  const ask = (kind: Kind, method: string, path: string, json?: object): Promise<Answer> =>
    made.ask(method, `/v1${path}`, json, { key: made[kind] });

  async function create(kind: Kind, path = `/${kind}`): Promise<CreatedEndpoint> {
    const endpoint = await made.endpoint(path, made[kind]);
    expect(endpoint.sandbox).to.equal(kind === 'sandbox');
    return endpoint;
  }

  const idsOf = ({ body }: Answer): unknown[] => (body?.data as { id: string }[]).map(({ id }) => id);
  const typesAt = (path: string): string[] => receiver.events(path).map(({ type }) => type);

  it('carry the events of their own kind only', async () => {
    const { organizationId: organization_id, projectId: project_id } = stage.ground;
    for (const kind of KINDS) await create(kind);
    await stage.commitCall(['initiated', 'missed']);
    await stage.commitCall(['initiated', 'cancelled'], { sandbox: true });
    const data = { agent: '1001', queue: 'support', queue_id: project_id };
    const login = { organization_id, project_id, type: 'queue.agent_logged_in', data, created_at: new Date() } as const;
    await recordEvent(stage.database.db, projectEvent({ ...login, sandbox: false }));
    await stage.pass();
    expect(typesAt('/live')).to.have.members(['call.initiated', 'call.missed', 'queue.agent_logged_in']);
    expect(typesAt('/sandbox')).to.have.members(['call.initiated', 'call.cancelled']);
  });

  it('do not reach a live endpoint through a sandbox key, by any route', async () => {
    const { id, secret } = await create('live');
    await stage.commitCall(['initiated']);
    await stage.pass();
    const [delivery] = (await ask('live', 'GET', `/webhooks/${id}/deliveries`)).body?.data as { id: string }[];
    const at = `/webhooks/${id}`;
    for (const [method, path, json] of [
      ['GET', at, undefined],
      ['PATCH', at, { url: receiver.url('/taken') }],
      ['PATCH', at, { status: 'disabled' }],
      ['POST', `${at}/test`, {}],
      ['POST', `${at}/rotate-secret`, {}],
      ['GET', `${at}/deliveries`, undefined],
      ['POST', `${at}/deliveries/${delivery?.id}/redeliver`, {}],
      ['POST', `${at}/replay`, { from: '2026-01-01T00:00:00Z' }],
      ['DELETE', at, undefined],
    ] as const) {
      const answer = await ask('sandbox', method, path, json);
      expect([answer.status, answer.body?.error_code], `${method} ${path}`).to.deep.equal([404, 'WEBHOOK_NOT_FOUND']);
    }
    expect(idsOf(await ask('sandbox', 'GET', '/webhooks'))).to.deep.equal([]);
    expect((await ask('sandbox', 'GET', '/events')).body?.data).to.deep.equal([]);
    receiver.trust(secret);
    receiver.requests.length = 0;
    await stage.commitCall(['initiated']);
    await stage.pass();
    expect(typesAt('/live')).to.deep.equal(['call.initiated']);
    receiver.assertSound();
  });

  it('of the sandbox are read, but not changed, with a live key', async () => {
    const { id } = await create('sandbox');
    await stage.commitCall(['initiated'], { sandbox: true });
    await stage.pass();
    expect(idsOf(await ask('live', 'GET', '/webhooks'))).to.deep.equal([id]);
    expect((await ask('live', 'GET', `/webhooks/${id}`)).body).to.include({ id, sandbox: true });
    const deliveries = await ask('live', 'GET', `/webhooks/${id}/deliveries`);
    const [delivery] = deliveries.body?.data as { id: string; type: string }[];
    expect(delivery?.type).to.equal('call.initiated');
    for (const [method, path, json] of [
      ['PATCH', '', { description: 'x' }],
      ['POST', '/test', {}],
      ['POST', '/rotate-secret', {}],
      ['POST', `/deliveries/${delivery?.id}/redeliver`, {}],
      ['POST', '/replay', { from: '2026-01-01T00:00:00Z' }],
      ['DELETE', '', undefined],
    ] as const) {
      const answer = await ask('live', method, `/webhooks/${id}${path}`, json);
      expect([answer.status, answer.body?.error_code], `${method} ${path}`).to.deep.equal([404, 'WEBHOOK_NOT_FOUND']);
    }
    expect((await ask('sandbox', 'GET', `/webhooks/${id}`)).body).to.include({ description: null });
  });

  it('share neither the limit of endpoints nor their URLs', async () => {
    for (const path of ['/1', '/2', '/3', '/4', '/5']) await create('sandbox', path);
    await create('live', '/1');
    const again = await ask('live', 'POST', '/webhooks', { url: receiver.url('/1'), events: ['*'] });
    expect(again.body).to.include({ error_code: 'WEBHOOK_URL_DUPLICATE' });
    const sixth = await ask('sandbox', 'POST', '/webhooks', { url: receiver.url('/6'), events: ['*'] });
    expect(sixth.body).to.include({ error_code: 'WEBHOOK_LIMIT_EXCEEDED' });
    const { id } = await create('live', '/9');
    expect((await ask('live', 'PATCH', `/webhooks/${id}`, { url: receiver.url('/2') })).status).to.equal(200);
  });

  it('replay the events of their own kind only', async () => {
    await stage.commitCall(['initiated', 'missed']);
    await stage.commitCall(['initiated', 'cancelled'], { sandbox: true });
    while (!(await stage.jobs.available())) await new Promise((resolve) => setImmediate(resolve));
    const from = new Date(Date.now() - 60_000).toISOString();
    for (const kind of KINDS) {
      const { id } = await create(kind);
      const replayed = await ask(kind, 'POST', `/webhooks/${id}/replay`, { from, events: ['*'] });
      expect(replayed.body).to.deep.equal({ revived: 0, added: 2, complete: true });
    }
    await stage.deliverer.idle();
    expect(typesAt('/live')).to.have.members(['call.initiated', 'call.missed']);
    expect(typesAt('/sandbox')).to.have.members(['call.initiated', 'call.cancelled']);
  });

  it('of calls with their own receiver are signed with the secret of their kind', async () => {
    const secretOf = async (kind: Kind): Promise<string> => {
      const { body } = await ask(kind, 'GET', '/webhooks/secret');
      expect(body?.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
      return String(body?.secret);
    };
    const secrets = { live: await secretOf('live'), sandbox: await secretOf('sandbox') };
    expect(secrets.live).to.equal(stage.projectSecret);
    expect(secrets.sandbox).to.not.equal(secrets.live);
    expect(await secretOf('sandbox')).to.equal(secrets.sandbox);
    for (const kind of KINDS) {
      const own = await WebhookReceiver.start();
      own.trust(secrets[kind]);
      await stage.commitCall(['initiated'], { sandbox: kind === 'sandbox', webhook_url: own.url('/') });
      await stage.pass();
      expect(own.events().map(({ type }) => type)).to.deep.equal(['call.initiated']);
      own.assertSound();
      await own.close();
    }
  });

  it('in the live stream are those that the key may see', async () => {
    const stop = new AbortController();
    const response = await fetch(`${api.url}/v1/events/stream`, {
      headers: { Authorization: `Bearer ${made.sandbox}` },
      signal: stop.signal,
    });
    await stage.commitCall(['initiated']);
    const own = await stage.commitCall(['initiated'], { sandbox: true });
    let text = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString('utf8');
      if (text.includes(own.id)) break;
    }
    stop.abort();
    expect(text.match(/^event: /gm)).to.have.lengthOf(1);
  });
});
