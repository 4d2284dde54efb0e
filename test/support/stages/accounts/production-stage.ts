import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readSettings } from '../../../../config/read-settings.js';
import { nationalIdRoutes } from '../../../../api/routes/accounts/national-id.js';
import { productionRequestRoutes } from '../../../../api/routes/accounts/production-requests.js';
import { productionReviewRoutes } from '../../../../api/routes/administration/production-requests.js';
import { NumberDocuments } from '../../../../core/data/repositories/numbers/number-documents.js';
import { MemoryRateLimiter } from '../../../../core/services/access/rate-limit.js';
import { Documents } from '../../../../core/services/numbers/documents.js';
import {
  openIdentities,
  openProductionAccess,
  type IdentityServices,
} from '../../../../main/wiring/production-access.js';
import { openStorages } from '../../../../main/wiring/storages.js';
import type { Answer, RequestOptions } from '../../api.js';
import { TEST_CIPHER } from '../../cipher.js';
import { quiet } from '../../logger.js';
import { stageEach } from '../../each.js';
import { IdentityPeer } from '../../peers/identity-peer.js';
import type { TestDatabase } from '../../platform/database.js';
import { addAdministrator } from '../../rows/administrators.js';
import { AccountsStage, type TestUser } from './accounts-stage.js';

export const IDENTITY_SECRET = `whsec_${Buffer.from('a secret for tests of identities').toString('base64')}`;

const COMPANY = {
  company: 'Riyadh Dental Co.',
  commercial_registration: '1010123456',
  vat_number: '300012345600003',
  use: 'Appointment reminders',
  expected_calls: 2000,
};

/** The first nine digits with their check digit: a valid national id. */
export function nationalId(start: string): string {
  const sum = Array.from(start)
    .reverse()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return start + String((10 - (sum % 10)) % 10);
}

let people = 0;
/** A national id that no other test uses. */
export const newNationalId = (): string => nationalId(`1${String(++people).padStart(8, '0')}`);

/** The API with people, requests for production access and a national identity service. */
export class ProductionStage {
  private constructor(
    readonly accounts: AccountsStage,
    readonly peer: IdentityPeer,
    readonly identities: IdentityServices,
    private readonly administrator: string,
    private readonly folder: string,
  ) {}

  static async open(database: TestDatabase, settings: Readonly<Record<string, string>> = {}): Promise<ProductionStage> {
    const peer = await IdentityPeer.start(IDENTITY_SECRET);
    const folder = await mkdtemp(join(tmpdir(), 'hatif-production-'));
    const environment = {
      RECORDING_DIR: folder,
      NATIONAL_ID_URL: peer.url,
      NATIONAL_ID_SECRET: IDENTITY_SECRET,
      NATIONAL_ID_TIMEOUT_SECONDS: '4',
      ...settings,
    };
    const read = readSettings(Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== '')));
    const { db } = database;
    let identities: IdentityServices | null = null;
    const accounts = await AccountsStage.start(database, ({ clock }) => {
      identities ??= openIdentities({ stores: { db }, settings: read, cipher: TEST_CIPHER, clock, log: quiet });
      const stores = openStorages(read);
      const documents = new Documents({ documents: new NumberDocuments(db), stores, clock });
      const production = openProductionAccess({ stores: { db }, settings: read, documents, clock });
      return [
        ...productionRequestRoutes(production),
        ...productionReviewRoutes(production),
        ...nationalIdRoutes({ verifications: identities.verifications(new MemoryRateLimiter(clock)) }),
      ];
    });
    return new ProductionStage(accounts, peer, identities!, await addAdministrator(db), folder);
  }

  /** An owner of a new sandbox organization, and the requests that the owner sends. */
  async owner(user: Partial<TestUser['row']> = {}): Promise<Person> {
    return this.signedIn(await this.accounts.signUp({ tier: 'sandbox', user }));
  }

  async signedIn(user: TestUser): Promise<Person> {
    const as = await this.accounts.as(user);
    return new Person(user, (method, path, json) => as(method, path, json === undefined ? {} : { json }), as);
  }

  /** As an administrator. */
  admin(method: string, path: string, json?: object): Promise<Answer> {
    const body = method === 'POST' ? { json: json ?? {} } : {};
    return this.accounts.api.request(method, `/v1/admin/production-requests${path}`, {
      key: this.administrator,
      ...body,
    });
  }

  async close(): Promise<void> {
    await this.accounts.close();
    await this.identities.close();
    await this.peer.close();
    await rm(this.folder, { recursive: true, force: true });
    expect(this.peer.unsigned).to.deep.equal([]);
  }
}

/** What tests of production access work with. */
export interface ProductionGround {
  readonly database: TestDatabase;
  readonly stage: ProductionStage;
  /** Of a sandbox organization. */
  readonly owner: Person;
}

/** For a `describe`: a new stage for each test, without mails and verifications of the test before. */
export function productionEach(use: (given: ProductionGround) => void): void {
  stageEach<ProductionGround>(
    async (database) => {
      await database.db.query('DELETE FROM owner_mails');
      await database.db.query('DELETE FROM identity_verifications');
      const stage = await ProductionStage.open(database);
      return { database, stage, owner: await stage.owner() };
    },
    use,
    ({ stage }) => stage.close(),
  );
}

type Ask = (method: string, path: string, json?: object) => Promise<Answer>;

/** A user who is signed in. */
export class Person {
  constructor(
    readonly user: TestUser,
    readonly ask: Ask,
    readonly send: (method: string, path: string, options?: RequestOptions) => Promise<Answer>,
  ) {}

  /** Drafts a request for production access; it must be accepted. */
  async draft(details: object = {}): Promise<string> {
    const answer = await this.create(details);
    expect(answer.status, answer.text).to.equal(201);
    return String(answer.body?.id);
  }

  create(details: object = {}): Promise<Answer> {
    return this.ask('POST', '/v1/production-requests', { ...COMPANY, ...details });
  }

  submit(id: string): Promise<Answer> {
    return this.ask('POST', `/v1/production-requests/${id}/submit`, {});
  }

  verify(national_id: string): Promise<Answer> {
    return this.ask('POST', '/v1/national-id/verifications', { national_id });
  }

  /** Starts a verification; it must be accepted. */
  async verification(national_id = newNationalId()): Promise<string> {
    const answer = await this.verify(national_id);
    expect(answer.status, answer.text).to.equal(201);
    return String(answer.body?.verification_id);
  }

  confirm(id: string): Promise<Answer> {
    return this.ask('POST', `/v1/national-id/verifications/${id}/confirm`, {});
  }

  /** Verifies the national identity with the provider's help. */
  async identify(peer: IdentityPeer, national_id = newNationalId()): Promise<void> {
    const id = await this.verification(national_id);
    peer.confirm(id);
    const answer = await this.confirm(id);
    expect(answer.status, answer.text).to.equal(200);
  }
}
