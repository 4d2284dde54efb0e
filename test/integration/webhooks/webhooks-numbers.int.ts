import { expect } from 'chai';
import { listAuditRows } from '../../../core/data/repositories/accounts/audit.js';
import { updateWebhookEndpoint } from '../../../core/data/repositories/webhooks/webhooks.js';
import type { CallRow } from '../../../core/data/rows.js';
import { SCOPES } from '../../../core/model/access/scopes.js';
import { presentCall } from '../../../core/services/call-state/presenting/call.js';
import type { Answer } from '../../support/api.js';
import { outcome } from '../../support/judges/outcome.js';
import { callRow, effectOf, eventOf } from '../../support/rows/rows.js';
import { withWebhookApi, type WebhookApi } from '../../support/stages/webhook-api-stage.js';
import { liveOwner } from '../../support/stages/webhook-stage.js';

const CUSTOMER = '+966501234517';
const REFUSED = '403 INSUFFICIENT_PERMISSIONS';

describe('Customers’ full numbers in webhooks', function () {
  this.timeout(30_000);
  let stage: WebhookApi['stage'];
  let api: WebhookApi['api'];
  let receiver: WebhookApi['receiver'];
  let ask: WebhookApi['ask'];
  let sees: string;
  let seesSandbox: string;
  withWebhookApi((made) => ({ stage, api, receiver, ask } = made));
  before(async () => {
    const { projectId } = stage.ground;
    sees = (await api.key({ projectId, scopes: SCOPES })).key;
    seesSandbox = (await api.key({ projectId, scopes: SCOPES, kind: 'sandbox' })).key;
  });

  const create = (json: object, key?: string): Promise<Answer> =>
    ask(
      'POST',
      '/v1/webhooks',
      { url: receiver.url('/hook'), events: ['*'], ...json },
      key === undefined ? {} : { key },
    );
  const including = async (path = '/hook', key = sees): Promise<string> => {
    const answer = await create({ url: receiver.url(path), include_customer_number: true }, key);
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.body).to.include({ include_customer_number: true });
    return String(answer.body?.id);
  };
  const patch = (id: string, json: object, key?: string): Promise<Answer> =>
    ask('PATCH', `/v1/webhooks/${id}`, json, key === undefined ? {} : { key });
  const shown = async (id: string): Promise<unknown> =>
    (await ask('GET', `/v1/webhooks/${id}`)).body?.include_customer_number;
  /** A call with an event as its owner writes it. */
  const commit = async (changes: Partial<CallRow> = {}): Promise<CallRow> => {
    const call = callRow(stage.ground, { status: 'missed', customer_number: CUSTOMER, ...changes });
    const data = { ...presentCall(call, []), sequence: call.last_sequence };
    await stage.writer.commit(effectOf(call, { events: [eventOf(call, { data })] }));
    return call;
  };
  const sent = async (path?: string): Promise<readonly Record<string, unknown>[]> => {
    await stage.pass();
    return receiver.events(path).map(({ data }) => data);
  };

  it('are sent to an endpoint that asks for them, and to no other', async () => {
    await including('/full');
    const plain = await create({ url: receiver.url('/plain') });
    expect(plain.body).to.include({ include_customer_number: false });
    await commit();
    await commit({ customer_number: 'anonymous' });
    const [full, masked] = [await sent('/full'), await sent('/plain')];
    expect(full.map(({ customer_number }) => customer_number)).to.have.members([CUSTOMER, null]);
    expect(masked).to.have.lengthOf(2);
    expect(JSON.stringify(masked)).to.not.contain('"customer_number"').and.to.not.contain(CUSTOMER);
    const withoutNumber = full.map(({ customer_number: _, ...rest }) => rest);
    expect(withoutNumber).to.have.deep.members([...masked]);
    const [stored] = await stage.database.db.query<{ texts: string }>(
      `SELECT string_agg(data::text, '') AS texts FROM events`,
    );
    expect(stored?.texts).to.not.contain(CUSTOMER);
  });

  it('are in messages whose signature is valid, with the same bytes in each attempt', async () => {
    const answer = await create({ include_customer_number: true }, sees);
    receiver.trust(String(answer.body?.secret));
    receiver.script = (_, attempt) => (attempt === 1 ? 503 : 204);
    await commit();
    await stage.pass();
    await stage.pass(10_000);
    const bodies = receiver.events().map(({ body }) => body);
    expect(bodies).to.have.lengthOf(2);
    expect(bodies[0]).to.equal(bodies[1]).and.to.contain(`"customer_number":"${CUSTOMER}"`);
    receiver.assertSound();
  });

  it('are never sent to a call’s own receiver', async () => {
    await including();
    await commit({ webhook_url: receiver.url('/own') });
    const own = await sent('/own');
    expect(own).to.have.lengthOf(1);
    expect(own[0]).to.not.have.property('customer_number');
  });

  it('stop as soon as they are turned off', async () => {
    const id = await including();
    receiver.script = (_, attempt) => (attempt === 1 ? 503 : 204);
    await commit();
    await stage.pass();
    expect((await patch(id, { include_customer_number: false })).body).to.include({ include_customer_number: false });
    await stage.pass(10_000);
    expect(receiver.events().map(({ data }) => data.customer_number)).to.deep.equal([CUSTOMER, undefined]);
  });

  it('of sandbox calls alone reach an endpoint of a sandbox key', async () => {
    await including('/sandbox', seesSandbox);
    await commit();
    await commit({ sandbox: true, customer_number: '+966501234528' });
    expect((await sent('/sandbox')).map(({ customer_number }) => customer_number)).to.deep.equal(['+966501234528']);
  });

  describe('need the scope pii:read', () => {
    it('at creation; the receiver is not even asked', async () => {
      expect(outcome(await create({ include_customer_number: true }))).to.equal(REFUSED);
      expect(receiver.requests).to.deep.equal([]);
      expect((await ask('GET', '/v1/webhooks')).body?.data).to.deep.equal([]);
    });

    it('to be turned on later', async () => {
      const id = String((await create({})).body?.id);
      expect(outcome(await patch(id, { include_customer_number: true }))).to.equal(REFUSED);
      expect(await shown(id)).to.equal(false);
      expect((await patch(id, { include_customer_number: true }, sees)).body).to.include({
        include_customer_number: true,
      });
    });

    it('to send them to another URL', async () => {
      const id = await including();
      receiver.requests.length = 0;
      expect(outcome(await patch(id, { url: receiver.url('/taken') }))).to.equal(REFUSED);
      expect(receiver.requests).to.deep.equal([]);
      for (const harmless of [{ url: receiver.url('/hook') }, { description: 'CRM' }, { events: ['call.*'] }]) {
        expect((await patch(id, harmless)).status).to.equal(200);
      }
      expect(await shown(id)).to.equal(true);
      const masked = await patch(id, { url: receiver.url('/other'), include_customer_number: false });
      expect(masked.body).to.include({ url: receiver.url('/other'), include_customer_number: false });
    });

    it('also if another request turns them on in between', async () => {
      const id = await including();
      const { db } = stage.database;
      const editor = liveOwner(stage.ground);
      const url = receiver.url('/taken');
      // What an editor's statement meets after the check has passed.
      expect(await updateWebhookEndpoint(db, editor, id, { url })).to.equal(null);
      expect(await updateWebhookEndpoint(db, editor, id, { description: 'CRM' })).to.include({ description: 'CRM' });
      expect(await updateWebhookEndpoint(db, { ...editor, seesNumbers: true }, id, { url })).to.include({ url });
    });
  });

  it('are not turned on by rotating the secret, nor is that refused', async () => {
    const id = await including();
    expect((await ask('POST', `/v1/webhooks/${id}/rotate-secret`)).status).to.equal(200);
    expect(await shown(id)).to.equal(true);
  });

  it('are audited when they are turned on or off', async () => {
    const id = await including();
    await patch(id, { include_customer_number: false });
    await api.audit.flush();
    const rows = await listAuditRows(stage.database.db, stage.ground.projectId, 2);
    const values = rows.map(({ method, details }) => [method, (details as { values?: object }).values]);
    expect(values).to.deep.equal([
      ['PATCH', { include_customer_number: false }],
      ['POST', { url: receiver.url('/hook'), events: ['*'], include_customer_number: true }],
    ]);
  });
});
