import { expect } from 'chai';
import type { Route } from '../../../../api/http/route.js';
import { sessionRoutes } from '../../../../api/routes/accounts/sessions.js';
import { argon2 } from '../../../../adapters/passwords/argon2.js';
import type { Database } from '../../../../core/data/database.js';
import { Organizations } from '../../../../core/data/repositories/accounts/organizations.js';
import { Projects } from '../../../../core/data/repositories/accounts/projects.js';
import { Sessions } from '../../../../core/data/repositories/accounts/sessions.js';
import { Users } from '../../../../core/data/repositories/accounts/users.js';
import { ScimTokens } from '../../../../core/data/repositories/scim/tokens.js';
import type { AccountKind, OrganizationRow, UserRow } from '../../../../core/data/rows.js';
import { AccessTokens } from '../../../../core/services/access/access-tokens.js';
import { MemoryRateLimiter } from '../../../../core/services/access/rate-limit.js';
import { ScimGate } from '../../../../core/services/scim/gate.js';
import { newOrganizationRow, newProjectRow } from '../../../../core/services/accounts/new-account.js';
import { VirtualClock } from '../../../../engine/simulator/virtual-clock.js';
import { openAccounts, type Accounts } from '../../../../main/wiring/accounts.js';
import { testApi, type Answer, type RequestOptions, type TestApi } from '../../api.js';
import { TEST_CIPHER } from '../../cipher.js';
import { quiet } from '../../logger.js';
import type { TestDatabase } from '../../platform/database.js';
import { userRow } from '../../rows/members.js';
import { Gate, sampleRoutes } from '../../sample-routes.js';

export const PASSWORD = 'a horse counts blue ladders';
/** Hashing takes long on purpose: once for all. */
const HASH = argon2.hash(PASSWORD);

/** A user of a test, with the organization. */
export interface TestUser {
  readonly row: UserRow;
  readonly organization: OrganizationRow;
  /** In the order of their creation. */
  readonly projectIds: readonly string[];
}

export interface TestSession {
  readonly id: string;
  readonly access: string;
  /** Empty for a browser. */
  readonly refresh: string;
  readonly answer: Answer;
}

export interface WantedUser {
  readonly tier?: AccountKind;
  /** How many projects a new organization has. */
  readonly projects?: number;
  /** Of this organization; a new one by default. */
  readonly of?: TestUser;
  readonly user?: Partial<UserRow>;
  readonly organization?: Partial<OrganizationRow>;
}

/** Makes further routes for one process of the API. */
export type MoreRoutes = (
  stage: AccountsStage,
  process: {
    readonly accounts: Accounts;
    readonly accessTokens: AccessTokens;
    /** Drops what the process caches of sessions, keys and directories. */
    readonly clearCaches: () => void;
  },
) => readonly Route[];

/** One process of the API, with its own caches. */
interface Process {
  readonly api: TestApi;
  readonly accounts: Accounts;
}

/**
 * The API with users and sessions, on a real port and database and with a virtual clock. Beside the routes of sessions,
 * it has those of the sample shop, which keys and users call.
 */
export class AccountsStage {
  readonly gate = new Gate();
  readonly clock = new VirtualClock(new Date());
  readonly #processes: Process[] = [];

  private constructor(
    readonly db: Database,
    private readonly more: MoreRoutes,
  ) {}

  /** @param more further routes */
  static async start({ db }: TestDatabase, more: MoreRoutes = () => []): Promise<AccountsStage> {
    const stage = new AccountsStage(db, more);
    // The caches take a monotonic time of 0 for none.
    await stage.clock.advance(1);
    await stage.process();
    return stage;
  }

  get api(): TestApi {
    return this.#processes[0]!.api;
  }

  get accounts(): Accounts {
    return this.#processes[0]!.accounts;
  }

  /** Starts another process on the same database. It shares the clock, but no cache and no count. */
  async process(trustProxy: readonly string[] = []): Promise<TestApi> {
    const { db, clock } = this;
    const stores = {
      db,
      organizations: new Organizations(db),
      projects: new Projects(db),
      sessions: new Sessions(db),
      users: new Users(db),
    };
    const accessTokens = new AccessTokens({ ...stores, clock, logger: quiet });
    const rateLimiter = new MemoryRateLimiter(clock);
    const accounts = openAccounts({ stores, accessTokens, rateLimiter, cipher: TEST_CIPHER, clock });
    const directories = new ScimGate({ tokens: new ScimTokens(db), clock, logger: quiet });
    const made: { api?: TestApi } = {};
    const clearCaches = (): void => {
      accessTokens.clearCache();
      directories.clearCache();
      made.api?.authenticator.clearCache();
    };
    const routes = [
      ...sessionRoutes(accounts),
      ...sampleRoutes(this.gate),
      ...this.more(this, { accounts, accessTokens, clearCaches }),
    ];
    const api = await testApi({ db, routes, clock, accessTokens, directories, cipher: TEST_CIPHER, trustProxy });
    made.api = api;
    this.#processes.push({ api, accounts });
    return api;
  }

  /** A new user with the password {@link PASSWORD}: the owner of a new organization, unless told otherwise. */
  async signUp({ tier = 'production', projects = 1, of, ...wanted }: WantedUser = {}): Promise<TestUser> {
    const { db, clock } = this;
    const now = clock.now();
    const organization = of?.organization ?? {
      ...newOrganizationRow('Riyadh Dental', tier, {}, now),
      ...wanted.organization,
    };
    const projectIds = [...(of?.projectIds ?? [])];
    if (of === undefined) {
      await new Organizations(db).create(organization);
      for (let n = 1; n <= projects; n += 1) {
        const project = newProjectRow(organization.id, `project ${n}`, TEST_CIPHER, now);
        await new Projects(db).create(project);
        projectIds.push(project.id);
      }
    }
    const row = userRow(organization.id, { password_hash: await HASH, locale: 'ar', ...wanted.user }, now);
    await new Users(db).create(row);
    return { row, organization, projectIds };
  }

  /** Signs a user in over HTTP. */
  async signIn({ row }: TestUser, more: Readonly<Record<string, unknown>> = {}, api = this.api): Promise<TestSession> {
    const answer = await api.request('POST', '/v1/sessions', {
      json: { email: row.email, password: PASSWORD, ...more },
    });
    expect(answer.status, answer.text).to.equal(200);
    const { session_id, access_token, refresh_token } = answer.body ?? {};
    return {
      id: String(session_id),
      access: String(access_token),
      refresh: typeof refresh_token === 'string' ? refresh_token : '',
      answer,
    };
  }

  /** Sends requests with the access token of a user, who is signed in for it. */
  async as(user: TestUser): Promise<(method: string, path: string, options?: RequestOptions) => Promise<Answer>> {
    const { access } = await this.signIn(user);
    return (method, path, options = {}) => this.api.request(method, path, { key: access, ...options });
  }

  /** Checks that the answers matched the routes' definitions, and ends the processes. */
  async close(): Promise<void> {
    const faults = this.#processes.flatMap(({ api }) => api.faults);
    await Promise.all(this.#processes.map(({ api }) => api.close()));
    expect(faults).to.deep.equal([]);
  }
}
