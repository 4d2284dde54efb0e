import { expect } from 'chai';
import type { Route } from '../../../../api/http/route.js';
import { systemClock, type Clock } from '../../../../core/ports/clock.js';
import type { ConsentService } from '../../../../core/services/contacts/consents.js';
import { openContactRoutes } from '../../../../main/roles/routes/contacts.js';
import { openConsents } from '../../../../main/wiring/messages/consents.js';
import type { Stores } from '../../../../main/wiring/stores.js';
import { testApi, type Owner, type TestApi } from '../../api.js';
import { testDatabase, type TestDatabase } from '../../platform/database.js';

/** The keys of a project. */
export interface ContactTenant {
  readonly owner: Owner;
  readonly live: string;
  readonly sandbox: string;
}

/** The routes of contacts on a real port and database. */
export class ContactStage {
  private constructor(
    readonly database: TestDatabase,
    readonly routes: Route[],
    readonly api: TestApi,
    readonly consents: ConsentService,
  ) {}

  /** @param clock of the platform */
  static async start(clock: Clock = systemClock): Promise<ContactStage> {
    const database = await testDatabase();
    const stores = { db: database.db } as Stores;
    const shared = { stores, clock, wake: (): void => undefined };
    const consents = openConsents({ ...shared, settings: { MESSAGE_HOURS: '' } });
    const routes = openContactRoutes({ ...shared, consents });
    return new ContactStage(database, routes, await testApi({ db: database.db, routes }), consents);
  }

  /** A new project. */
  async tenant(): Promise<ContactTenant> {
    const owner = await this.api.owner();
    return {
      owner,
      live: (await this.api.key(owner)).key,
      sandbox: (await this.api.key({ ...owner, kind: 'sandbox' })).key,
    };
  }

  async close(): Promise<void> {
    await this.api.close();
    await this.database.close();
    expect(this.api.faults).to.deep.equal([]);
  }
}
