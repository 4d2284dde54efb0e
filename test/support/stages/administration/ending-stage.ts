import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { AudioMediaStore } from '../../../../adapters/media/index.js';
import { newId } from '../../../../core/model/ids.js';
import { openPrivacyTasks, type PrivacyTasksOptions } from '../../../../main/wiring/privacy/tasks.js';
import type { Answer } from '../../api.js';
import { TEST_CIPHER } from '../../cipher.js';
import { quiet } from '../../logger.js';
import { addMember } from '../../rows/members.js';
import { newPerson } from '../../rows/new-person.js';
import { insertPerson, type Person, type PersonRows } from '../../rows/person.js';
import { engineRow, insertRows, type Ground } from '../../rows/rows.js';
import { testDatabase, type TestDatabase } from '../../platform/database.js';
import { sampleRoutes, Gate } from '../../sample-routes.js';
import { membersOf } from '../privacy/privacy-stage.js';
import { ADMINISTRATOR, AdministrationStage } from './administration-stage.js';

/** An organization with something everywhere. */
export interface Inhabited {
  readonly ground: Ground;
  readonly name: string;
  readonly person: Person;
  readonly rows: PersonRows;
  /** Of a project of the organization. */
  readonly key: string;
  /** The access token of its owner. */
  readonly token: string;
}

/** How an organization ends, as the API shows it. */
export interface ShownEnding {
  readonly status: string;
  readonly step: string;
  readonly problem: string | null;
  readonly archive: { readonly parts: readonly { readonly part: number }[] } | null;
  readonly kept_until: string | null;
  readonly report: readonly { readonly category: string; readonly erased: number }[];
}

/** The routes of administrators, and the work of ending organizations. */
export class EndingStage {
  private constructor(
    readonly database: TestDatabase,
    readonly administration: AdministrationStage,
    readonly media: AudioMediaStore,
  ) {}

  static async open(environment: Readonly<Record<string, string>> = {}): Promise<EndingStage> {
    const database = await testDatabase();
    const administration = await AdministrationStage.open(database, sampleRoutes(new Gate()), environment);
    await administration.setUp();
    // Ahead of what tests insert.
    await administration.clock.advance(30_000);
    const media = new AudioMediaStore({ dir: join(administration.folder, 'media') });
    return new EndingStage(database, administration, media);
  }

  async inhabited(): Promise<Inhabited> {
    const { stores, api, storages } = this.administration;
    const { organizationId, projectId } = await api.owner();
    const engineId = newId();
    await insertRows(stores.db, 'engines', [engineRow({ id: engineId, name: `engine-${engineId}` })]);
    const ground = { organizationId, projectId, engineId };
    const name = `Riyadh Dental ${organizationId}`;
    await stores.db.query('UPDATE organizations SET name = $2 WHERE id = $1', [organizationId, name]);
    const { key } = await api.key({ projectId });
    const { token } = await addMember(stores.db, organizationId, { agent: '1001' });
    await stores.db.query(
      `INSERT INTO agents (id, project_id, organization_id, agent, aor, display_name, sip_password)
       VALUES ($1, $2, $3, '1001', $4, 'Huda', $5)`,
      [newId(), projectId, organizationId, `a${projectId}`, TEST_CIPHER.seal('secret')],
    );
    const person = newPerson();
    const rows = await insertPerson(stores.db, ground, person);
    for (const storageKey of rows.storageKeys) {
      const file = join(this.administration.folder, 'to-store');
      await writeFile(file, `the voice of ${storageKey}`);
      await storages.current.put(storageKey, file, 'audio/wav');
    }
    return { ground, name, person, rows, key, token };
  }

  async work(more: Partial<PrivacyTasksOptions> = {}): Promise<void> {
    for (const task of this.tasks(more)) await task.run();
  }

  tasks(more: Partial<PrivacyTasksOptions> = {}): ReturnType<typeof openPrivacyTasks> {
    const { settings, stores, storages, management, bus, clock } = this.administration;
    return openPrivacyTasks({
      ...{ settings, stores, storages, management, bus, clock },
      ...{ media: this.media, cipher: TEST_CIPHER, log: quiet },
      ...more,
    });
  }

  delete({ ground }: Inhabited, body: object): Promise<Answer> {
    return this.administration.ask('DELETE', `/organizations/${ground.organizationId}`, body);
  }

  /** Deletes the organization, and does what can be done at once. */
  async end(organization: Inhabited): Promise<ShownEnding> {
    const { status, text } = await this.delete(organization, { name: organization.name });
    expect(status, text).to.equal(202);
    await this.work();
    return this.ending(organization);
  }

  async ending({ ground }: Inhabited): Promise<ShownEnding> {
    const { status, text, body } = await this.administration.ask(
      'GET',
      `/organizations/${ground.organizationId}/deletion`,
    );
    expect(status, text).to.equal(200);
    return body as unknown as ShownEnding;
  }

  /** The members of a file of the archive. */
  async archive({ ground }: Inhabited, part = 1): Promise<Map<string, unknown>> {
    const { api, token, folder } = this.administration;
    const path = `/v1/admin/organizations/${ground.organizationId}/deletion/archive?part=${part}`;
    const headers = { Authorization: `Bearer ${token}`, Connection: 'close' };
    const response = await fetch(api.url + path, { headers });
    expect(response.status).to.equal(200);
    const file = join(folder, 'downloaded.tar.gz');
    await writeFile(file, Buffer.from(await response.arrayBuffer()));
    return membersOf(file);
  }

  /** The tables that still have rows of the organization. */
  async tablesLeft({ ground }: Inhabited): Promise<string[]> {
    const { db } = this.administration.stores;
    const columns = await db.query<{ table: string; column: string }>(
      `SELECT c.table_name AS table, c.column_name AS column FROM information_schema.columns AS c
       JOIN information_schema.tables AS t ON t.table_name = c.table_name AND t.table_schema = c.table_schema
       WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
         AND (c.column_name IN ('organization_id', 'project_id') OR c.table_name = 'organizations' AND c.column_name = 'id')`,
    );
    const selects = columns.map(
      ({ table, column }) =>
        `SELECT '${table}' AS name WHERE EXISTS (SELECT FROM ${table} WHERE ${column} IN ($1, $2))`,
    );
    const found = await db.query<{ name: string }>(selects.join(' UNION '), [ground.organizationId, ground.projectId]);
    return found.map(({ name }) => name).sort();
  }

  /** After so much time that the session of the administrator has ended. */
  async signInAgain(): Promise<void> {
    const { email, password } = ADMINISTRATOR;
    const { api } = this.administration;
    const { body } = await api.request('POST', '/v1/admin/sessions', { json: { email, password } });
    this.administration.token = String(body?.access_token);
  }

  async close(): Promise<void> {
    await this.administration.close();
    await this.database.close();
  }
}
