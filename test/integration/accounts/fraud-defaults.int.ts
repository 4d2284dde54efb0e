import { expect } from 'chai';
import { fraudDefaultsRoutes } from '../../../api/routes/billing/fraud-defaults.js';
import { FraudDefaultsTable } from '../../../core/data/repositories/calls/fraud-defaults.js';
import type { Database } from '../../../core/data/database.js';
import { systemClock } from '../../../core/ports/clock.js';
import { ManageFraudDefaults } from '../../../core/services/dialling/manage-fraud-defaults.js';
import { eventually } from '../../support/eventually.js';
import { codeOf } from '../../support/judges/outcome.js';
import { OrganizationStage, type TestOrganization } from '../../support/stages/accounts/organization-stage.js';

const PATH = '/v1/organization/fraud-limits';
const NOTHING = { project: {}, agents: {}, ends_calls: null };

const managing = (db: Database): ManageFraudDefaults =>
  new ManageFraudDefaults({
    ...{ db, table: new FraudDefaultsTable(db), clock: systemClock },
    announce: () => Promise.resolve(),
  });

describe('The limits against toll fraud of an organization', function () {
  this.timeout(60_000);
  let stage: OrganizationStage;
  let home: TestOrganization;

  before(async () => {
    stage = await OrganizationStage.start((db) => fraudDefaultsRoutes({ fraudDefaults: managing(db) }));
  });
  beforeEach(async () => {
    home = await stage.organization();
  });
  afterEach(() => stage.database.db.query('DELETE FROM fraud_defaults'));
  after(() => stage.close());

  it('are set by its owner, and inherit those of the installation', async () => {
    const { owner } = home;
    expect((await stage.as(owner, 'GET', PATH)).body).to.deep.equal({ ...NOTHING, effective: NOTHING });
    const limits = { project: { calls_per_hour: 900 }, agents: { calls_per_hour: 90 } };
    await managing(stage.database.db).set(null, { limits, ends_calls: true });
    const wanted = { project: { spend_per_hour_sar: 50.25 }, agents: { calls_per_hour: null } };
    const set = await stage.as(owner, 'PUT', PATH, wanted);
    expect(set.body, set.text).to.deep.equal({
      ...{ ...wanted, ends_calls: null },
      effective: {
        project: { calls_per_hour: 900, spend_per_hour_sar: 50.25 },
        agents: { calls_per_hour: null },
        ends_calls: true,
      },
    });
    expect((await stage.as(owner, 'GET', PATH)).body).to.deep.equal(set.body);
    const other = await stage.organization();
    expect((await stage.as(other.owner, 'GET', PATH)).body).to.deep.include(NOTHING);
    const audited = async (): Promise<{ details: object } | undefined> => {
      const [row] = await stage.database.db.query<{ details: object }>(
        `SELECT details FROM audit_log WHERE organization_id = $1 AND route = $2 AND method = 'PUT'`,
        [home.organization.id, PATH],
      );
      return row;
    };
    expect(JSON.stringify((await eventually(audited, 'the audit row')).details)).to.contain('50.25');
  });

  it('are for those who manage money, and who belong to all projects', async () => {
    const { organization, project, owner } = home;
    const finance = await stage.member(organization, { role: 'finance' });
    expect(codeOf(await stage.as(finance, 'PUT', PATH, NOTHING))).to.equal('200');
    for (const role of ['developer', 'supervisor', 'agent', 'viewer'] as const) {
      const member = await stage.member(organization, { role });
      expect(codeOf(await stage.as(member, 'PUT', PATH, NOTHING)), role).to.equal('403 INSUFFICIENT_ROLE');
      expect(codeOf(await stage.as(member, 'GET', PATH)), role).to.equal('403 INSUFFICIENT_ROLE');
    }
    const limited = await stage.member(organization, { role: 'finance', project_ids: [project.id] });
    expect(codeOf(await stage.as(limited, 'PUT', PATH, NOTHING))).to.equal('403 INSUFFICIENT_ROLE');
    const { key } = await stage.api.key({ projectId: project.id });
    expect(codeOf(await stage.api.request('PUT', PATH, { key, json: NOTHING }))).to.equal('403 SESSION_REQUIRED');
    expect(codeOf(await stage.as(owner, 'PUT', PATH, { ...NOTHING, ends_calls: 'yes' }))).to.equal(
      '400 VALIDATION_ERROR',
    );
    expect(codeOf(await stage.as(owner, 'PUT', PATH, { project: { calls_per_hour: 0 }, agents: {} }))).to.equal(
      '400 VALIDATION_ERROR',
    );
  });
});
