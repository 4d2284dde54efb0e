import { randomBytes, createHash } from 'node:crypto';
import type { Route } from '../../../../api/http/route.js';
import { DnsTxtRecords } from '../../../../adapters/dns/txt-records.js';
import { OpenIdConnect } from '../../../../adapters/openid/openid-connect.js';
import { Organizations } from '../../../../core/data/repositories/accounts/organizations.js';
import { Sessions } from '../../../../core/data/repositories/accounts/sessions.js';
import { Users } from '../../../../core/data/repositories/accounts/users.js';
import type { UserRow } from '../../../../core/data/rows.js';
import { HatifError } from '../../../../core/model/errors/index.js';
import { openCredentials } from '../../../../main/wiring/credentials.js';
import { credentialRoutes } from '../../../../main/roles/routes/credentials.js';
import { openOrganizationRoutes } from '../../../../main/roles/routes/organization.js';
import { openSingleSignOnRoutes } from '../../../../main/roles/routes/single-sign-on.js';
import type { Answer, RequestOptions, TestApi } from '../../api.js';
import { stageOnce } from '../../each.js';
import { TEST_CIPHER } from '../../cipher.js';
import { Browser } from '../../peers/browser.js';
import { DnsPeer } from '../../peers/dns-server.js';
import { CLIENT, OpenIdPeer, type Person } from '../../peers/openid-provider.js';
import type { TestDatabase } from '../../platform/database.js';
import { AccountsStage, type TestUser, type WantedUser } from './accounts-stage.js';
import { SITE } from './credentials-stage.js';

/** Where a program on the person's machine waits. */
export const PROGRAM = 'http://127.0.0.1:53682/done';
export const CALLBACK = `${SITE}/v1/sso/callback`;

/** An organization with single sign-on, and its owner. */
export interface SsoHome {
  readonly owner: TestUser;
  readonly organizationId: string;
  /** Verified for the organization. */
  readonly domain: string;
  /** Sends requests as the owner. */
  readonly ask: (method: string, path: string, json?: unknown) => Promise<Answer>;
}

/** A sign-in that has begun. */
export interface Begun {
  readonly answer: Answer;
  /** Where the provider is; empty if the answer is an error. */
  readonly location: string;
  readonly cookie: string;
}

let homes = 0;
let people = 0;

/** The API with single sign-on, a real identity provider and a name server. */
export class SsoStage {
  #openids: OpenIdConnect[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly accounts: AccountsStage,
    readonly peer: OpenIdPeer,
    readonly dns: DnsPeer,
  ) {}

  static async start(database: TestDatabase): Promise<SsoStage> {
    const { db } = database;
    const [peer, dns] = await Promise.all([OpenIdPeer.start(CALLBACK), DnsPeer.start()]);
    const openids: OpenIdConnect[] = [];
    const accounts = await AccountsStage.start(database, (stage, process): readonly Route[] => {
      const { clock } = stage;
      const openid = new OpenIdConnect({ allowLoopback: true, clock });
      openids.push(openid);
      const opened = openCredentials({
        ...{ db, cipher: TEST_CIPHER, clock, accounts: process.accounts, publicUrl: () => SITE },
        verify: NO_CODES,
        onSessionChanged: process.clearCaches,
      });
      const shared = { db, cipher: TEST_CIPHER, clock, publicUrl: () => SITE, clearCaches: process.clearCaches };
      return [
        ...openSingleSignOnRoutes({
          ...{ ...shared, accounts: process.accounts, openid, records: new DnsTxtRecords([dns.address]) },
          stores: { db, organizations: new Organizations(db), sessions: new Sessions(db), users: new Users(db) },
        }),
        ...credentialRoutes(opened, process.accounts.signIn),
        ...openOrganizationRoutes({ ...shared, announce: () => Promise.resolve() }),
      ];
    });
    const stage = new SsoStage(database, accounts, peer, dns);
    stage.#openids = openids;
    return stage;
  }

  get api(): TestApi {
    return this.accounts.api;
  }

  /** The virtual clock shows what the provider's clock shows. */
  async sync(aheadSeconds = 0): Promise<void> {
    const { clock } = this.accounts;
    await clock.advance(Math.max(0, Date.now() + aheadSeconds * 1000 - clock.now().getTime()));
  }

  /** A new organization whose domain is verified, and whose single sign-on is on with these settings. */
  async home(settings: Readonly<Record<string, unknown>> | null = {}, wanted: WantedUser = {}): Promise<SsoHome> {
    await this.sync();
    const domain = `home-${++homes}.example`;
    const user = { email: `owner@${domain}`, ...wanted.user };
    const owner = await this.accounts.signUp({ ...wanted, user });
    const { access } = await this.accounts.signIn(owner);
    const ask: SsoHome['ask'] = (method, path, json) =>
      this.api.request(method, path, { key: access, ...(json !== undefined && { json }) });
    await this.verify(owner.organization.id, domain);
    const home = { owner, organizationId: owner.organization.id, domain, ask };
    if (settings !== null) {
      const put = await ask('PUT', '/v1/sso', this.settings(settings));
      if (put.status !== 200) throw new Error(`single sign-on is not set up: ${put.text}`);
    }
    return home;
  }

  /** What `PUT /v1/sso` gets. */
  settings(more: Readonly<Record<string, unknown>> = {}): object {
    return {
      issuer: this.peer.issuer,
      ...CLIENT,
      scopes: ['openid', 'email', 'profile', 'groups'],
      default_role: 'viewer',
      enabled: true,
      ...more,
    };
  }

  /** The domain is the organization's, without a look at the DNS. */
  async verify(organizationId: string, domain: string): Promise<void> {
    await this.database.db.query(
      `INSERT INTO sso_domains (organization_id, domain, token, forced, verified_at, verified_by, created_at)
       VALUES ($1, $2, 'token', false, now(), 'administrator', now())`,
      [organizationId, domain],
    );
  }

  async begin(
    query: Readonly<Record<string, string>>,
    { api = this.api, ...options }: RequestOptions & { readonly api?: TestApi } = {},
  ): Promise<Begun> {
    const path = `/v1/sso/start?${new URLSearchParams(query).toString()}`;
    const answer = await api.request('GET', path, { redirect: 'manual', ...options });
    return {
      answer,
      location: answer.headers.get('location') ?? '',
      cookie: /^[^;]+/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? '',
    };
  }

  /** The person signs in at the provider. @returns the way back to Hatif */
  async atProvider(person: Person | null, { location }: Pick<Begun, 'location'>): Promise<URL> {
    if (person === null) this.peer.current = null;
    else this.peer.as(person);
    return new Browser().follow(location);
  }

  finish(
    back: URL,
    cookie: string,
    { api = this.api, ...options }: RequestOptions & { readonly api?: TestApi } = {},
  ): Promise<Answer> {
    const headers = { ...options.headers, ...(cookie !== '' && { Cookie: cookie }) };
    return api.request('GET', `${back.pathname}${back.search}`, { redirect: 'manual', ...options, headers });
  }

  /** The whole way. */
  async signOn(
    home: Pick<SsoHome, 'organizationId'>,
    person: Person,
    query: Readonly<Record<string, string>> = {},
    options: RequestOptions = {},
  ): Promise<Answer> {
    await this.sync();
    const begun = await this.begin({ organization: home.organizationId, ...query }, options);
    if (begun.answer.status !== 303) throw new Error(`the sign-in did not begin: ${begun.answer.text}`);
    return this.finish(await this.atProvider(person, begun), begun.cookie, options);
  }

  /** The access token of the browser to which this answer went. */
  async accessOf(answer: Answer, api = this.api): Promise<string> {
    const cookie = /^[^;]+/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? '';
    const refreshed = await api.request('POST', '/v1/sessions/refresh', { json: {}, headers: { Cookie: cookie } });
    if (refreshed.status !== 200) throw new Error(`no session: ${refreshed.text}`);
    return String(refreshed.body?.access_token);
  }

  /** What the member reads of itself in the browser to which this answer went. */
  async me(answer: Answer): Promise<Answer> {
    return this.api.request('GET', '/v1/me', { key: await this.accessOf(answer) });
  }

  async userOf(email: string): Promise<UserRow | null> {
    return new Users(this.database.db).findByEmail(email);
  }

  async close(): Promise<void> {
    await this.accounts.close();
    await Promise.all([...this.#openids.map((each) => each.close()), this.peer.close(), this.dns.close()]);
  }
}

/** A new person of the organization's domain, as the provider knows it. */
export function personOf({ domain }: Pick<SsoHome, 'domain'>, more: Partial<Person> = {}): Person {
  const sub = `person-${++people}`;
  return { sub, email: `${sub}@${domain}`, email_verified: true, name: 'Reem Alharbi', ...more };
}

/** What a program keeps, and what it says of it. */
export function verifierAndChallenge(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

const NO_CODES = {
  start: () => Promise.reject(new HatifError('CHANNEL_NOT_CONFIGURED', { channel: 'sms' })),
  check: (_: unknown, id: string) => Promise.reject(new HatifError('VERIFY_NOT_FOUND', { verification_id: id })),
};

/**
 * For a `describe`: one stage for all tests, and an organization with single sign-on for each.
 * @param use receives them before each test
 * @param settings of the organizations; null: without an identity provider
 */
export function signOnEach(
  use: (stage: SsoStage, home: SsoHome, database: TestDatabase) => void,
  settings: Readonly<Record<string, unknown>> | null = {},
): void {
  let stage: SsoStage;
  let database: TestDatabase;

  stageOnce(
    (on) => SsoStage.start(on),
    (opened, on) => ([stage, database] = [opened, on]),
  );
  beforeEach(async () => {
    stage.peer.tamper = null;
    use(stage, await stage.home(settings), database);
  });
}
