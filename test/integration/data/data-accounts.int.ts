import { expect } from 'chai';

import { violatedUnique } from '../../../core/data/errors.js';
import { webhookEndpointsOf } from '../../../core/data/models/tables.js';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { AudioFiles } from '../../../core/data/repositories/calls/audio-files.js';
import { Keys } from '../../../core/data/repositories/accounts/keys.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { Organizations } from '../../../core/data/repositories/accounts/organizations.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import type { ProjectKind as Kind } from '../../../core/data/repositories/project-kind.js';
import { newOrganizationRow } from '../../../core/services/accounts/new-account.js';
import type { AgentRow, KeyRow, NumberRow, OrganizationRow, ProjectRow, TrunkRow } from '../../../core/data/rows.js';
import { NO_FORWARDING } from '../../../core/model/call/forwarding.js';
import { newId } from '../../../core/model/ids.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { endpointRow } from '../../support/rows/rows.js';
import { trunkRow } from '../../support/rows/trunk-row.js';

const NOW = new Date(1_767_225_600_123);
const MINUTE = 60_000;

describe('accounts and their resources', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let organization: OrganizationRow;
  let project: ProjectRow;

  before(async () => {
    database = await testDatabase();
  });
  after(() => database.close());
  beforeEach(async () => {
    organization = newOrganizationRow('شركة', 'production', { verify: false }, NOW);
    project = {
      id: newId(),
      organization_id: organization.id,
      name: 'Main',
      main_number: '+966112345678',
      default_destination: { type: 'agent', target: '101' },
      signing_secret: 'sealed',
      recording_retention_days: null,
      recording_announcement: 'off',
      destination_classes: ['national', 'mobile'],
      max_calls: 50,
      fraud_limits: null,
      allowed_origins: ['https://www.example.com'],
      created_at: NOW,
    };
    await new Organizations(database.db).create(organization);
    await new Projects(database.db).create(project);
  });

  const owner = () => ({ project_id: project.id, organization_id: organization.id });

  it('store organizations and projects unchanged', async () => {
    const organizations = new Organizations(database.db);
    const projects = new Projects(database.db);
    expect(await organizations.get(organization.id)).to.deep.equal(organization);
    expect(await organizations.list()).to.deep.include(organization);
    expect(await projects.get(project.id)).to.deep.equal(project);
    expect(await projects.list()).to.deep.include(project);
    expect(await projects.get(newId())).to.equal(null);
    await projects.setMainNumber(project.id, '+966112345670');
    await projects.setDefaultDestination(project.id, null);
    expect(await projects.get(project.id)).to.deep.equal({
      ...project,
      main_number: '+966112345670',
      default_destination: null,
    });
  });

  it('are created atomically in a transaction', async () => {
    const other = { ...organization, id: newId() };
    const failure = await failureOf(
      database.db.transaction(async (tx) => {
        await new Organizations(database.db).create(other, tx);
        await new Projects(database.db).create({ ...project, organization_id: other.id }, tx);
      }),
    );
    expect(violatedUnique(failure)).to.equal('projects_pkey');
    expect(await new Organizations(database.db).get(other.id)).to.equal(null);
  });

  describe('keys', () => {
    const keys = () => new Keys(database.db);
    const keyRow = (changes: Partial<KeyRow> = {}): KeyRow => ({
      id: newId(),
      ...owner(),
      name: 'Server',
      kind: 'live',
      prefix: 'sk_live_abcd',
      hash: newId(),
      scopes: ['calls:read', 'calls:write'],
      allowed_ips: ['10.0.0.0/8'],
      rate_limit_per_minute: 100,
      expires_at: new Date(NOW.getTime() + MINUTE),
      revoked_at: null,
      last_used_at: null,
      created_at: NOW,
      ...changes,
    });

    it('are found by their hash with project and organization', async () => {
      const key = keyRow();
      await keys().create(key);
      expect(await keys().findByHash(key.hash)).to.deep.equal({ key, project, organization });
      expect(await keys().findByHash('other')).to.equal(null);
      expect(await keys().listByProject(project.id)).to.deep.equal([key]);
    });

    it('have unique hashes', async () => {
      const key = keyRow();
      await keys().create(key);
      expect(violatedUnique(await failureOf(keys().create(keyRow({ hash: key.hash }))))).to.equal('api_keys_hash');
    });

    it('are revoked once, by their own project, and can still be found', async () => {
      const key = keyRow();
      await keys().create(key);
      const at = new Date(NOW.getTime() + 1);
      expect(await keys().revoke(newId(), key.id, at)).to.equal(false);
      expect(await keys().revoke(project.id, key.id, at)).to.equal(true);
      expect(await keys().revoke(project.id, key.id, new Date())).to.equal(false);
      expect((await keys().findByHash(key.hash))?.key).to.deep.equal({ ...key, revoked_at: at });
    });

    it('record their use at most once a minute', async () => {
      const key = keyRow();
      await keys().create(key);
      const used = async () => (await keys().findByHash(key.hash))?.key.last_used_at?.getTime();
      await keys().touch(key.id, NOW);
      expect(await used()).to.equal(NOW.getTime());
      await keys().touch(key.id, new Date(NOW.getTime() + MINUTE));
      expect(await used()).to.equal(NOW.getTime());
      await keys().touch(key.id, new Date(NOW.getTime() + MINUTE + 1));
      expect(await used()).to.equal(NOW.getTime() + MINUTE + 1);
    });
  });

  describe('numbers and agents', () => {
    const numbers = () => new Numbers(database.db);
    const agents = () => new Agents(database.db);
    let last = 0;
    const numberRow = (changes: Partial<NumberRow> = {}): NumberRow => ({
      id: newId(),
      ...owner(),
      sandbox: false,
      e164: `+96611${String((last += 1)).padStart(7, '0')}`,
      kind: 'geographic',
      state: 'assigned',
      source: 'operator',
      provider: null,
      label: null,
      binding: null,
      order_id: null,
      due_at: null,
      assigned_at: NOW,
      created_at: NOW,
      ...changes,
    });
    const agentRow = (changes: Partial<AgentRow> = {}): AgentRow => ({
      id: newId(),
      ...owner(),
      agent: '101',
      aor: newId(),
      display_name: 'سارة',
      sip_password: 'sealed',
      may_call_out: true,
      fraud_limits: null,
      destination_classes: ['national', 'mobile'],
      record_calls: false,
      priority: 5,
      skills: {},
      forwarding: NO_FORWARDING,
      caller_id_number: null,
      created_at: NOW,
      ...changes,
    });

    it('are found across projects, listed by project and bound', async () => {
      const [first, second] = [numberRow(), numberRow()];
      await numbers().create(first);
      await numbers().create(second);
      expect(await numbers().findByE164(second.e164)).to.deep.equal(second);
      expect(await numbers().findByE164('+966119999999')).to.equal(null);
      expect(await numbers().listByProject(project.id)).to.deep.equal([first, second]);
      expect(violatedUnique(await failureOf(numbers().create(numberRow({ e164: first.e164 }))))).to.equal(
        'numbers_e164',
      );
      const binding = { type: 'agent', target: '101' };
      await numbers().setBinding(second.id, binding);
      expect(await numbers().findByE164(second.e164)).to.deep.equal({ ...second, binding });
      expect(await numbers().findByAgent(project.id, '101')).to.deep.equal({ ...second, binding });
      expect(await numbers().findByAgent(project.id, '102')).to.equal(null);
      expect(await numbers().findByAgent(newId(), '101')).to.equal(null);
      await numbers().setBinding(second.id, null);
      expect((await numbers().findByE164(second.e164))?.binding).to.equal(null);
    });

    it('refuse numbers that are not E.164', async () => {
      expect(await failureOf(numbers().create(numberRow({ e164: '0112345678' })))).to.be.an('error');
    });

    it('find agents by extension in their project and by SIP name anywhere', async () => {
      const [b, a] = [agentRow({ agent: '102' }), agentRow({ agent: '101' })];
      await agents().create(b);
      await agents().create(a);
      expect(await agents().findByExtension(project.id, '101')).to.deep.equal(a);
      expect(await agents().findByExtension(newId(), '101')).to.equal(null);
      expect(await agents().findByAor(b.aor)).to.deep.equal(b);
      expect(await agents().listByProject(project.id)).to.deep.equal([a, b]);
      expect(await agents().list()).to.deep.include.members([a, b]);
      expect(violatedUnique(await failureOf(agents().create(agentRow())))).to.equal('agents_extension');
      expect(violatedUnique(await failureOf(agents().create(agentRow({ agent: '103', aor: a.aor }))))).to.equal(
        'agents_aor',
      );
      await agents().setPassword(a.id, 'new');
      expect(await agents().findByAor(a.aor)).to.deep.equal({ ...a, sip_password: 'new' });
      expect(await agents().setCallingOut(a.project_id, a.agent, { may_call_out: false })).to.equal(true);
      expect(await agents().findByAor(a.aor)).to.deep.include({ may_call_out: false, caller_id_number: null });
      expect(await agents().setCallingOut(newId(), a.agent, { may_call_out: false })).to.equal(false);
    });
  });

  it('have at most one default trunk', async () => {
    const trunks = new Trunks(database.db);
    const made = { inbound_addresses: ['192.0.2.1', '192.0.2.0/24'], codecs: ['alaw', 'opus'], capacity: 30 };
    const [a, b] = [trunkRow('a', { ...made, created_at: NOW }), trunkRow('b', { created_at: NOW })];
    const defaults = async (): Promise<TrunkRow[]> => (await trunks.list()).filter(({ is_default }) => is_default);
    await trunks.create(a);
    expect(await defaults()).to.deep.equal([a]);
    expect(violatedUnique(await failureOf(trunks.create(trunkRow('a'))))).to.equal('trunks_name');
    expect(await defaults(), 'a failed insert replaces no default').to.deep.equal([a]);
    await trunks.create(b);
    expect(await trunks.list()).to.deep.equal([{ ...a, is_default: false }, b]);
    expect(await trunks.change(a.id, { is_default: true, enabled: false })).to.deep.equal({ ...a, enabled: false });
    expect(await defaults()).to.have.length(1);
    expect(await trunks.enabled()).to.deep.equal([{ ...b, is_default: false }]);
    expect(await trunks.change(newId(), { enabled: false })).to.equal(null);
    await trunks.remove(a.id);
    expect(await defaults()).to.deep.equal([]);
  });

  it('have their own audio files', async () => {
    const files = new AudioFiles(database.db);
    const file = {
      id: newId(),
      project_id: project.id,
      sandbox: false,
      name: 'welcome.wav',
      duration_ms: 1_500,
      bytes: 24_044,
      created_at: NOW,
    };
    await files.createWithin(file, Infinity);
    const [live, sandbox] = [false, true].map((each) => ({ projectId: project.id, sandbox: each })) as [Kind, Kind];
    const elsewhere = { ...live, projectId: newId() };
    expect(await files.get(live, file.id)).to.deep.equal(file);
    expect(await files.page(live, null, 10)).to.deep.equal([file]);
    expect(await files.totals(live)).to.deep.equal({ files: 1, durationMs: 1_500 });
    for (const other of [sandbox, elsewhere]) {
      expect(await files.get(other, file.id)).to.equal(null);
      expect(await files.page(other, null, 10)).to.deep.equal([]);
      expect(await files.remove(other, file.id)).to.equal(false);
      expect(await files.totals(other)).to.deep.equal({ files: 0, durationMs: 0 });
    }
    expect(await files.remove(live, file.id)).to.equal(true);
    expect(await files.get(live, file.id)).to.equal(null);
  });

  it('have webhook endpoints that the model reads back unchanged', async () => {
    const table = webhookEndpointsOf(database.db);
    const row = endpointRow({ organizationId: organization.id, projectId: project.id, engineId: newId() });
    await table.insert(row);
    expect(await table.findOne({ id: row.id })).to.deep.equal(row);
    expect(violatedUnique(await failureOf(table.insert({ ...row, id: newId() })))).to.equal('webhook_endpoints_url');
  });
});
