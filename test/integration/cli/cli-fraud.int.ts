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
          destination_classes: ['national'],
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
      agents: { calls_per_hour: 60, night: nightly },
      overrides: [{ agent: '1001', fraud_limits: { calls_per_hour: null } }],
    });
    const { stdout } = await hatif(['fraud', 'limits', ...own]);
    expect(stdout)
      .to.match(/the project together +- +- +50\.50/)
      .and.match(/each agent +60 .*22:00-06:00 Asia\/Riyadh: national, 5 calls\/hour/)
      .and.match(/agent 1001 +none .*22:00-06:00/);
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
