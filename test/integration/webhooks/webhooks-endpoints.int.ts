import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import type { ErrorCode } from '../../../core/model/errors/index.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { newId } from '../../../core/model/ids.js';
import { WebhookReceiver } from '../../support/peers/receiver.js';
import { liveOwner, WebhookStage } from '../../support/stages/webhook-stage.js';

const DAY_MS = 24 * 60 * 60 * 1000;

async function codeOf(work: Promise<unknown>): Promise<ErrorCode | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof HatifError) return error.code as ErrorCode;
    throw error;
  }
}

describe('webhook endpoints', function () {
  this.timeout(30_000);
  let stage: WebhookStage;
  let receiver: WebhookReceiver;
  let project: WebhookStage['owner'];

  before(async () => {
    stage = await WebhookStage.start();
    project = stage.owner;
  });
  after(async () => stage.close());

  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    await stage.database.db.query('DELETE FROM webhook_endpoints');
  });
  afterEach(async () => receiver.close());

  const wanted = (url: string) => ({ url, events: ['call.*' as const], description: 'mine' });

  it('verifies the receiver with a signed challenge and returns the secret once', async () => {
    const { endpoint, secret } = await stage.endpoints.create(project, wanted(receiver.url('/hook')));
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(receiver.requests).to.have.lengthOf(1);
    const [challenge] = receiver.requests;
    expect(challenge?.type).to.equal('webhook.verify');
    const at = new Date(challenge!.timestamp * 1000);
    expect(challenge?.signatures).to.deep.equal([new Webhook(secret).sign(challenge!.id, at, challenge!.body)]);
    const found = await stage.endpoints.get(project, endpoint.id);
    expect(found).to.deep.equal(endpoint);
    expect(found).to.include({ status: 'enabled', description: 'mine' });
    expect(JSON.stringify(await stage.endpoints.list(project)))
      .to.not.contain('whsec_')
      .and.to.not.contain('secret"');
    const stored = await stage.database.db.query<{ secret: string }>('SELECT secret FROM webhook_endpoints');
    expect(stored[0]?.secret).to.not.contain(secret.slice(6));
  });

  it('rejects a receiver that does not echo the challenge', async () => {
    for (const answer of [
      200,
      { status: 200, body: 'ok' },
      { status: 200, body: '{"challenge":"another"}' },
      { status: 200, body: 'null' },
      302,
      404,
      500,
    ]) {
      receiver.challenge = () => answer;
      expect(await codeOf(stage.endpoints.create(project, wanted(receiver.url())))).to.equal(
        'WEBHOOK_VERIFICATION_FAILED',
      );
    }
    receiver.challenge = ({ data }) => ({ status: 500, body: JSON.stringify({ challenge: data.challenge }) });
    expect(await codeOf(stage.endpoints.create(project, wanted(receiver.url())))).to.equal(
      'WEBHOOK_VERIFICATION_FAILED',
    );
    expect(await stage.endpoints.list(project)).to.deep.equal([]);
  });

  it('reports a receiver that cannot be reached', async () => {
    const gone = await WebhookReceiver.start();
    const url = gone.url();
    await gone.close();
    expect(await codeOf(stage.endpoints.create(project, wanted(url)))).to.equal('WEBHOOK_UNREACHABLE');
    receiver.challenge = () => 'drop';
    expect(await codeOf(stage.endpoints.create(project, wanted(receiver.url())))).to.equal('WEBHOOK_UNREACHABLE');
    expect(await codeOf(stage.endpoints.create(project, wanted('https://no-such-host.invalid/')))).to.equal(
      'WEBHOOK_UNREACHABLE',
    );
  });

  it('rejects a duplicate URL in any notation, also in concurrent requests', async () => {
    const { port } = receiver;
    await stage.endpoints.create(project, wanted(`http://127.0.0.1:${port}/a`));
    expect(await codeOf(stage.endpoints.create(project, wanted(`http://127.1:${port}/x/../a`)))).to.equal(
      'WEBHOOK_URL_DUPLICATE',
    );
    const both = await Promise.all(
      [1, 2].map(() => codeOf(stage.endpoints.create(project, wanted(receiver.url('/b'))))),
    );
    expect(both).to.have.members([null, 'WEBHOOK_URL_DUPLICATE']);
  });

  it('allows five endpoints per project, also with concurrent requests', async () => {
    const codes = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7].map((n) => codeOf(stage.endpoints.create(project, wanted(receiver.url(`/${n}`))))),
    );
    expect(codes.filter((code) => code === null)).to.have.lengthOf(5);
    expect(codes.filter((code) => code === 'WEBHOOK_LIMIT_EXCEEDED')).to.have.lengthOf(2);
    const other = await stage.otherProject();
    expect(await codeOf(stage.endpoints.create(liveOwner(other), wanted(receiver.url('/1'))))).to.equal(null);
  });

  it('finds only endpoints of its own project', async () => {
    const { endpoint } = await stage.endpoint(receiver.url());
    const other = await stage.otherProject();
    for (const [owner, id] of [
      [liveOwner(other), endpoint.id],
      [project, newId()],
    ] as const) {
      expect(await codeOf(stage.endpoints.get(owner, id))).to.equal('WEBHOOK_NOT_FOUND');
      expect(await codeOf(stage.endpoints.update(owner, id, { description: 'x' }))).to.equal('WEBHOOK_NOT_FOUND');
      expect(await codeOf(stage.endpoints.remove(owner, id))).to.equal('WEBHOOK_NOT_FOUND');
      expect(await codeOf(stage.endpoints.rotateSecret(owner, id))).to.equal('WEBHOOK_NOT_FOUND');
      expect(await codeOf(stage.endpoints.test(owner, id))).to.equal('WEBHOOK_NOT_FOUND');
    }
    expect(await stage.endpoints.list(liveOwner(other))).to.deep.equal([]);
  });

  it('verifies a changed URL, and leaves the endpoint unchanged if that fails', async () => {
    const { endpoint } = await stage.endpoint(receiver.url('/old'));
    const changed = await stage.endpoints.update(project, endpoint.id, { url: receiver.url('/new'), events: ['*'] });
    expect(changed).to.include({ url: receiver.url('/new') });
    expect(changed.events).to.deep.equal(['*']);
    expect(receiver.requests.map(({ path }) => path)).to.deep.equal(['/old', '/new']);
    receiver.challenge = () => 200;
    const refused = stage.endpoints.update(project, endpoint.id, { url: receiver.url('/third'), description: 'no' });
    expect(await codeOf(refused)).to.equal('WEBHOOK_VERIFICATION_FAILED');
    expect(await stage.endpoints.get(project, endpoint.id)).to.deep.equal(changed);
    // A patch with the same URL does not contact the receiver.
    const before = receiver.requests.length;
    expect(await stage.endpoints.update(project, endpoint.id, { description: null })).to.include({ description: null });
    expect(receiver.requests).to.have.lengthOf(before);
  });

  it('also signs with the old secret for 24 hours after a rotation', async () => {
    const made = await stage.endpoint(receiver.url());
    const rotated = await stage.endpoints.rotateSecret(project, made.endpoint.id);
    expect(rotated.secret).to.not.equal(made.secret);
    const signaturesOfNext = async (): Promise<readonly string[]> => {
      const { webhookId } = await stage.endpoints.test(project, made.endpoint.id);
      const request = await receiver.waitFor(({ id }) => id === webhookId);
      const at = new Date(request.timestamp * 1000);
      return [made.secret, rotated.secret]
        .filter((secret) => request.signatures.includes(new Webhook(secret).sign(request.id, at, request.body)))
        .map((secret) => (secret === made.secret ? 'old' : 'new'));
    };
    expect(await signaturesOfNext()).to.deep.equal(['old', 'new']);
    receiver.trust(rotated.secret);
    await stage.commitCall(['initiated']);
    await stage.pass();
    expect(receiver.events()[0]?.signatures).to.have.lengthOf(2);
    await stage.clock.advance(DAY_MS + 1);
    expect(await signaturesOfNext()).to.deep.equal(['new']);
    await stage.commitCall(['initiated']);
    await stage.pass();
    expect(receiver.events()[1]?.signatures).to.have.lengthOf(1);
    receiver.assertSound();
  });

  it('sends a test message and reports the result', async () => {
    const { endpoint, secret } = await stage.endpoint(receiver.url());
    receiver.trust(secret);
    const good = await stage.endpoints.test(project, endpoint.id);
    expect(good).to.include({ delivered: true, statusCode: 200, error: null });
    expect(receiver.requests.at(-1)).to.deep.include({ id: good.webhookId, type: 'webhook.verify' });
    expect(receiver.requests.at(-1)?.data.test).to.equal(true);
    receiver.challenge = () => 503;
    const bad = await stage.endpoints.test(project, endpoint.id);
    expect(bad).to.include({ delivered: false, statusCode: 503, error: 'http_503' });
    receiver.challenge = () => 'drop';
    const none = await stage.endpoints.test(project, endpoint.id);
    expect(none).to.include({ delivered: false, statusCode: null, error: 'connection_lost' });
    receiver.assertSound();
  });

  it('rejects private addresses and plain http, unless loopback is allowed', async () => {
    for (const url of ['http://example.com/', 'ftp://example.com/', 'nothing', 'https://user:pw@example.com/']) {
      expect(await codeOf(stage.endpoints.create(project, wanted(url))), url).to.equal('WEBHOOK_URL_INVALID');
      expect(() => stage.endpoints.assertUrl(url), url).to.throw(HatifError);
    }
    for (const url of ['https://10.0.0.1/', 'https://169.254.169.254/latest/', 'https://[::ffff:10.0.0.1]/']) {
      expect(await codeOf(stage.endpoints.create(project, wanted(url))), url).to.equal('WEBHOOK_URL_INVALID');
    }
    expect(() => stage.endpoints.assertUrl('https://example.com/hook')).to.not.throw();
  });
});
