import type { Route } from '../../../../api/http/route.js';
import { readSettings } from '../../../../config/read-settings.js';
import { openSignupRoutes } from '../../../../main/roles/routes/signup.js';
import { openManagement } from '../../../../main/wiring/management.js';
import { openStorages } from '../../../../main/wiring/storages.js';
import { openStores, type Stores } from '../../../../main/wiring/stores.js';
import type { Challenge, Proof } from '../../../../core/services/access/proofs-of-work.js';
import { mailsTo, SITE, type WaitingMail } from './credentials-stage.js';
import type { Answer, RequestOptions, TestApi } from '../../api.js';
import { TEST_CIPHER } from '../../cipher.js';
import { quiet } from '../../logger.js';
import type { TestDatabase } from '../../platform/database.js';
import { AccountsStage, PASSWORD } from './accounts-stage.js';
import { solved } from '../widget-stage.js';
import { LocalBus, SoftphoneEngine } from './softphone-engine.js';

let people = 0;

/** The API with sign-up, and two engines that carry telephone calls. */
export class SignupStage {
  /** Of processes of the API that start from now on. */
  isOpen = true;
  /** Believes what a proxy says of the client. */
  trusting!: TestApi;

  private constructor(
    private readonly database: TestDatabase,
    readonly accounts: AccountsStage,
    readonly stores: Stores,
    readonly bus: LocalBus,
    readonly engines: SoftphoneEngine[],
    /** Of sign-up. */
    readonly routes: readonly Route[],
  ) {}

  static async open(database: TestDatabase): Promise<SignupStage> {
    const { db, url } = database;
    const stores = openStores(url, 6);
    const settings = readSettings({ DATABASE_URL: url });
    const bus = new LocalBus();
    const engines = [await SoftphoneEngine.start(db, bus, 'first'), await SoftphoneEngine.start(db, bus, 'second')];
    const announce = async (): Promise<void> => {
      await Promise.all(engines.map((engine) => engine.sync()));
    };
    let stage: SignupStage | null = null;
    let routes: readonly Route[] = [];
    const accounts = await AccountsStage.start(database, ({ clock }, { accounts: opened }) => {
      const management = openManagement(stores, openStorages(settings), TEST_CIPHER, clock, quiet, null, settings);
      routes = openSignupRoutes(
        {
          ...{ settings, stores, cipher: TEST_CIPHER, bus, clock, log: quiet },
          management: { numbering: management.numbering, announce },
          parts: { sip: { host: '192.0.2.10', port: 5060 } },
        },
        { accounts: opened, publicUrl: () => SITE, isOpen: stage?.isOpen ?? true },
      );
      return routes;
    });
    stage = new SignupStage(database, accounts, stores, bus, engines, routes);
    stage.trusting = await accounts.process(['loopback']);
    return stage;
  }

  /** A form that is accepted, for an address that nobody has. */
  form(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    const email = `huda${++people}@clinic.example`;
    return { email, password: PASSWORD, name: 'Huda', organization_name: 'Riyadh Dental', locale: 'en', ...more };
  }

  /** The client's address: the limits count each by itself. */
  address(): string {
    return `203.0.113.${++people}`;
  }

  /** From an address of its own, over HTTPS, unless told otherwise. */
  ask(
    method: string,
    path: string,
    json?: unknown,
    { headers = {}, api = this.trusting }: AskOptions = {},
  ): Promise<Answer> {
    const forwarded = { 'X-Forwarded-For': this.address(), 'X-Forwarded-Proto': 'https', ...headers };
    return api.request(method, `/v1/signup${path}`, { ...(json === undefined ? {} : { json }), headers: forwarded });
  }

  async proof(): Promise<Proof> {
    const { body } = await this.ask('GET', '/challenge');
    return solved(body as unknown as Challenge);
  }

  async begin(form: Readonly<Record<string, unknown>>, options: AskOptions = {}): Promise<Answer> {
    return this.ask('POST', '', { ...form, challenge: await this.proof() }, options);
  }

  /** Signs up. @returns the token of the mail */
  async begun(form: Readonly<Record<string, unknown>>): Promise<string> {
    const { status, text } = await this.begin(form);
    if (status !== 202) throw new Error(`the sign-up was refused: ${text}`);
    return (await this.mails(String(form.email))).at(-1)?.token ?? '';
  }

  confirm(token: string, more: Readonly<Record<string, unknown>> = {}, options: AskOptions = {}): Promise<Answer> {
    return this.ask('POST', '/confirm', { token, password: PASSWORD, ...more }, options);
  }

  mails(email: string): Promise<WaitingMail[]> {
    return mailsTo(this.database, email);
  }

  /** How many rows the tables of an account have. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    const counted = TABLES.map(async (table) => {
      const [row] = await this.stores.db.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
      return [table, row?.count ?? 0] as const;
    });
    return Object.fromEntries(await Promise.all(counted));
  }

  async close(): Promise<void> {
    await this.accounts.close();
    for (const engine of this.engines) await engine.stop();
    await this.stores.db.close();
  }
}

export interface AskOptions extends Pick<RequestOptions, 'headers'> {
  readonly api?: TestApi;
}

/** Everything that a sign-up makes. */
export const TABLES = [
  'organizations',
  'projects',
  'users',
  'agents',
  'callflows',
  'callflow_versions',
  'numbers',
  'number_changes',
  'events',
  'sessions',
  'session_tokens',
] as const;
