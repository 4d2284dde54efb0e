import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { readArchive } from '../../../../adapters/archive/reader.js';
import { AudioMediaStore } from '../../../../adapters/media/index.js';
import { privacyRoutes } from '../../../../api/routes/privacy/requests.js';
import { readSettings } from '../../../../config/read-settings.js';
import type { Settings } from '../../../../config/settings.js';
import type { Database } from '../../../../core/data/database.js';
import { newId } from '../../../../core/model/ids.js';
import type { ObjectStores } from '../../../../core/ports/object-store.js';
import { VirtualClock } from '../../../../engine/simulator/virtual-clock.js';
import { openManagement, type Management } from '../../../../main/wiring/management.js';
import { openPrivacyRequests } from '../../../../main/wiring/privacy/requests.js';
import { openPrivacyTasks, type PrivacyTasksOptions } from '../../../../main/wiring/privacy/tasks.js';
import { openStorages } from '../../../../main/wiring/storages.js';
import { openStores, type Stores } from '../../../../main/wiring/stores.js';
import type { Answer } from '../../api.js';
import { TEST_CIPHER } from '../../cipher.js';
import { quiet } from '../../logger.js';
import type { TestMember } from '../../rows/members.js';
import { engineRow, insertRows, type Ground } from '../../rows/rows.js';
import { LocalBus } from '../accounts/softphone-engine.js';
import { OrganizationStage, type TestOrganization } from '../accounts/organization-stage.js';

/** A request about personal data, as the API shows it. */
export interface ShownRequest {
  readonly id: string;
  readonly status: string;
  readonly problem: string | null;
  readonly subject: { readonly type: string; readonly masked: string };
  readonly report: readonly {
    readonly category: string;
    readonly found: number;
    readonly exported: number;
    readonly erased: number;
    readonly anonymised: number;
    readonly kept: readonly { readonly reason: string; readonly count: number; readonly until: string | null }[];
  }[];
  readonly archive: { readonly parts: readonly { readonly part: number }[]; readonly expires_at: string } | null;
  readonly kept_until: string | null;
}

export type RequestKind = 'exports' | 'erasures';

/** The routes of members and of privacy on a real database, with the work that they ask for and a folder for files. */
export class PrivacyStage {
  private constructor(
    readonly members: OrganizationStage,
    readonly stores: Stores,
    readonly storages: ObjectStores,
    readonly settings: Settings,
    readonly management: Management,
    /** Of the requests and their work. It is ahead of what tests insert. */
    readonly clock: VirtualClock,
    readonly folder: string,
    readonly media: AudioMediaStore,
  ) {}

  static async open(environment: Readonly<Record<string, string>> = {}): Promise<PrivacyStage> {
    const clock = new VirtualClock(new Date(Date.now() + 60_000));
    const folder = await mkdtemp(join(tmpdir(), 'hatif-privacy-'));
    const parts: { storages?: ObjectStores } = {};
    const members = await OrganizationStage.start((db) => {
      const storages = (parts.storages ??= openStorages(settingsOf('postgres://nowhere', folder, environment)));
      return privacyRoutes({ requests: openPrivacyRequests({ stores: { db }, storages, cipher: TEST_CIPHER, clock }) });
    });
    const settings = settingsOf(members.database.url, folder, environment);
    const storages = openStorages(settings);
    const stores = openStores(members.database.url, 6);
    const management = openManagement(stores, storages, TEST_CIPHER, clock, quiet, null, settings);
    const media = new AudioMediaStore({ dir: join(folder, 'media') });
    return new PrivacyStage(members, stores, storages, settings, management, clock, folder, media);
  }

  /** What rows of the calls of an organization refer to, with an engine of their own. */
  async groundOf({ organization, project }: TestOrganization): Promise<Ground> {
    const engineId = newId();
    await insertRows(this.db, 'engines', [engineRow({ id: engineId, name: `engine-${engineId}` })]);
    return { organizationId: organization.id, projectId: project.id, engineId };
  }

  get db(): Database {
    return this.stores.db;
  }

  /** The work of a process. @param more for example an injected death */
  tasks(more: Partial<PrivacyTasksOptions> = {}): ReturnType<typeof openPrivacyTasks> {
    const { settings, stores, storages, media, management, clock } = this;
    return openPrivacyTasks({
      ...{ settings, stores, storages, media, management, clock },
      ...{ bus: new LocalBus(), cipher: TEST_CIPHER, log: quiet },
      ...more,
    });
  }

  /** Does everything that is due. */
  async work(more: Partial<PrivacyTasksOptions> = {}): Promise<void> {
    for (const task of this.tasks(more)) await task.run();
  }

  /** Asks as the member; the answer is not judged. */
  ask(kind: RequestKind, member: TestMember, type: string, value: string): Promise<Answer> {
    return this.members.as(member, 'POST', `/v1/privacy/${kind}`, { subject: { type, value } });
  }

  /** Asks as the owner, does the work, and reads the outcome. */
  async done(kind: RequestKind, { owner }: TestOrganization, type: string, value: string): Promise<ShownRequest> {
    const answer = await this.ask(kind, owner, type, value);
    expect(answer.status, answer.text).to.equal(202);
    await this.work();
    return this.read(kind, owner, String(answer.body?.id));
  }

  async read(kind: RequestKind, owner: TestMember, id: string): Promise<ShownRequest> {
    const answer = await this.members.as(owner, 'GET', `/v1/privacy/${kind}/${id}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body as unknown as ShownRequest;
  }

  /** The members of an archive's file, by name; JSON is parsed. */
  async archive(owner: TestMember, path: string, part = 1, api = this.members.api): Promise<Map<string, unknown>> {
    const response = await fetch(`${api.url}${path}?part=${part}`, {
      headers: { Authorization: `Bearer ${owner.token}`, Connection: 'close' },
    });
    expect(response.status).to.equal(200);
    const file = join(this.folder, 'downloaded.tar.gz');
    await writeFile(file, Buffer.from(await response.arrayBuffer()));
    return membersOf(file);
  }

  /** Stores a file in the storage of recordings. */
  async store(key: string, content: string): Promise<void> {
    const file = join(this.folder, 'to-store');
    await writeFile(file, content);
    await this.storages.current.put(key, file, 'audio/wav');
  }

  async isStored(key: string): Promise<boolean> {
    return this.storages.current.size(key).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    await this.stores.db.close();
    await this.members.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export async function membersOf(file: string): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  for await (const { name, content } of readArchive(file)) {
    const text = (await buffer(content)).toString('utf8');
    found.set(name, name.endsWith('.json') ? JSON.parse(text) : text);
  }
  return found;
}

function settingsOf(url: string, folder: string, environment: Readonly<Record<string, string>>): Settings {
  return readSettings({
    DATABASE_URL: url,
    HATIF_DATA_DIR: folder,
    RECORDING_DIR: join(folder, 'recordings'),
    ...environment,
  });
}
