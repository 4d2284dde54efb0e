import { expect } from 'chai';
import type { Route } from '../../../../api/http/route.js';
import type { Database } from '../../../../core/data/database.js';
import type { AccountMailData } from '../../../../core/data/repositories/mails/account-mails.js';
import { Organizations } from '../../../../core/data/repositories/accounts/organizations.js';
import { Projects } from '../../../../core/data/repositories/accounts/projects.js';
import { Sessions } from '../../../../core/data/repositories/accounts/sessions.js';
import type { AccountKind, OrganizationRow, ProjectRow, SessionRow, UserRow } from '../../../../core/data/rows.js';
import { AccessTokens } from '../../../../core/services/access/access-tokens.js';
import { newOrganizationRow, newProjectRow } from '../../../../core/services/accounts/new-account.js';
import { VirtualClock } from '../../../../engine/simulator/virtual-clock.js';
import { openOrganizationRoutes } from '../../../../main/roles/routes/organization.js';
import { testApi, type Answer, type RequestOptions, type TestApi } from '../../api.js';
import { TEST_CIPHER } from '../../cipher.js';
import { quiet } from '../../logger.js';
import { testDatabase, type TestDatabase } from '../../platform/database.js';
import { addMember, type TestMember } from '../../rows/members.js';
import { Gate, sampleRoutes } from '../../sample-routes.js';

/** An organization with one project and its owner. */
export interface TestOrganization {
  readonly organization: OrganizationRow;
  readonly project: ProjectRow;
  readonly owner: TestMember;
}

/** The routes of members on a real port and database, with a virtual clock, beside the routes of a sample shop. */
export class OrganizationStage {
  readonly clock = new VirtualClock(new Date());
  api!: TestApi;
  /** How often the engines were notified of a change. */
  announced = 0;

  private constructor(
    readonly database: TestDatabase,
    private readonly more: (db: Database) => readonly Route[],
  ) {}

  /** @param more further routes */
  static async start(more: (db: Database) => readonly Route[] = () => []): Promise<OrganizationStage> {
    const stage = new OrganizationStage(await testDatabase(), more);
    // The caches take 0 for no time at all.
    await stage.clock.advance(1);
    stage.api = await stage.process();
    return stage;
  }

  /** Starts another process on the same database, with its own caches. */
  async process(): Promise<TestApi> {
    const { clock } = this;
    const { db } = this.database;
    const stores = { sessions: new Sessions(db), projects: new Projects(db) };
    const accessTokens = new AccessTokens({ ...stores, clock, logger: quiet });
    const made: { api?: TestApi } = {};
    const routes = openOrganizationRoutes({
      db,
      cipher: TEST_CIPHER,
      clock,
      publicUrl: () => 'https://hatif.example',
      announce: () => {
        this.announced += 1;
        return Promise.resolve();
      },
      clearCaches: () => {
        accessTokens.clearCache();
        made.api?.authenticator.clearCache();
      },
    });
    made.api = await testApi({
      db,
      routes: [...routes, ...sampleRoutes(new Gate()), ...this.more(db)],
      clock,
      accessTokens,
      cipher: TEST_CIPHER,
    });
    return made.api;
  }

  async organization(tier: AccountKind = 'production', more: Partial<OrganizationRow> = {}): Promise<TestOrganization> {
    const { db } = this.database;
    const now = this.clock.now();
    const organization = { ...newOrganizationRow('Riyadh Dental', tier, {}, now), ...more };
    await new Organizations(db).create(organization);
    const project = newProjectRow(organization.id, 'clinic', TEST_CIPHER, now);
    await new Projects(db).create(project);
    return { organization, project, owner: await this.member(organization) };
  }

  /** A further member, an owner unless said otherwise. */
  member(
    { id }: OrganizationRow,
    wanted: Partial<UserRow> = {},
    session: Partial<SessionRow> = {},
  ): Promise<TestMember> {
    return addMember(this.database.db, id, wanted, session, this.clock.now());
  }

  /** Sends a request with the session of a member. */
  as({ token }: TestMember, method: string, path: string, json?: unknown, api = this.api): Promise<Answer> {
    const options: RequestOptions = { key: token, ...(json !== undefined && { json }) };
    return api.request(method, path, options);
  }

  /** The token of the last invitation that was mailed to the address. */
  async inviteToken(email: string): Promise<string> {
    const [mail] = await this.database.db.query<{ data: AccountMailData['invite'] }>(
      `SELECT data FROM owner_mails WHERE recipient = $1 AND kind = 'invite' ORDER BY id DESC LIMIT 1`,
      [email],
    );
    const link = new URL(TEST_CIPHER.open(mail?.data.link ?? ''));
    return link.searchParams.get('token') ?? '';
  }

  async close(): Promise<void> {
    const { faults } = this.api;
    await this.api.close();
    await this.database.close();
    expect(faults).to.deep.equal([]);
  }
}

/**
 * For a `describe`: one stage for all tests, and a new organization for each.
 * @param settings of the organization, beside the usual ones
 */
export function organizationEach(
  use: (stage: OrganizationStage, home: TestOrganization) => void,
  settings: Partial<OrganizationRow> = {},
): void {
  let stage: OrganizationStage;
  before(async () => {
    stage = await OrganizationStage.start();
  });
  beforeEach(async () => use(stage, await stage.organization('production', settings)));
  after(() => stage.close());
}
