import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import { NO_FORWARDING } from '../../../core/model/call/forwarding.js';
import { parseNumber } from '../../../core/model/phone-numbers.js';
import type { NumberState } from '../../../core/model/number/states.js';
import { newNumberRow } from '../../../core/services/numbers/number-assigner.js';
import type { OwnableKind } from '../../../core/model/number/search.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { numberStage, type NumberStage } from '../../support/stages/number-stage.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';

const RIYADH = ['+966115550001', '+966115550002', '+966115555555'];
const TOLL_FREE = '+9668001234567';

describe('the numbers API', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: NumberStage;
  let api: TestApi;
  let key: string;
  let owner: { organizationId: string; projectId: string };

  beforeEach(async () => {
    database = await testDatabase();
    stage = numberStage(database.url);
    api = await testApi({ db: database.db, routes: stage.routes });
    owner = await api.owner();
    ({ key } = await api.key({ projectId: owner.projectId }));
    await offer(...RIYADH, TOLL_FREE);
  });
  afterEach(async () => {
    await api.close();
    await stage.close();
    await database.close();
    expect(api.faults).to.deep.equal([]);
  });

  async function offer(...numbers: string[]): Promise<void> {
    const rows = numbers.map((e164) => {
      const kind = parseNumber(e164, { allowForeign: true })?.kind as OwnableKind;
      return newNumberRow({ e164, kind, state: 'available', source: 'operator' }, new Date());
    });
    await stage.stores.inventory.add(rows, 'imported');
  }
  const request = (method: string, path: string, json?: object, as = key): Promise<Answer> =>
    api.request(method, `/v1/numbers${path}`, { key: as, ...(json && { json }) });
  const codeOf = async (answer: Promise<Answer>): Promise<string> => {
    const { status, body } = await answer;
    return `${status} ${String(body?.error_code)}`;
  };
  async function ordered(json: object, as = key): Promise<{ id: string; e164: string }> {
    const answer = await request('POST', '', json, as);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body as { id: string; e164: string };
  }
  const offered = async (query = ''): Promise<string[]> => {
    const answer = await request('GET', `/available${query}`);
    expect(answer.status, answer.text).to.equal(200);
    return (answer.body?.data as { e164: string }[]).map(({ e164 }) => e164);
  };
  const listed = async (as = key): Promise<string[]> =>
    ((await request('GET', '', undefined, as)).body?.data as { e164: string }[]).map(({ e164 }) => e164);
  const stateOf = async (e164: string): Promise<NumberState | undefined> =>
    (await stage.stores.inventory.find(e164))?.state;
  const eventsOf = (projectId: string): Promise<{ type: string; data: Record<string, unknown> }[]> =>
    database.db.query(`SELECT type, data FROM events WHERE project_id = $1 ORDER BY id`, [projectId]);
  const historyOf = async (e164: string): Promise<string[]> => {
    const row = await stage.stores.inventory.find(e164);
    const changes = await stage.stores.inventory.history(String(row?.id));
    return changes.map(({ from_state, to_state }) => `${from_state ?? ''}>${to_state}`);
  };

  it('conforms to the OpenAPI contract', async () => {
    expect(await routeProblems(api, stage.routes)).to.deep.equal([]);
    const document = openApiDocument({ routes: stage.routes, version: '1', serverUrl: '' });
    expect(documentProblems(document, stage.routes)).to.deep.equal([]);
  });

  describe('offers', () => {
    it('are found by prefix in every form, by type and by pattern', async () => {
      expect(await offered()).to.deep.equal([...RIYADH, TOLL_FREE]);
      for (const prefix of ['%2B96611', '+96611', '011', '0096611', '96611']) {
        expect(await offered(`?prefix=${prefix}`), prefix).to.deep.equal(RIYADH);
      }
      expect(await offered('?prefix=800')).to.deep.equal([TOLL_FREE]);
      expect(await offered('?type=toll_free')).to.deep.equal([TOLL_FREE]);
      expect(await offered('?type=mobile')).to.deep.equal([]);
      expect(await offered('?pattern=*5555')).to.deep.equal([RIYADH[2]]);
      expect(await offered('?pattern=*000?')).to.deep.equal(RIYADH.slice(0, 2));
      expect(await offered('?pattern=*555*&prefix=011&type=geographic')).to.deep.equal(RIYADH);
      expect(await offered('?limit=1')).to.deep.equal([RIYADH[0]]);
      for (const query of ['?prefix=abc', '?pattern=%25', '?pattern=5_5', '?type=x', '?limit=0']) {
        expect(await codeOf(request('GET', `/available${query}`)), query).to.equal('400 VALIDATION_ERROR');
      }
    });

    it('exclude assigned numbers', async () => {
      await ordered({ number: RIYADH[0] });
      expect(await offered('?prefix=011')).to.deep.equal(RIYADH.slice(1));
    });
  });

  describe('an order', () => {
    it('assigns the number, records its history and sends the event', async () => {
      const number = await ordered({ number: '011 555 0001' });
      expect(number).to.deep.include({ e164: RIYADH[0], type: 'geographic', status: 'assigned', source: 'operator' });
      expect(await request('GET', `/${number.id}`))
        .to.have.property('body')
        .deep.equal(number);
      expect(await listed()).to.deep.equal([RIYADH[0]]);
      expect(await historyOf(RIYADH[0]!)).to.deep.equal(['>available', 'available>reserved', 'reserved>assigned']);
      expect(await eventsOf(owner.projectId)).to.deep.equal([{ type: 'number.assigned', data: number }]);
    });

    it('takes any number that matches, and reports if there is none', async () => {
      expect(await ordered({ prefix: '011', pattern: '*5555' })).to.deep.include({ e164: RIYADH[2] });
      expect(await ordered({ type: 'toll_free' })).to.deep.include({ e164: TOLL_FREE });
      expect(await codeOf(request('POST', '', { type: 'toll_free' }))).to.equal('409 NUMBER_NOT_AVAILABLE');
      expect(await codeOf(request('POST', '', { number: '+966115559876' }))).to.equal('409 NUMBER_NOT_AVAILABLE');
      expect(await codeOf(request('POST', '', { number: '123' }))).to.equal('400 INVALID_PHONE_NUMBER');
      expect(await codeOf(request('POST', '', {}))).to.equal('400 VALIDATION_ERROR');
      expect(await codeOf(request('POST', '', { number: RIYADH[0], prefix: '011' }))).to.equal('400 VALIDATION_ERROR');
    });

    it('rejects a number that is assigned, also to the same project', async () => {
      await ordered({ number: RIYADH[0] });
      const { key: other } = await api.key();
      expect(await codeOf(request('POST', '', { number: RIYADH[0] }, other))).to.equal('409 NUMBER_ALREADY_ASSIGNED');
      expect(await codeOf(request('POST', '', { number: RIYADH[0] }))).to.equal('409 NUMBER_ALREADY_ASSIGNED');
    });

    it('gives a number to one of fifty concurrent requests, and fifty numbers to requests for any number', async () => {
      const keys = await Promise.all(Array.from({ length: 50 }, async () => (await api.key()).key));
      const answers = await Promise.all(keys.map((one) => request('POST', '', { number: RIYADH[0] }, one)));
      const outcomes = answers.map(({ status, body }) => (status === 201 ? 'assigned' : String(body?.error_code)));
      expect(outcomes.filter((outcome) => outcome === 'assigned')).to.have.length(1);
      expect(new Set(outcomes.filter((outcome) => outcome !== 'assigned'))).to.deep.equal(
        new Set(['NUMBER_ALREADY_ASSIGNED']),
      );
      expect(await historyOf(RIYADH[0]!)).to.deep.equal(['>available', 'available>reserved', 'reserved>assigned']);
      await offer(...Array.from({ length: 60 }, (_, index) => `+96612555${String(index).padStart(4, '0')}`));
      const anyOf = await Promise.all(keys.map((one) => request('POST', '', { prefix: '012' }, one)));
      expect(new Set(anyOf.map(({ body }) => body?.e164)).size).to.equal(50);
    });

    it('makes the first number the main one', async () => {
      const { projects } = stage.stores;
      await projects.setMainNumber(owner.projectId, null);
      await ordered({ number: RIYADH[1] });
      await ordered({ number: RIYADH[0] });
      expect((await projects.get(owner.projectId))?.main_number).to.equal(RIYADH[1]);
    });
  });

  describe('numbers of a project', () => {
    it('can be labelled, and are hidden from other projects', async () => {
      const { id } = await ordered({ number: RIYADH[0] });
      const changed = await request('PATCH', `/${id}`, { label: ' Reception ' });
      expect(changed.body).to.deep.include({ id, label: 'Reception' });
      expect((await request('PATCH', `/${id}`, {})).body).to.deep.equal(changed.body);
      expect((await request('PATCH', `/${id}`, { label: null })).body).to.deep.include({ label: null });
      expect(await codeOf(request('PATCH', `/${id}`, { label: '' }))).to.equal('400 VALIDATION_ERROR');
      const { key: other } = await api.key();
      expect(await codeOf(request('GET', `/${id}`, undefined, other))).to.equal('404 NUMBER_NOT_FOUND');
      expect(await codeOf(request('PATCH', `/${id}`, { label: 'x' }, other))).to.equal('404 NUMBER_NOT_FOUND');
      expect(await codeOf(request('PATCH', `/${id}`, {}, other))).to.equal('404 NUMBER_NOT_FOUND');
      expect(await codeOf(request('DELETE', `/${id}`, undefined, other))).to.equal('404 NUMBER_NOT_FOUND');
      expect(await listed(other)).to.deep.equal([]);
      expect(await stateOf(RIYADH[0]!)).to.equal('assigned');
    });

    it('are listed page by page, newest first', async () => {
      for (const number of RIYADH) await ordered({ number });
      const first = await request('GET', '?limit=2');
      const next = await request('GET', `?limit=2&cursor=${String(first.body?.next_cursor)}`);
      const both = [first, next].flatMap(({ body }) => (body?.data as { e164: string }[]).map(({ e164 }) => e164));
      expect(both).to.have.members(RIYADH);
      expect(next.body?.next_cursor).to.equal(null);
    });

    it('are in quarantine for thirty days after their release', async () => {
      const { id } = await ordered({ number: RIYADH[0] });
      expect((await request('DELETE', `/${id}`)).status).to.equal(204);
      expect(await codeOf(request('GET', `/${id}`))).to.equal('404 NUMBER_NOT_FOUND');
      expect(await codeOf(request('DELETE', `/${id}`))).to.equal('404 NUMBER_NOT_FOUND');
      expect(await stateOf(RIYADH[0]!)).to.equal('quarantined');
      const events = await eventsOf(owner.projectId);
      expect(events.at(-1)).to.have.property('type', 'number.released');
      expect(events.at(-1)?.data).to.deep.include({ id, e164: RIYADH[0], status: 'quarantined' });
      stage.pass(29.9);
      await stage.sweep.run();
      expect(await codeOf(request('POST', '', { number: RIYADH[0] }))).to.equal('409 NUMBER_NOT_AVAILABLE');
      stage.pass(0.2);
      await stage.sweep.run();
      expect(await stateOf(RIYADH[0]!)).to.equal('available');
      const { key: other } = await api.key();
      expect(await ordered({ number: RIYADH[0] }, other)).to.deep.include({ e164: RIYADH[0] });
      expect((await historyOf(RIYADH[0]!)).slice(-4)).to.deep.equal([
        'assigned>quarantined',
        'quarantined>available',
        'available>reserved',
        'reserved>assigned',
      ]);
    });

    it('cannot be used as caller ID after their release', async () => {
      const { projects, agents } = stage.stores;
      const [first, second] = [await ordered({ number: RIYADH[0] }), await ordered({ number: RIYADH[1] })];
      await projects.setMainNumber(owner.projectId, first.e164);
      await agents.create({
        id: first.id,
        project_id: owner.projectId,
        organization_id: owner.organizationId,
        agent: '1001',
        aor: '1001',
        display_name: 'Reem',
        sip_password: 'sealed',
        may_call_out: true,
        fraud_limits: null,
        destination_classes: ['national', 'mobile'],
        caller_id_number: first.e164,
        record_calls: false,
        priority: 5,
        skills: {},
        forwarding: NO_FORWARDING,
        created_at: new Date(),
      });
      await request('DELETE', `/${first.id}`);
      expect((await projects.get(owner.projectId))?.main_number).to.equal(second.e164);
      expect((await agents.findByExtension(owner.projectId, '1001'))?.caller_id_number).to.equal(null);
      await request('DELETE', `/${second.id}`);
      expect((await projects.get(owner.projectId))?.main_number).to.equal(null);
      expect(await stage.stores.numbers.findByE164(first.e164)).to.equal(null);
    });
  });
});
