import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { VirtualClock } from '../../../../engine/simulator/virtual-clock.js';
import { readSettings } from '../../../../config/read-settings.js';
import type { Settings } from '../../../../config/settings.js';
import type { ObjectStores } from '../../../../core/ports/object-store.js';
import { setupCode } from '../../../../core/services/administration/setup-code.js';
import { MemoryRateLimiter } from '../../../../core/services/access/rate-limit.js';
import type { Route } from '../../../../api/http/route.js';
import { openAdministration, type Administration } from '../../../../main/wiring/administration.js';
import { openBilling, type Billing } from '../../../../main/wiring/billing.js';
import { openManagement, type Management } from '../../../../main/wiring/management.js';
import { openPaying, type Paying } from '../../../../main/wiring/payments.js';
import { openStorages } from '../../../../main/wiring/storages.js';
import { openStores, type Stores } from '../../../../main/wiring/stores.js';
import { openAdministrationRoutes } from '../../../../main/roles/routes/administration.js';
import { testApi, type Answer, type RequestOptions, type TestApi } from '../../api.js';
import { TEST_CIPHER } from '../../cipher.js';
import { quiet } from '../../logger.js';
import type { TestDatabase } from '../../platform/database.js';
import { openCoordinator } from '../../../../main/command/operating.js';
import { LocalBus } from '../accounts/softphone-engine.js';
import { IBAN } from '../billing/payment-stage.js';

export const ADMINISTRATOR = {
  email: 'noura@operator.example',
  name: 'Noura',
  password: 'seven lanterns beside the quay',
};

/** The routes of administrators on a real port and database, with the real services and a virtual clock. */
export class AdministrationStage {
  /** The token of the first administrator; empty before {@link setUp}. */
  token = '';

  private constructor(
    readonly stores: Stores,
    readonly clock: VirtualClock,
    readonly management: Management,
    readonly billing: Billing,
    readonly paying: Paying,
    readonly administration: Administration,
    readonly routes: readonly Route[],
    readonly api: TestApi,
    readonly bus: LocalBus,
    /** The address that the platform takes for its public one. */
    readonly publicUrl: { value: string },
    /** Where its files are. */
    readonly settings: Settings,
    readonly storages: ObjectStores,
    readonly folder: string,
  ) {}

  static async open(
    { url }: TestDatabase,
    more: readonly Route[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<AdministrationStage> {
    const clock = new VirtualClock(new Date());
    const stores = openStores(url, 6);
    const folder = await mkdtemp(join(tmpdir(), 'hatif-administration-'));
    const payments = { PAYMENT_IBAN: IBAN, PAYMENT_ACCOUNT_NAME: 'Operator LLC' };
    const folders = { RECORDING_DIR: folder, HATIF_DATA_DIR: join(folder, 'data') };
    const settings = readSettings({ DATABASE_URL: url, ...folders, ...payments, ...environment });
    const storages = openStorages(settings);
    const cipher = TEST_CIPHER;
    const wake = (): void => undefined;
    const management = openManagement(stores, storages, cipher, clock, quiet, null, settings);
    const billing = openBilling(stores, clock, wake);
    const paying = openPaying({ stores, settings, clock, log: quiet, wake });
    const { db } = stores;
    const administration = openAdministration({ db, cipher, rateLimiter: new MemoryRateLimiter(clock), clock });
    const bus = new LocalBus();
    const publicUrl = { value: '' };
    const jobs = { available: () => Promise.resolve(true) } as never;
    const routes = openAdministrationRoutes(
      {
        redis: null,
        queues: { coordinator: openCoordinator({ stores, redis: null, clock, log: quiet }) },
        ...{ settings, stores, storages, cipher, bus, jobs, management, billing, clock, log: quiet },
        paymentAdministration: paying.administration,
        parts: { sip: { host: '192.0.2.10', port: 5060 } },
      },
      () => api.url,
      administration,
      wake,
      () => api.authenticator.clearCache(),
    );
    const api: TestApi = await testApi({
      ...{ db, cipher, clock, routes: [...routes, ...more] },
      trustProxy: ['loopback'],
      publicUrl,
    });
    return new AdministrationStage(
      stores,
      clock,
      management,
      billing,
      paying,
      administration,
      routes,
      api,
      bus,
      publicUrl,
      settings,
      storages,
      folder,
    );
  }

  /** Makes the first administrator, and signs in. */
  async setUp(): Promise<void> {
    const json = { code: setupCode(TEST_CIPHER), ...ADMINISTRATOR };
    const { status, text, body } = await this.api.request('POST', '/v1/setup', { json });
    expect(status, text).to.equal(201);
    this.token = String(body?.access_token);
  }

  /** As the administrator by default. */
  ask(method: string, path: string, json?: unknown, options: RequestOptions = {}): Promise<Answer> {
    const body = json === undefined ? (method === 'POST' ? { json: {} } : {}) : { json };
    return this.api.request(method, `/v1/admin${path}`, { key: this.token, ...body, ...options });
  }

  /** As {@link ask}; it must succeed. */
  async done(method: string, path: string, json?: unknown): Promise<Record<string, unknown>> {
    const { status, text, body } = await this.ask(method, path, json);
    expect(status, text).to.be.within(200, 299);
    return body ?? {};
  }

  /** The audit row of a request that was just answered. */
  async audited(route: string): Promise<Record<string, unknown> | undefined> {
    await this.api.audit.flush();
    const [row] = await this.stores.db.query<Record<string, unknown>>(
      'SELECT * FROM audit_log WHERE route = $1 ORDER BY id DESC LIMIT 1',
      [route],
    );
    return row;
  }

  async close(): Promise<void> {
    await this.api.close();
    await this.paying.close();
    await this.stores.db.close();
    await rm(this.folder, { recursive: true, force: true });
    expect(this.api.faults).to.deep.equal([]);
  }
}
