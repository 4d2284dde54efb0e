import type { Database } from '../../core/data/database.js';
import { ROLES, type Role } from '../../core/model/access/roles.js';
import { SCOPES } from '../../core/model/access/scopes.js';
import { newOrganizationRow, newProjectRow } from '../../core/services/accounts/new-account.js';
import type { ObjectStores } from '../../core/ports/object-store.js';
import { setupCode } from '../../core/services/administration/setup-code.js';
import { ask } from '../support/api.js';
import { TEST_CIPHER } from '../support/cipher.js';
import { openStorages } from '../../main/wiring/storages.js';
import type { Platform } from '../../main/platform.js';
import { eventually } from '../support/eventually.js';
import { addMember, type TestMember } from '../support/rows/members.js';
import { trunkRow } from '../support/rows/trunk-row.js';
import { WebhookReceiver } from '../support/peers/receiver.js';
import { barePlatform, type BarePlatform } from '../support/platform/bare-platform.js';
import { ADMINISTRATOR } from '../support/stages/administration/administration-stage.js';
import { Dumps } from './dump.js';
import { ssoSettings } from './samples/single-sign-on.js';
import { simulateEdge } from './simulated-edge.js';
import { simulatePhones } from './simulated-phones.js';
import { Tenant, type Surroundings, type TenantKeys } from './tenant.js';

const MUCH = '100000';
const DAY_MS = 86_400_000;

const ENVIRONMENT = {
  RATE_LIMIT_LIVE_PER_MINUTE: MUCH,
  RATE_LIMIT_SANDBOX_PER_MINUTE: MUCH,
  RATE_LIMIT_USER_PER_MINUTE: MUCH,
  RATE_LIMIT_ADDRESS_PER_MINUTE: MUCH,
  RATE_LIMIT_WIDGET_PER_MINUTE: MUCH,
  WEB_SESSIONS_PER_PROJECT: MUCH,
  WEB_SESSIONS_PER_IDENTITY: MUCH,
  WIDGET_CALLS_PER_ADDRESS: '1000',
  WIDGET_CALLS_PER_NUMBER: '1000',
  VERIFY_SENDS_PER_ADDRESS: '1000',
  VERIFY_SENDS_PER_PREFIX: '1000',
  VERIFY_FRAUD_PERCENT: '0',
  NUMBER_RANGES: '+966115551000-+966115551999',
  WEBHOOK_ALLOW_LOOPBACK: 'true',
  PAYMENT_IBAN: 'SA0380000000608010167519',
  PAYMENT_ACCOUNT_NAME: 'Hatif',
  SHORT_LINK_URL: 'https://hatif.link',
  // Nobody listens there: messages wait.
  SMPP_URLS: 'smpp://hatif:secret@127.0.0.1:1',
};

/** A whole platform over simulated phones, with one owner and those who must learn nothing of it. */
export class World implements Surroundings {
  owner!: Tenant;
  /** Another project of the owner's organization. */
  sibling!: Tenant;
  /** Another organization. */
  stranger!: Tenant;
  /** A token of an administrator of the installation, who belongs to no organization. */
  administrator = '';

  private constructor(
    private readonly bare: BarePlatform,
    private readonly restore: readonly (() => void)[],
    readonly receiver: WebhookReceiver,
    readonly storages: ObjectStores,
    readonly engineId: string,
    readonly dumps: Dumps,
  ) {}

  static async open(): Promise<World> {
    const restore = [simulatePhones(), simulateEdge()];
    const bare = await barePlatform('api,engine', ENVIRONMENT, {
      ari: { url: 'http://127.0.0.1:1', user: 'nobody', password: 'nobody' },
    });
    const { stores } = bare.platform;
    const [phones] = (await stores.engines.list()).filter(({ kind }) => kind === 'asterisk');
    const world = new World(
      bare,
      restore,
      await WebhookReceiver.start(),
      openStorages(bare.settings),
      phones?.id ?? '',
      await Dumps.open(bare.database.url),
    );
    await world.#fill();
    return world;
  }

  get url(): string {
    return this.platform.api?.url ?? '';
  }

  get platform(): Platform {
    return this.bare.platform;
  }

  get db(): Database {
    return this.platform.stores.db;
  }

  async provisioned(): Promise<void> {
    await this.platform.engine?.configurationChanged();
  }

  async close(): Promise<void> {
    await this.dumps.close();
    await this.receiver.close();
    await this.bare.close();
    for (const restore of this.restore) restore();
  }

  async #fill(): Promise<void> {
    await eventually(() => this.platform.engine?.isReady === true, 'the engines are connected');
    await this.platform.stores.trunks.create(trunkRow('carrier'));
    await this.platform.stores.ratePlans.add(
      'default',
      { rates: [], numberFees: [], messageRates: [] },
      new Date(0),
      new Date(),
    );
    const [home, elsewhere] = [await this.#organization('zumurrud'), await this.#organization('yaqut')];
    this.owner = await this.#tenant('zumurrud', home);
    this.sibling = await this.#tenant('marjan', home);
    this.stranger = await this.#tenant('yaqut', elsewhere);
    await this.provisioned();
    // Strangers read their own, so that it is seen that they read no other.
    await this.stranger.askAsOwner('PUT', '/v1/sso', ssoSettings());
    await this.stranger.scimToken();
    const json = { code: setupCode(TEST_CIPHER), ...ADMINISTRATOR };
    const { body } = await ask(this.url, 'POST', '/v1/setup', { json });
    this.administrator = String(body?.access_token);
  }

  async #organization(name: string): Promise<string> {
    const row = { ...newOrganizationRow(name, 'production', {}, new Date()), key_reveal: true };
    await this.platform.stores.organizations.create(row);
    return row.id;
  }

  /** One member with each role; an agent whose extension nobody calls. The sessions count as just confirmed and used for long. */
  async #members(name: string, organizationId: string): Promise<Readonly<Record<Role, TestMember>>> {
    const later = new Date(Date.now() + DAY_MS);
    const session = { confirmed_at: later, last_used_at: later };
    const members = ROLES.map(async (role) => {
      const wanted = { role, name: `${name}-${role}`, agent: role === 'agent' ? `${name}-unused` : null };
      return [role, await addMember(this.db, organizationId, wanted, session)] as const;
    });
    return Object.fromEntries(await Promise.all(members)) as Record<Role, TestMember>;
  }

  async #tenant(name: string, organizationId: string): Promise<Tenant> {
    const { stores, management } = this.platform;
    const project = newProjectRow(organizationId, name, TEST_CIPHER, new Date());
    const projectId = project.id;
    await stores.projects.create({
      ...project,
      default_destination: { type: 'echo', target: null },
      destination_classes: ['national', 'mobile'],
    });
    // Also `pii:read`: a key that sees full numbers must not see those of others.
    const key = async (kind: 'live' | 'sandbox', scopes: readonly string[] = SCOPES): Promise<string> =>
      (await management.keys.create({ projectId, name, kind, scopes })).key;
    const keys: TenantKeys = {
      live: await key('live'),
      sandbox: await key('sandbox'),
      onlyCalls: await key('live', ['calls:read']),
      onlyUsage: await key('live', ['usage:read']),
    };
    const ground = { organizationId, projectId, engineId: this.engineId };
    const made = new Tenant(this, name, ground, keys, await this.#members(name, organizationId));
    for (const { user } of Object.values(made.members)) made.secret(user.id);
    made.secret(projectId);
    // The first number is the project's main one, which calls show. Keys remember their project for a moment.
    await made.ask('POST', '/v1/numbers', { prefix: '+96611' }, { key: await key('live') });
    // The trial begins with the first request.
    await made.request('GET', '/v1/calls', { key: keys.sandbox });
    return made;
  }
}
