import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import type { Route } from '../../../api/http/route.js';
import { ownNumberRoutes } from '../../../api/routes/numbers/own-numbers.js';
import { systemClock } from '../../../core/ports/clock.js';
import { SpeechError } from '../../../core/ports/speech.js';
import { MemoryRateLimiter } from '../../../core/services/access/rate-limit.js';
import { SpokenCodes } from '../../../core/services/codes/spoken-codes.js';
import { ClaimOwnNumber } from '../../../core/services/own-numbers/claims.js';
import { ClaimLimits } from '../../../core/services/own-numbers/limits.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { SPENT, spendAll } from '../../support/stages/billing/charging.js';
import { numberStage, type NumberStage } from '../../support/stages/number-stage.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { verifyEach, type VerifyStage } from '../../support/stages/verify-stage.js';

const NUMBER = '+966501234517';
const PDF = Buffer.from('%PDF-1.4\ntrailer<<>>\n%%EOF\n');

/** A different code of the same length. */
const wrong = (code: string): string => code.replace(/^./, (digit) => String((Number(digit) + 1) % 10));

describe('the own numbers API', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  let numbers: NumberStage;
  let api: TestApi;
  let routes: readonly Route[];
  let key: string;
  let folder: string;
  const unavailable = { voice: false };
  verifyEach((made) => (stage = made));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-own-'));
    numbers = numberStage(stage.database.url, { RECORDING_DIR: folder });
    unavailable.voice = false;
    const speech = {
      languages: new Set(['ar', 'en'] as const),
      synthesize: (text: string) =>
        unavailable.voice ? Promise.reject(new SpeechError('no voice')) : Promise.resolve(`/speech/${text}`),
    };
    routes = ownNumberRoutes({
      claims: new ClaimOwnNumber({
        ...numbers,
        claims: numbers.stores.ownNumberClaims,
        inventory: numbers.stores.inventory,
        numbers: numbers.stores.numbers,
        codes: stage.codes,
        spoken: new SpokenCodes(speech, stage.calls, systemClock),
        limits: new ClaimLimits(new MemoryRateLimiter(systemClock), TEST_CIPHER),
        clock: stage.clock,
      }),
    });
    api = await testApi({ db: stage.database.db, routes: [...routes, ...numbers.routes] });
    ({ key } = await api.key({ projectId: stage.projectId }));
  });
  afterEach(async () => {
    await api.close();
    // Each test starts without the numbers of the previous one.
    await stage.database.db.query(
      `UPDATE numbers SET state = 'released', organization_id = NULL, project_id = NULL WHERE e164 = $1`,
      [NUMBER],
    );
    await numbers.close();
    await rm(folder, { recursive: true, force: true });
    expect(api.faults).to.deep.equal([]);
  });

  const request = (method: string, path: string, json?: object, as = key): Promise<Answer> =>
    api.request(method, `/v1/numbers${path}`, { key: as, ...(json && { json }) });
  const codeOf = async (answer: Promise<Answer>): Promise<string> => {
    const { status, body } = await answer;
    const [detail] = (body?.details ?? []) as { path: string }[];
    return `${status} ${String(body?.error_code)}${detail ? ` ${detail.path}` : ''}`;
  };
  async function claimed(json: object = {}, as = key): Promise<string> {
    const answer = await request('POST', '/own-did', { number: '0501234517', language: 'en', ...json }, as);
    expect(answer.status, answer.text).to.equal(201);
    return String(answer.body?.id);
  }
  /** The code as spoken in the call. */
  async function spokenCode(): Promise<string> {
    const before = stage.spoken('en').length;
    const callId = await stage.phones.newest();
    await stage.phones.untilStatus(callId, 'ended');
    // The call speaks it twice.
    return stage.spoken('en').slice(before, before + 6);
  }
  const verify = (id: string, code?: string, as = key): Promise<Answer> =>
    request('POST', `/own-did/${id}/verify`, code === undefined ? {} : { code }, as);

  it('conforms to the OpenAPI contract', async () => {
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    expect(documentProblems(openApiDocument({ routes, version: '1', serverUrl: '' }), routes)).to.deep.equal([]);
  });

  it('assigns a number after its code, spoken in a call, was entered', async () => {
    const claim = await request('POST', '/own-did', { number: '0501234517', language: 'en' });
    expect(claim.status, claim.text).to.equal(201);
    expect(claim.body).to.deep.include({ e164: NUMBER, method: 'call', status: 'pending', number_id: null });
    expect(claim.text, 'the call that speaks the code').not.to.contain(await stage.phones.newest());
    const id = String(claim.body?.id);
    const code = await spokenCode();
    expect(code).to.match(/^\d{6}$/);
    expect(await codeOf(verify(id, wrong(code)))).to.equal('403 OWN_DID_NUMBER_NOT_AUTHORIZED');
    expect(await codeOf(verify(id))).to.equal('403 OWN_DID_NUMBER_NOT_AUTHORIZED');
    expect(await codeOf(verify(id, '12'))).to.equal('400 VALIDATION_ERROR code');
    // Nothing is verified yet.
    expect(await numbers.stores.numbers.findByE164(NUMBER)).to.equal(null);
    const verified = await verify(id, code);
    expect(verified.status, verified.text).to.equal(200);
    expect(verified.body).to.deep.include({ id, status: 'verified' });
    expect((await verify(id, code)).body, 'a repeat').to.deep.equal(verified.body);
    const number = await request('GET', `/${String(verified.body?.number_id)}`);
    expect(number.body).to.deep.include({ e164: NUMBER, source: 'own', status: 'assigned', binding: null });
    // The organization has the number: its calls may use it as caller ID.
    expect(await stage.phones.eventTypes(await stage.phones.newest())).to.deep.equal([]);
    const row = await numbers.stores.numbers.findByE164(NUMBER);
    expect(row?.organization_id).to.equal(stage.phones.ground.organizationId);
    const text = api.log.join('\n');
    expect(text).not.to.contain(code);
    // The customer's own number has no quarantine after its release.
    await request('DELETE', `/${String(verified.body?.number_id)}`);
    expect((await numbers.stores.inventory.find(NUMBER))?.state).to.equal('released');
  });

  it('allows five attempts and ten minutes per code', async () => {
    const id = await claimed();
    const code = await spokenCode();
    for (let tries = 0; tries < 5; tries += 1)
      expect(await codeOf(verify(id, wrong(code)))).to.equal('403 OWN_DID_NUMBER_NOT_AUTHORIZED');
    expect(await codeOf(verify(id, code))).to.equal('403 OWN_DID_NUMBER_NOT_AUTHORIZED');
    expect((await request('GET', `/own-did/${id}`)).body).to.deep.include({ status: 'failed' });
    const late = await claimed();
    const lateCode = await spokenCode();
    await stage.clock.advance(601_000);
    expect(await codeOf(verify(late, lateCode))).to.equal('403 OWN_DID_NUMBER_NOT_AUTHORIZED');
    expect((await request('GET', `/own-did/${late}`)).body).to.deep.include({ status: 'expired' });
    expect(await numbers.stores.numbers.findByE164(NUMBER)).to.equal(null);
  });

  it('assigns the number to the first claim that is verified', async () => {
    const { key: other } = await api.key();
    const [mine, theirs] = [await claimed({ method: 'letter' }), await claimed({ method: 'letter' }, other)];
    await numbers.administration.approveClaim(theirs);
    expect(await codeOf(request('POST', '/own-did', { number: NUMBER }))).to.equal('409 OWN_DID_NUMBER_UNAVAILABLE');
    expect(await codeOf(verify(mine))).to.equal('403 OWN_DID_NUMBER_NOT_AUTHORIZED');
    expect(await codeOf(request('POST', '/own-did', { number: NUMBER }, other))).to.equal(
      '409 NUMBER_ALREADY_ASSIGNED',
    );
  });

  it('is rejected if another customer got the number during the call', async () => {
    const id = await claimed();
    const code = await spokenCode();
    const other = await api.owner();
    await numbers.service.add({ id: other.projectId, organization_id: other.organizationId }, NUMBER);
    expect(await codeOf(verify(id, code))).to.equal('409 OWN_DID_NUMBER_UNAVAILABLE');
    // The attempt did not use up the code.
    expect((await request('GET', `/own-did/${id}`)).body).to.deep.include({ status: 'pending' });
  });

  it('requires a valid number that can be called', async () => {
    expect(await codeOf(request('POST', '/own-did', {}))).to.equal('400 OWN_DID_NUMBER_REQUIRED');
    expect(await codeOf(request('POST', '/own-did', { number: '12' }))).to.equal('400 INVALID_PHONE_NUMBER number');
    expect(await codeOf(request('POST', '/own-did', { number: '911' }))).to.equal('400 INVALID_PHONE_NUMBER');
    expect(await codeOf(request('POST', '/own-did', { number: NUMBER, method: 'pigeon' }))).to.equal(
      '400 VALIDATION_ERROR method',
    );
    const before = (await request('GET', '/own-did')).body?.data as unknown[];
    unavailable.voice = true;
    expect(await codeOf(request('POST', '/own-did', { number: NUMBER }))).to.equal('502 CALL_FAILED');
    expect((await request('GET', '/own-did')).body?.data).to.deep.equal(before);
  });

  for (const how of SPENT) {
    it(`answers ${how} when the project may spend nothing more`, async () => {
      await spendAll(stage.database.db, stage.phones.ground, how);
      expect(await codeOf(request('POST', '/own-did', { number: NUMBER }))).to.equal(`402 ${how}`);
      expect((await request('GET', '/own-did')).body?.data).to.deep.equal([]);
      await claimed({ method: 'letter' });
    });
  }

  it('calls a number at most three times an hour, regardless of the API key', async () => {
    await claimed();
    await claimed();
    const { key: other } = await api.key({ projectId: stage.projectId });
    await claimed({}, other);
    const fourth = await request('POST', '/own-did', { number: NUMBER });
    expect(fourth.body?.error_code).to.equal('RATE_LIMIT_EXCEEDED');
    expect(Number(fourth.headers.get('retry-after'))).to.be.within(3500, 3601);
  });

  it('accepts a letter when the operator approves it', async () => {
    const id = await claimed({ method: 'letter' });
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(PDF)]), 'letter.pdf');
    const letter = await api.request('POST', `/v1/numbers/own-did/${id}/letter`, { key, raw: form });
    expect(letter.status, letter.text).to.equal(201);
    expect((await numbers.administration.claim(id)).documents.map(({ name }) => name)).to.deep.equal(['letter.pdf']);
    expect(await codeOf(verify(id))).to.equal('403 OWN_DID_NUMBER_NOT_AUTHORIZED');
    expect(await codeOf(verify(id, '123456'))).to.equal('403 OWN_DID_NUMBER_NOT_AUTHORIZED');
    await numbers.administration.approveClaim(id);
    expect((await verify(id)).body).to.deep.include({ status: 'verified' });
    expect(await numbers.stores.numbers.findByE164(NUMBER)).to.deep.include({ source: 'own' });
    const again = await api.request('POST', `/v1/numbers/own-did/${id}/letter`, { key, raw: form });
    expect(again.body?.error_code).to.equal('OWN_DID_NUMBER_NOT_AUTHORIZED');
  });

  it('rejects a letter when the operator rejects it', async () => {
    const id = await claimed({ method: 'letter' });
    await numbers.administration.rejectClaim(id, 'It names another customer');
    expect((await request('GET', `/own-did/${id}`)).body).to.deep.include({
      status: 'rejected',
      reason: 'It names another customer',
    });
    expect(await codeOf(verify(id))).to.equal('403 OWN_DID_NUMBER_NOT_AUTHORIZED');
  });

  it('shows claims to their own project only', async () => {
    const id = await claimed({ method: 'letter' });
    const { key: other } = await api.key();
    expect(await codeOf(request('GET', `/own-did/${id}`, undefined, other))).to.equal('404 NOT_FOUND');
    expect(await codeOf(verify(id, '123456', other))).to.equal('404 NOT_FOUND');
    expect((await request('GET', '/own-did', undefined, other)).body?.data).to.deep.equal([]);
    expect(((await request('GET', '/own-did?limit=1')).body?.data as { id: string }[])[0]?.id).to.equal(id);
  });

  it('hides claims, which are live, from sandbox keys', async () => {
    const id = await claimed({ method: 'letter' });
    const { key: sandbox } = await api.key({ projectId: stage.projectId, kind: 'sandbox' });
    expect(await codeOf(request('GET', `/own-did/${id}`, undefined, sandbox))).to.equal('404 NOT_FOUND');
    expect((await request('GET', '/own-did', undefined, sandbox)).body?.data).to.deep.equal([]);
  });
});
