import { expect } from 'chai';
import { FraudGuardTable } from '../../../core/data/repositories/calls/fraud-guard.js';
import { NO_FORWARDING } from '../../../core/model/call/forwarding.js';
import { newId } from '../../../core/model/ids.js';
import { commandForAll, type HatifCommand } from '../../support/command.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { groundIn, insertRows, type Ground } from '../../support/rows/rows.js';

describe('hatif fraud', () => {
  let database: TestDatabase;
  let command: HatifCommand;
  let ground: Ground;
  let own: readonly string[];
  const { hatif, json } = commandForAll((...opened) => ([command, database] = opened));

  before(async () => {
    await groundIn(database.db);
  });
  beforeEach(async () => {
    ground = await groundIn(database.db);
    own = ['--project', ground.projectId];
    await insertRows(database.db, 'agents', [
      {
        ...{ id: newId(), organization_id: ground.organizationId, project_id: ground.projectId, agent: '1001' },
        ...{ aor: newId(), display_name: '1001', sip_password: 'sealed', may_call_out: true, record_calls: false },
        ...{
          destination_classes: ['national', 'mobile'],
          priority: 5,
          skills: {},
          forwarding: NO_FORWARDING,
          caller_id_number: null,
        },
        created_at: new Date(),
      },
    ]);
  });

  const limits = async (): Promise<Record<string, unknown>> => {
    const { project, agents, overrides } = (await json('fraud', 'limits', ...own)) as Record<string, unknown>;
    return { project, agents, overrides };
  };
  async function block(agent: string | null): Promise<string> {
    const id = newId();
    const table = new FraudGuardTable(database.db);
    const row = {
      ...{ id, organization_id: ground.organizationId, project_id: ground.projectId, agent },
      ...{ rule: 'calls_per_hour' as const },
      ...{
        at_most: 60,
        number_masked: '+44207••••00',
        blocked_at: new Date(),
        released_at: null,
        released_by_key: null,
        ends_calls: null,
        calls_ended_at: null,
      },
    } as const;
    await database.db.transaction((tx) => table.block(tx, row));
    return id;
  }

  it('sets the limits of a project, of its agents and of one agent, and changes only what is given', async () => {
    expect(await limits()).to.deep.equal({ project: {}, agents: {}, overrides: [] });
    await json('fraud', 'set', ...own, '--spend-per-hour', '50.5');
    await json('fraud', 'set', ...own, '--agents', '--calls-per-hour', '60', '--minutes-per-day', '120');
    const night = ['--night', '22:00-06:00', '--night-classes', 'national', '--night-calls-per-hour', '5'];
    await json('fraud', 'set', ...own, '--agents', '--minutes-per-day', 'none', ...night);
    await json('fraud', 'set', ...own, '--agent', '1001', '--calls-per-hour', 'none', '--minutes-per-day', '30');
    await json('fraud', 'set', ...own, '--agent', '1001', '--minutes-per-day', 'inherit');
    const nightly = {
      ...{ from: '22:00', to: '06:00', time_zone: 'Asia/Riyadh', destination_classes: ['national'] },
      calls_per_hour: 5,
    };
    expect(await limits()).to.deep.equal({
      project: { spend_per_hour: 50_500_000 },
      agents: { calls_per_hour: 60, minutes_per_day: null, night: nightly },
      overrides: [{ agent: '1001', fraud_limits: { calls_per_hour: null } }],
    });
    const { stdout } = await hatif(['fraud', 'limits', ...own]);
    expect(stdout)
      .to.match(/the project together +- +- +50\.50/)
      .and.match(/each agent +60 +none .*22:00-06:00 Asia\/Riyadh: national, 5 calls\/hour/)
      .and.match(/agent 1001 +none .*22:00-06:00/);
  });

  it('audits each change of limits', async () => {
    await json('fraud', 'set', ...own, '--calls-per-hour', '60');
    await json('fraud', 'set', ...own, '--agent', '1001', '--calls-per-hour', '5');
    const audit = await database.db.query<{ path: string; details: object }>(
      `SELECT path, details FROM audit_log WHERE route = 'hatif fraud set' AND organization_id = $1 ORDER BY id`,
      [ground.organizationId],
    );
    expect(audit).to.deep.equal([
      { path: '/v1/fraud-limits', details: { project: { calls_per_hour: 60 }, agents: {} } },
      { path: '/v1/fraud-limits/1001', details: { agent: '1001', calls_per_hour: 5 } },
    ]);
  });

  it('sets defaults of the installation and of an organization, which projects inherit', async () => {
    const name = ['--organization', ground.organizationId];
    expect((await hatif(['fraud', 'defaults'])).stdout).to.contain('Live calls of those who are blocked: not set');
    await json('fraud', 'set-defaults', '--agents', '--calls-per-hour', '90');
    await json('fraud', 'set-defaults', '--spend-per-hour', '100', '--end-calls', 'on');
    await json('fraud', 'set-defaults', ...name, '--agents', '--minutes-per-day', '60', '--end-calls', 'off');
    expect(await json('fraud', 'defaults', ...name)).to.deep.equal({
      organization_id: ground.organizationId,
      project: {},
      agents: { minutes_per_day: 60 },
      ends_calls: false,
    });
    const effective = async (): Promise<unknown> =>
      ((await json('fraud', 'limits', ...own)) as { effective: unknown }).effective;
    expect(await effective()).to.deep.equal({
      project: { spend_per_hour: 100_000_000 },
      agents: { calls_per_hour: 90, minutes_per_day: 60 },
    });
    await json('fraud', 'set', ...own, '--spend-per-hour', 'none');
    expect(await effective()).to.deep.include({ project: { spend_per_hour: null } });
    await json('fraud', 'set', ...own, '--spend-per-hour', 'inherit');
    expect(await effective()).to.deep.include({ project: { spend_per_hour: 100_000_000 } });
    const audit = await database.db.query(
      `SELECT FROM audit_log WHERE route = 'hatif fraud set-defaults' AND organization_id = $1`,
      [ground.organizationId],
    );
    expect(audit).to.have.length(1);
    await database.db.query('DELETE FROM fraud_defaults');
  });

  it('keeps prefixes whose numbers count as premium', async () => {
    expect(await json('fraud', 'prefixes', 'add', '00252', '--note', ' no business there ')).to.include({
      prefix: '+252',
      note: 'no business there',
    });
    await json('fraud', 'prefixes', 'add', '+53');
    expect(await json('fraud', 'prefixes', 'add', '+252'), 'a repeat').to.include({ note: 'no business there' });
    expect((await hatif(['fraud', 'prefixes', 'list'])).stdout).to.match(/\+252 +no business there[^]*\+53 +-/);
    await json('fraud', 'prefixes', 'remove', '+252');
    await json('fraud', 'prefixes', 'remove', '+53');
    expect(await json('fraud', 'prefixes', 'list')).to.deep.equal([]);
    expect((await command.run(['fraud', 'prefixes', 'remove', '+53'])).code).to.equal(1);
    expect((await command.run(['fraud', 'prefixes', 'add', '+5'])).stderr).to.contain('at least two');
  });

  it('lists who is blocked, and releases a block, which is audited', async () => {
    expect((await hatif(['fraud', 'blocked', ...own])).stdout).to.contain('Nobody is blocked');
    const id = await block('1001');
    expect((await hatif(['fraud', 'blocked', ...own])).stdout).to.match(
      /agent 1001 +calls per hour: 60 +\+44207••••00/,
    );
    const { stdout } = await hatif(['fraud', 'release', id, ...own]);
    expect(stdout).to.contain('agent 1001 may dial outside again');
    expect(await json('fraud', 'blocked', ...own)).to.deep.equal([]);
    expect(await json('fraud', 'blocked', '--all', ...own)).to.have.length(1);
    const audit = await database.db.query<{ method: string; path: string }>(
      `SELECT method, path FROM audit_log WHERE organization_id = $1`,
      [ground.organizationId],
    );
    expect(audit).to.deep.equal([{ method: 'CLI', path: `/v1/fraud-blocks/${id}/release` }]);
  });

  it('does not release a block of another project', async () => {
    const id = await block(null);
    const { projectId } = await groundIn(database.db);
    expect((await hatif(['fraud', 'release', id, '--project', projectId])).code).to.equal(1);
    expect(await json('fraud', 'blocked', ...own)).to.have.length(1);
  });

  for (const [what, args, words] of [
    ['no limit', ['set'], 'at least one limit'],
    ['no call at all', ['set', '--calls-per-hour', '0'], 'must be a whole number'],
    ['parts of a halala', ['set', '--spend-per-hour', '0.125'], 'must be an amount'],
    ['a night that ends when it begins', ['set', '--night', '22:00-22:00'], 'must be hours'],
    ['options of the night alone', ['set', '--time-zone', 'UTC'], 'Give --night'],
    ['an unknown time zone', ['set', '--night', '22:00-06:00', '--time-zone', 'Mars/Olympus'], 'IANA'],
    ['an unknown class', ['set', '--night', '22:00-06:00', '--night-classes', 'moon'], '--destination-classes'],
    ['two kinds of agents', ['set', '--agents', '--agent', '1001', '--calls-per-hour', '5'], 'not both'],
    ['a block that is no ID', ['release', '1001'], 'is not the ID'],
  ] as const) {
    it(`rejects ${what}, and changes nothing`, async () => {
      const { code, stderr } = await command.run(['fraud', ...args, ...own]);
      expect(code).to.equal(2);
      expect(stderr).to.contain(words);
      expect(await limits()).to.deep.equal({ project: {}, agents: {}, overrides: [] });
    });
  }

  it('does not know an agent of another project', async () => {
    const { code } = await command.run(['fraud', 'set', ...own, '--agent', '1999', '--calls-per-hour', '5']);
    expect(code).to.equal(1);
  });
});
