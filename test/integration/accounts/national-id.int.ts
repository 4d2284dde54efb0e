import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import { nationalIdRoutes } from '../../../api/routes/accounts/national-id.js';
import { newId } from '../../../core/model/ids.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { documentProblems } from '../../support/judges/route-contract.js';
import { codeOf } from '../../support/judges/outcome.js';
import {
  nationalId,
  newNationalId,
  productionEach,
  ProductionStage,
  type Person,
} from '../../support/stages/accounts/production-stage.js';

const MINUTE = 60_000;

describe('The verification of national identities', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: ProductionStage;
  let owner: Person;

  productionEach((given) => ({ database, stage, owner } = given));

  const apiUrl = () => stage.accounts.api.url;
  const stateOf = async (id: string, of = owner): Promise<unknown> =>
    (await of.ask('GET', `/v1/national-id/verifications/${id}`)).body?.state;
  /** The provider is asked again. */
  const later = (ms = 3_000) => stage.accounts.clock.advance(ms);

  it('describes its routes', () => {
    const routes = nationalIdRoutes({ verifications: null as never });
    expect(documentProblems(openApiDocument({ routes, version: '1', serverUrl: '' }), routes)).to.deep.equal([]);
  });

  it('shows a number that the person picks, and ends when the person has', async () => {
    const id = newNationalId();
    const answer = await owner.verify(id);
    expect(answer.status, answer.text).to.equal(201);
    const verification = String(answer.body?.verification_id);
    const known = stage.peer.verifications.get(verification)!;
    expect(known).to.include({ national_id: id, locale: 'ar' });
    expect(answer.body).to.include({ match_number: known.match_number, state: 'pending', last_four: id.slice(-4) });
    expect(answer.text).to.not.include(id);
    expect(codeOf(await owner.confirm(verification))).to.equal('403 NATIONALID_NOT_VERIFIED');
    stage.peer.confirm(verification);
    await later();
    expect((await owner.confirm(verification)).body).to.include({ state: 'verified' });
    const list = await owner.ask('GET', '/v1/national-id/verifications');
    expect((list.body?.data as object[])[0]).to.include({ verification_id: verification, state: 'verified' });
    expect(codeOf(await owner.verify(newNationalId()))).to.equal('409 NATIONALID_ALREADY_VERIFIED');
  });

  it('keeps a keyed hash and the last four digits only', async () => {
    const id = newNationalId();
    await owner.identify(stage.peer, id);
    await stage.accounts.api.audit.flush();
    for (const table of ['identity_verifications', 'identities', 'audit_log', 'idempotency_keys', 'users']) {
      const rows = await database.db.query(`SELECT * FROM ${table}`);
      expect(JSON.stringify(rows), table).to.not.include(id);
    }
    expect(stage.accounts.api.log.join('\n')).to.not.include(id);
  });

  it('refuses what is no national id before anything is sent', async () => {
    const wrong = nationalId('112345678').slice(0, 9) + String((Number(nationalId('112345678')[9]) + 1) % 10);
    for (const text of ['123', 'abc', nationalId('312345678'), wrong, '']) {
      expect(codeOf(await owner.verify(text)), text).to.equal('400 INVALID_NATIONAL_ID');
    }
    expect(codeOf(await owner.ask('POST', '/v1/national-id/verifications', {}))).to.equal('400 VALIDATION_ERROR');
    expect(stage.peer.asked).to.deep.equal([]);
  });

  it('reports a rejection and an expiry', async () => {
    const rejected = await owner.verification();
    stage.peer.reject(rejected, 'The person declined.');
    expect(codeOf(await owner.confirm(rejected))).to.equal('403 NATIONALID_REJECTED');
    expect((await owner.ask('GET', `/v1/national-id/verifications/${rejected}`)).body).to.include({
      state: 'rejected',
      reason: 'The person declined.',
    });
    const expired = await owner.verification();
    stage.peer.expire(expired);
    expect(codeOf(await owner.confirm(expired))).to.equal('410 NATIONALID_EXPIRED');
    // It cannot be verified any more.
    stage.peer.confirm(expired);
    expect((await stage.peer.notify(apiUrl(), expired)).status).to.equal(204);
    expect(codeOf(await owner.confirm(expired))).to.equal('410 NATIONALID_EXPIRED');
  });

  it('expires by its own clock if the provider still waits, or has been away for long', async () => {
    const waiting = await owner.verification();
    const other = await stage.owner();
    const lost = await other.verification();
    stage.peer.verifications.delete(lost);
    await later(4 * MINUTE);
    await stage.identities.poller.run();
    expect([await stateOf(waiting), await stateOf(lost, other)]).to.deep.equal(['expired', 'pending']);
    await later(15 * MINUTE);
    await stage.identities.poller.run();
    // The access tokens have expired, too.
    expect(await stateOf(lost, await stage.signedIn(other.user))).to.equal('expired');
  });

  it('ends earlier attempts when the person starts again', async () => {
    const first = await owner.verification();
    const second = await owner.verification();
    expect([await stateOf(first), await stateOf(second)]).to.deep.equal(['expired', 'pending']);
  });

  it('fails clearly if the provider is away, refuses, or answers nonsense', async () => {
    for (const fault of ['lost_request', 'lost_answer', 'silence', 500, 422] as const) {
      stage.peer.failNext('PUT', fault);
      expect(codeOf(await owner.verify(newNationalId())), String(fault)).to.equal('502 NATIONALID_INITIATE_FAILED');
    }
    for (const spoil of [{ match_number: undefined }, { match_number: '<b>' }, { id: newId() }, { state: 'odd' }]) {
      stage.peer.spoil = spoil;
      expect(codeOf(await owner.verify(newNationalId()))).to.equal('502 NATIONALID_INITIATE_FAILED');
    }
    stage.peer.spoil = {};
    expect((await owner.ask('GET', '/v1/national-id/verifications')).body?.data).to.deep.equal([]);
  });

  it('fails clearly if no provider is configured', async () => {
    const without = await ProductionStage.open(database, { NATIONAL_ID_URL: '', NATIONAL_ID_SECRET: '' });
    try {
      const person = await without.owner();
      expect(codeOf(await person.verify(newNationalId()))).to.equal('502 NATIONALID_INITIATE_FAILED');
      const id = newId();
      const data = { id, state: 'verified' };
      expect(codeOf(await stage.peer.notify(without.accounts.api.url, id, { data }))).to.equal(
        '401 NATIONALID_INVALID_WEBHOOK',
      );
    } finally {
      await without.close();
    }
  });

  it('asks the provider in the background, and survives its faults', async () => {
    const id = await owner.verification();
    stage.peer.failNext('GET', 'silence');
    await later(6_000);
    await stage.identities.poller.run();
    stage.peer.confirm(id);
    await later(2 * MINUTE);
    await Promise.all([stage.identities.poller.run(), stage.identities.poller.run()]);
    // The first answer was lost.
    expect(stage.peer.asked).to.deep.equal([`PUT ${id}`, `GET ${id}`, `GET ${id}`]);
    expect(await stateOf(id)).to.equal('verified');
  });

  it('is confirmed by a notice, once however often it arrives', async () => {
    const id = await owner.verification();
    stage.peer.confirm(id);
    const notice = stage.peer.notice(id);
    const send = ([headers, body]: typeof notice) =>
      stage.accounts.api.request('POST', '/v1/national-id/webhook', { raw: body.toString('utf8'), headers });
    const answers = await Promise.all([send(notice), send(notice), send(notice)]);
    expect(answers.map(({ status }) => status)).to.deep.equal([204, 204, 204]);
    expect(stage.peer.asked).to.deep.equal([`PUT ${id}`]);
    expect(await stateOf(id)).to.equal('verified');
    // A later notice changes nothing.
    stage.peer.reject(id, 'revoked');
    expect((await stage.peer.notify(apiUrl(), id)).status).to.equal(204);
    expect(await stateOf(id)).to.equal('verified');
    expect(await database.db.query(`SELECT FROM identities WHERE user_id = $1`, [owner.user.row.id])).to.have.length(1);
  });

  it('refuses notices that are forged, changed, unsigned or old', async () => {
    const id = await owner.verification();
    stage.peer.confirm(id);
    const forged = `whsec_${Buffer.from('another secret for tests of this').toString('base64')}`;
    const old = new Date(Date.now() - 6 * MINUTE);
    const [headers, body] = stage.peer.notice(id);
    const changed = body.toString('utf8').replace(id, newId());
    const post = (raw: string, more: Readonly<Record<string, string>>) =>
      stage.accounts.api.request('POST', '/v1/national-id/webhook', { raw, headers: more });
    const answers = [
      await stage.peer.notify(apiUrl(), id, { secret: forged }),
      await stage.peer.notify(apiUrl(), id, { at: old }),
      await stage.peer.notify(apiUrl(), id, { headers: { 'webhook-signature': '' } }),
      await post(changed, headers),
      await post(body.toString('utf8'), { 'content-type': 'application/json' }),
    ];
    expect(answers.map(codeOf)).to.deep.equal(Array(answers.length).fill('401 NATIONALID_INVALID_WEBHOOK'));
    expect((await database.db.query(`SELECT FROM identities WHERE user_id = $1`, [owner.user.row.id])).length).to.equal(
      0,
    );
  });

  it('refuses signed notices that it cannot read, or that are about nothing it knows', async () => {
    const id = await owner.verification();
    expect(codeOf(await stage.peer.notify(apiUrl(), id, { body: 'no json' }))).to.equal('400 WEBHOOK_PAYLOAD_INVALID');
    expect(codeOf(await stage.peer.notify(apiUrl(), id, { data: { id, state: 'odd' } }))).to.equal(
      '400 WEBHOOK_PAYLOAD_INVALID',
    );
    const unknown = { id: newId(), state: 'verified' };
    expect(codeOf(await stage.peer.notify(apiUrl(), id, { data: unknown }))).to.equal('404 NOT_FOUND');
    expect((await stage.peer.notify(apiUrl(), id, { type: 'service.notice' })).status).to.equal(204);
    expect(await stateOf(id)).to.equal('pending');
  });

  it('belongs to one organization only, also if two people confirm at the same moment', async () => {
    const [mine, other] = [newNationalId(), await stage.owner()];
    const [first, second] = [await owner.verification(mine), await other.verification(mine)];
    for (const id of [first, second]) stage.peer.confirm(id);
    await Promise.all([first, second].map((id) => stage.peer.notify(apiUrl(), id)));
    const codes = [codeOf(await owner.confirm(first)), codeOf(await other.confirm(second))];
    expect(codes.sort()).to.deep.equal(['200', '409 NATIONALID_ALREADY_REGISTERED']);
    const loser = codeOf(await owner.confirm(first)) === '200' ? other : owner;
    expect(codeOf(await loser.verify(mine))).to.equal('409 NATIONALID_ALREADY_REGISTERED');
    const late = await stage.owner();
    expect(codeOf(await late.verify(mine))).to.equal('409 NATIONALID_ALREADY_REGISTERED');
  });

  it('may be that of several users of one organization', async () => {
    const id = newNationalId();
    await owner.identify(stage.peer, id);
    const colleague = await stage.signedIn(
      await stage.accounts.signUp({ of: owner.user, user: { role: 'admin', locale: 'en' } }),
    );
    await colleague.identify(stage.peer, id);
  });

  it('is seen by the person only', async () => {
    const id = await owner.verification();
    const colleague = await stage.signedIn(await stage.accounts.signUp({ of: owner.user, user: { role: 'admin' } }));
    const stranger = await stage.owner();
    for (const other of [colleague, stranger]) {
      expect(codeOf(await other.ask('GET', `/v1/national-id/verifications/${id}`))).to.equal('404 NOT_FOUND');
      expect(codeOf(await other.confirm(id))).to.equal('404 NOT_FOUND');
      expect((await other.ask('GET', '/v1/national-id/verifications')).body?.data).to.deep.equal([]);
    }
    expect(codeOf(await owner.confirm('no-id'))).to.equal('404 NOT_FOUND');
    const { key } = await stage.accounts.api.key({ projectId: owner.user.projectIds[0]! });
    const byKey = await stage.accounts.api.request('GET', '/v1/national-id/verifications', { key });
    expect(codeOf(byKey)).to.equal('403 SESSION_REQUIRED');
  });

  it('makes the telephone of nobody ring too often', async () => {
    const id = newNationalId();
    for (let n = 0; n < 5; n += 1) await owner.verification(id);
    const other = await stage.owner();
    expect(codeOf(await other.verify(id))).to.equal('429 RATE_LIMIT_EXCEEDED');
    for (let n = 0; n < 5; n += 1) await owner.verification();
    expect(codeOf(await owner.verify(newNationalId()))).to.equal('429 RATE_LIMIT_EXCEEDED');
    await later(61 * MINUTE);
    const again = await stage.signedIn(owner.user);
    expect((await again.verify(newNationalId())).status).to.equal(201);
  });
});
