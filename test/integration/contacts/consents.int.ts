import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import type { ConsentChannel } from '../../../core/model/contacts/consent.js';
import type { MessageClass } from '../../../core/model/messaging/message.js';
import type { ConsentService } from '../../../core/services/contacts/consents.js';
import { ContactImportTask } from '../../../core/services/contacts/import/task.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import type { Answer, TestApi } from '../../support/api.js';
import { codeOf } from '../../support/judges/outcome.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { quiet } from '../../support/logger.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { ContactStage } from '../../support/stages/messaging/contact-stage.js';

const PHONE = '+966501234567';
const EMAIL = 'reem@example.com';
/** Eleven in Riyadh. */
const MORNING = new Date('2026-11-27T08:00:00Z');

interface Shown {
  readonly channel: string;
  readonly class: string;
  readonly status: string | null;
  readonly locked_by_end_user: boolean;
  readonly allowed_now: boolean;
  readonly quiet_until: string | null;
}

describe('consents', function () {
  this.timeout(60_000);
  let stage: ContactStage;
  let database: TestDatabase;
  let api: TestApi;
  let clock: VirtualClock;
  let service: ConsentService;
  let owner: { projectId: string; organizationId: string };
  let live: string;
  let reem: string;

  before(async () => {
    clock = new VirtualClock(MORNING);
    stage = await ContactStage.start(clock);
    ({ database, api, consents: service } = stage);
    const { routes } = stage;
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    expect(documentProblems(openApiDocument({ routes, version: '1', serverUrl: '' }), routes)).to.deep.equal([]);
  });
  beforeEach(async () => {
    ({ owner, live } = await stage.tenant());
    reem = String((await ask('POST', '/v1/contacts', { phone: PHONE, email: EMAIL })).body?.id);
  });
  after(async () => {
    await stage.close();
  });

  const ask = (method: string, path: string, json?: object, key = live): Promise<Answer> =>
    api.request(method, path, { key, ...(json && { json }) });
  const consent = (json: object, key = live): Promise<Answer> =>
    ask('POST', `/v1/contacts/${reem}/consents`, json, key);
  const shown = async (id = reem): Promise<Shown[]> =>
    (await ask('GET', `/v1/contacts/${id}/consents`)).body?.data as Shown[];
  const outOf = async (id = reem): Promise<string[]> =>
    (await shown(id)).filter(({ status }) => status === 'opted_out').map((one) => `${one.channel} ${one.class}`);
  const isOut = async (id = reem): Promise<unknown> =>
    (await ask('GET', `/v1/contacts/${id}`)).body?.marketing_opted_out;
  const says = async (text: string, channel: ConsentChannel = 'sms', address = PHONE) =>
    (await service.recordKeyword({ ...owner, sandbox: false, channel, address, text, proof: 'message 7' }))?.keyword;
  const may = async (channel: ConsentChannel, messageClass: MessageClass, address = PHONE) =>
    service.mayMessage({ projectId: owner.projectId, sandbox: false, channel, address, class: messageClass });
  const events = async (): Promise<Record<string, unknown>[]> =>
    (
      await database.db.query<{ data: Record<string, unknown> }>(
        `SELECT data FROM events WHERE project_id = $1 ORDER BY id`,
        [owner.projectId],
      )
    ).map(({ data }) => data);

  it('are recorded with their source, time and proof, and kept for ever', async () => {
    expect(await shown()).to.have.length(9);
    const made = await consent({
      ...{ status: 'opted_in', channels: ['sms'], source: 'web_form', proof: 'form 12' },
      given_at: '2026-11-01T10:00:00+03:00',
    });
    expect(made.status, made.text).to.equal(200);
    await consent({ status: 'opted_out', channels: ['sms', 'email'], classes: ['promotional'] });
    expect(await outOf()).to.deep.equal(['sms promotional', 'email promotional']);
    const history = await ask('GET', `/v1/contacts/${reem}/consents/history?limit=3`);
    expect(history.body?.next_cursor).to.be.a('string');
    const next = encodeURIComponent(String(history.body?.next_cursor));
    const rest = (await ask('GET', `/v1/contacts/${reem}/consents/history?limit=3&cursor=${next}`)).body?.data;
    expect((rest as object[])[0]).to.deep.include({
      ...{ status: 'opted_in', channel: 'sms', address: PHONE, source: 'web_form', proof: 'form 12' },
      ...{ given_at: '2026-11-01T07:00:00.000Z', created_at: MORNING.toISOString() },
    });
    let refused: unknown;
    await database.db.query(`UPDATE consent_changes SET proof = 'none'`).catch((error: unknown) => (refused = error));
    expect(refused).to.be.an('error');
  });

  it('are locked by the person: nobody else opts the person in again, whatever the way', async () => {
    expect(await says('الغاء')).to.equal('stop');
    expect(await outOf()).to.deep.equal(['sms promotional', 'sms awareness', 'sms personal']);
    expect(await isOut()).to.equal(true);
    expect(codeOf(await consent({ status: 'opted_in', channels: ['sms'] }))).to.equal('409 CONSENT_LOCKED_BY_END_USER');
    expect(codeOf(await consent({ status: 'opted_in' }))).to.equal('409 CONSENT_LOCKED_BY_END_USER');
    const patched = await ask('PATCH', `/v1/contacts/${reem}`, { marketing_opted_out: false, name_en: 'Reem' });
    expect(codeOf(patched)).to.equal('409 CONSENT_LOCKED_BY_END_USER');
    expect((await ask('GET', `/v1/contacts/${reem}`)).body?.name_en, 'nothing changed').to.equal(null);
    expect((await consent({ status: 'opted_out' })).status, 'may be said again').to.equal(200);
    expect((await shown()).find(({ channel }) => channel === 'sms')?.locked_by_end_user).to.equal(true);
    await ask('DELETE', `/v1/contacts/${reem}`);
    const again = { phone: PHONE, marketing_opted_out: false };
    expect(codeOf(await ask('POST', '/v1/contacts', again))).to.equal('409 CONSENT_LOCKED_BY_END_USER');
    const fresh = await ask('POST', '/v1/contacts', { phone: PHONE });
    expect(fresh.body?.marketing_opted_out, 'the number is known').to.equal(true);
    expect(await says('حجز')).to.equal(undefined);
    expect(await says('Start')).to.equal('start');
    expect(await isOut(String(fresh.body?.id)), 'the other channels are said to be out').to.equal(true);
    reem = String(fresh.body?.id);
    expect((await consent({ status: 'opted_in' })).status).to.equal(200);
    expect(await isOut()).to.equal(false);
  });

  it('follow `marketing_opted_out` of a contact, and show in it', async () => {
    await ask('PATCH', `/v1/contacts/${reem}`, { marketing_opted_out: true });
    expect(await outOf()).to.deep.equal(['sms promotional', 'chatapp promotional', 'email promotional']);
    expect((await ask('PATCH', `/v1/contacts/${reem}`, { name_en: 'Reem' })).body?.marketing_opted_out).to.equal(true);
    const back = await ask('PATCH', `/v1/contacts/${reem}`, { marketing_opted_out: false });
    expect(back.body?.marketing_opted_out).to.equal(false);
    expect(await outOf()).to.deep.equal([]);
    const omar = await ask('POST', '/v1/contacts', { phone: '+966501234568', marketing_opted_out: true });
    expect(omar.body?.marketing_opted_out).to.equal(true);
  });

  it('decide with the hours whether a message may be sent', async () => {
    expect((await may('sms', 'promotional')).isAllowed).to.equal(true);
    await says('stop');
    const refused = await may('sms', 'promotional');
    expect(refused.isAllowed).to.equal(false);
    expect(refused.checks[0]).to.deep.equal({ rule: 'consent', isPassed: false, source: 'keyword', until: null });
    expect((await may('sms', 'service')).isAllowed).to.equal(true);
    expect((await may('chatapp', 'promotional')).isAllowed).to.equal(true);
    await clock.advance(13 * 3_600_000);
    const quiet = await may('chatapp', 'promotional');
    expect(quiet.checks[1]).to.deep.include({ isPassed: false, until: new Date('2026-11-28T06:00:00Z') });
    expect((await may('chatapp', 'personal')).isAllowed).to.equal(true);
    const [row] = (await shown()).filter((one) => one.channel === 'chatapp' && one.class === 'promotional');
    expect(row).to.include({ allowed_now: false, quiet_until: '2026-11-28T06:00:00.000Z' });
    await ask('PATCH', `/v1/contacts/${reem}`, { time_zone: 'America/New_York' });
    expect((await may('chatapp', 'promotional')).isAllowed, 'it is 16 h there').to.equal(true);
    await clock.advance(11 * 3_600_000);
  });

  it('report each new opt-out once', async () => {
    await says('stop');
    await says('stop');
    expect(await events()).to.deep.equal([
      {
        ...{ contact_id: reem, address: PHONE, channels: ['sms'], classes: ['promotional', 'awareness', 'personal'] },
        ...{ source: 'keyword', opted_out_at: clock.now().toISOString() },
      },
    ]);
    await consent({ status: 'opted_out', channels: ['email'] });
    await says('stop', 'sms', '+966501234569');
    expect((await events()).slice(1).map(({ contact_id, address }) => [contact_id, address])).to.deep.equal([
      [reem, EMAIL],
      [null, '+966501234569'],
    ]);
  });

  it('stay locked if the person and a client speak at the same moment', async () => {
    await Promise.all([
      says('stop'),
      ...Array.from({ length: 6 }, () => consent({ status: 'opted_in', channels: ['sms'] })),
    ]);
    expect((await may('sms', 'promotional')).isAllowed).to.equal(false);
  });

  it('are respected by imports, line by line', async () => {
    await says('stop');
    const raw = new FormData();
    const lines = [`${PHONE},Reem,false`, '+966501234570,Omar,true', '+966501234571,Sara,false', `${PHONE},Reem,`];
    raw.set('file', new Blob([`phone,name_en,marketing_opted_out\n${lines.join('\n')}`]), 'a.csv');
    const { body } = await api.request('POST', '/v1/contacts/import', { key: live, raw });
    await new ContactImportTask({ db: database.db, clock, log: quiet }).run();
    const done = (await ask('GET', `/v1/contacts/import/${String(body?.id)}`)).body;
    expect(done?.lines).to.deep.include({ created: 2, updated: 1, failed: 1 });
    const faults = (await ask('GET', `/v1/contacts/import/${String(body?.id)}/errors`)).body?.data;
    expect((faults as object[])[0]).to.deep.include({
      ...{ line: 2, column: 'marketing_opted_out', code: 'CONSENT_LOCKED_BY_END_USER' },
    });
    const contacts = (await ask('GET', '/v1/contacts')).body?.data as Record<string, unknown>[];
    expect(contacts.map((one) => [one.name, one.marketing_opted_out])).to.deep.equal([
      ['Sara', false],
      ['Omar', true],
      ['Reem', true],
    ]);
  });

  it('refuse what cannot be', async () => {
    const { key: stranger } = await api.key();
    const sandbox = (await api.key({ ...owner, kind: 'sandbox' })).key;
    for (const key of [stranger, sandbox]) {
      expect(codeOf(await consent({ status: 'opted_out' }, key))).to.equal('404 NOT_FOUND');
      for (const path of ['consents', 'consents/history'])
        expect(codeOf(await ask('GET', `/v1/contacts/${reem}/${path}`, undefined, key))).to.equal('404 NOT_FOUND');
    }
    for (const wrong of [
      { status: 'unknown' },
      { status: 'opted_in', classes: ['service'] },
      { status: 'opted_in', source: 'keyword' },
      { status: 'opted_in', source: 'import' },
      { status: 'opted_in', given_at: '2027-01-01T00:00:00Z' },
      { status: 'opted_in', channels: [] },
    ])
      expect(codeOf(await consent(wrong)), JSON.stringify(wrong)).to.equal('400 VALIDATION_ERROR');
    const { body } = await ask('POST', '/v1/contacts', { email: 'only@example.com' });
    const unreached = { status: 'opted_out', channels: ['email', 'sms'] };
    expect(codeOf(await ask('POST', `/v1/contacts/${String(body?.id)}/consents`, unreached))).to.equal(
      '400 VALIDATION_ERROR',
    );
    expect(await outOf()).to.deep.equal([]);
  });
});
