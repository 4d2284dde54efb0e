import { expect } from 'chai';
import type { Platform } from '../../../main/platform.js';
import { ask, type Answer } from '../../support/api.js';
import { barePlatform, type BarePlatform } from '../../support/platform/bare-platform.js';
import { eventually } from '../../support/eventually.js';
import { PaymentPeer } from '../../support/peers/payment-peer.js';
import { PAYMENT_SECRET } from '../../support/stages/billing/payment-stage.js';
import { WebhookReceiver } from '../../support/peers/receiver.js';
import { groundIn } from '../../support/rows/rows.js';

describe('payments on a complete platform', function () {
  this.timeout(60_000);
  let bare: BarePlatform;
  let peer: PaymentPeer;
  let receiver: WebhookReceiver;
  let platform: Platform;
  let key: string;

  before(async function () {
    this.timeout(120_000);
    [peer, receiver] = await Promise.all([PaymentPeer.start(PAYMENT_SECRET), WebhookReceiver.start()]);
    bare = await barePlatform('api,jobs', {
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      PAYMENT_GATEWAY_URL: peer.url,
      PAYMENT_GATEWAY_SECRET: PAYMENT_SECRET,
    });
    ({ platform } = bare);
    const { projectId } = await groundIn(bare.database.db);
    ({ key } = await platform.management.keys.create({ name: 'Test', kind: 'live', projectId }));
    const endpoint = await request('POST', '/v1/webhooks', { url: receiver.url(), events: ['payment.*'] });
    expect(endpoint.status).to.equal(201);
    receiver.trust(String(endpoint.body?.secret));
  });
  after(async () => {
    await bare.close();
    await Promise.all([peer.close(), receiver.close()]);
  });
  afterEach(() => receiver.assertSound());

  const request = (method: string, path: string, json?: object): Promise<Answer> =>
    ask(platform.api!.url, method, path, { key, ...(json && { json }) });
  const begin = async (): Promise<string> => {
    const { status, body } = await request('POST', '/v1/payments', { amount_sar: 20, method: 'gateway' });
    expect(status).to.equal(201);
    return String(body?.id);
  };
  const webhookOf = (type: string, id: string) =>
    receiver.waitFor((event) => event.type === type && event.data.id === id, `${type} of ${id}`);

  it('are reported by the gateway and by webhooks, credited to the pool, and counted', async () => {
    const id = await begin();
    peer.pay(id);
    expect((await peer.notify(platform.api!.url, id)).status).to.equal(204);
    expect((await webhookOf('payment.succeeded', id)).data).to.include({ status: 'succeeded', total_sar: 23 });
    expect((await request('GET', '/v1/billing')).body?.pool_balance_sar).to.equal(20);
    const { text } = await request('GET', '/metrics');
    expect(text).to.contain('hatif_payments_ended_total{method="gateway",status="succeeded"} 1');
  });

  it('are polled in the background', async () => {
    const id = await begin();
    peer.failNext('DELETE', 503);
    await request('POST', `/v1/payments/${id}/cancel`);
    expect((await webhookOf('payment.failed', id)).data).to.include({ status: 'cancelled' });
    await eventually(() => peer.payments.get(id)?.status === 'cancelled', 'the checkout is closed', 20_000);
  });
});
