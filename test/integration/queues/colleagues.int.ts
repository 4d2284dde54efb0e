import { expect } from 'chai';
import { ColleagueRows } from '../../../core/data/repositories/accounts/colleagues.js';
import { colleagueRoutes } from '../../../api/routes/queues/colleagues.js';
import { Colleagues } from '../../../core/services/agents/colleagues.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { testApi, type Owner, type TestApi } from '../../support/api.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { codeOf, detailsOf } from '../../support/judges/outcome.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { addMember } from '../../support/rows/members.js';
import { engineRow, insertRows } from '../../support/rows/rows.js';
import { webSessionRow } from '../../support/rows/web-session-row.js';

const PEOPLE = [
  ['1001', 'أحمد الغامدي'],
  ['1002', 'Reem Al-Otaibi'],
  ['1010', 'Faisal'],
  ['desk.1', 'Front desk'],
] as const;

describe('The search for colleagues', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let api: TestApi;
  let owner: Owner;
  let key: string;

  const addAgents = async (to: Owner, people: readonly (readonly [string, string])[]): Promise<void> => {
    for (const [agent, name] of people) {
      await database.db.query(
        `INSERT INTO agents (id, project_id, organization_id, agent, aor, display_name, sip_password, may_call_out,
           destination_classes, record_calls, priority, skills, created_at)
         VALUES (gen_random_uuid(), $1, $2, $3::text, $3::text || $6::text, $4, $5, true, '{}', false, 5, '{}', now())`,
        [to.projectId, to.organizationId, agent, name, TEST_CIPHER.seal('secret'), to.projectId],
      );
    }
  };

  before(async () => {
    database = await testDatabase();
    const colleagues = new Colleagues(new ColleagueRows(database.db), systemClock);
    api = await testApi({ db: database.db, routes: colleagueRoutes({ colleagues }) });
    owner = await api.owner();
    ({ key } = await api.key({ projectId: owner.projectId }));
    await addAgents(owner, PEOPLE);
  });
  after(async () => {
    expect(api.faults).to.deep.equal([]);
    await api.close();
    await database.close();
  });

  const found = async (query: string, as = key): Promise<string[]> => {
    const answer = await api.request('GET', `/v1/colleagues${query}`, { key: as });
    expect(answer.status, answer.text).to.equal(200);
    return (answer.body?.data as { agent: string }[]).map(({ agent }) => agent);
  };
  const searched = (text: string, as?: string): Promise<string[]> => found(`?search=${encodeURIComponent(text)}`, as);

  it('finds names and extensions by the beginning of their words, however they are written', async () => {
    expect(await found('')).to.deep.equal(['1001', '1002', '1010', 'desk.1']);
    expect(await searched('احمد')).to.deep.equal(['1001']);
    expect(await searched('غامدي أحمد')).to.deep.equal(['1001']);
    expect(await searched('otaibi RE')).to.deep.equal(['1002']);
    expect(await searched('10')).to.deep.equal(['1001', '1002', '1010']);
    expect(await searched('١٠٠١')).to.deep.equal(['1001']);
    expect(await searched('desk')).to.deep.equal(['desk.1']);
    expect(await searched('aisal')).to.deep.equal([]);
    expect(await found('?limit=2')).to.deep.equal(['1001', '1002']);
  });

  it('says whose phone or browser would ring', async () => {
    const engine = engineRow({ name: 'pbx' });
    await insertRows(database.db, 'engines', [engine]);
    const ground = { organizationId: owner.organizationId, projectId: owner.projectId };
    const takes = webSessionRow(ground, { agent: '1002' });
    const makes = webSessionRow(ground, { agent: '1010', rights: { incoming: false } });
    await insertRows(database.db, 'web_calling_sessions', [takes, makes]);
    const aors = [`1001${owner.projectId}`, takes.aor, makes.aor];
    await insertRows(
      database.db,
      'softphone_registrations',
      aors.map((aor) => ({ engine_id: engine.id, aor, since: new Date() })),
    );
    const { body } = await api.request('GET', '/v1/colleagues', { key });
    expect(body?.data).to.deep.equal([
      { agent: '1001', display_name: 'أحمد الغامدي', is_reachable: true },
      { agent: '1002', display_name: 'Reem Al-Otaibi', is_reachable: true },
      { agent: '1010', display_name: 'Faisal', is_reachable: false },
      { agent: 'desk.1', display_name: 'Front desk', is_reachable: false },
    ]);
  });

  it('is for members with the role agent, too, and for no other customer', async () => {
    const { token } = await addMember(database.db, owner.organizationId, { role: 'agent', agent: '1010' });
    expect(await searched('reem', token)).to.deep.equal(['1002']);
    const stranger = await api.owner();
    await addAgents(stranger, [[`x${newId().slice(0, 8)}`, 'Reem']]);
    const { key: other } = await api.key({ projectId: stranger.projectId });
    expect(await searched('1001', other)).to.deep.equal([]);
    expect(await searched('reem', other)).to.have.lengthOf(1);
    const { token: finance } = await addMember(database.db, owner.organizationId, { role: 'finance' });
    expect(codeOf(await api.request('GET', '/v1/colleagues', { key: finance }))).to.equal('403 INSUFFICIENT_ROLE');
    const { key: without } = await api.key({ projectId: owner.projectId, scopes: ['calls:read'] });
    expect(codeOf(await api.request('GET', '/v1/colleagues', { key: without }))).to.equal(
      '403 INSUFFICIENT_PERMISSIONS',
    );
    expect(codeOf(await api.request('GET', '/v1/colleagues'))).to.equal('401 INVALID_API_KEY');
  });

  it('shows no names to a sandbox key, also not by searching for them', async () => {
    const { key: sandbox } = await api.key({ projectId: owner.projectId, kind: 'sandbox' });
    expect(await searched('reem', sandbox)).to.deep.equal([]);
    const { body } = await api.request('GET', '/v1/colleagues?search=1002', { key: sandbox });
    expect(body?.data).to.deep.equal([{ agent: '1002', display_name: '1002', is_reachable: false }]);
  });

  it('refuses what is no search', async () => {
    const bad = async (query: string): Promise<string | undefined> =>
      detailsOf(await api.request('GET', `/v1/colleagues${query}`, { key }))[0]?.path;
    expect(await bad('?search=')).to.equal('search');
    expect(await bad(`?search=${'x'.repeat(65)}`)).to.equal('search');
    expect(await bad('?limit=51')).to.equal('limit');
    expect(await bad('?name=reem')).to.equal('name');
  });
});
