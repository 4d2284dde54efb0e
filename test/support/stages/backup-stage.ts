import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Queryable } from '../../../core/data/database.js';
import { Engines } from '../../../core/data/repositories/engines/engines.js';
import { newId } from '../../../core/model/ids.js';
import { emptyDatabase, testDatabase, type TestDatabase } from '../platform/database.js';
import { Installation } from '../platform/installation.js';
import { callRow, eventOf, groundIn, insertRows, legRow, type Ground } from '../rows/rows.js';

/** The plaintext of {@link BackupStage.sealed}. */
export const PASSWORD = 'the password of a trunk';
/** Text that a backup might not escape correctly. */
const UGLY = 'tab\t newline\n back\\slash \\. quote" هاتف \u{1F4DE} \\N';

/** Inserts calls in several states, with legs, charges, events and deliveries. */
export async function fill(db: Queryable, ground: Ground, calls: number): Promise<void> {
  const rows = Array.from({ length: calls }, (_, index) =>
    callRow(ground, {
      status: index % 3 === 0 ? 'answered' : 'ended',
      ended_at: index % 3 === 0 ? null : new Date(),
      metadata: { note: UGLY },
      caller_id_name: UGLY,
    }),
  );
  await insertRows(db, 'calls', rows);
  const legs = rows.map((row) => legRow(row.id));
  await insertRows(db, 'legs', legs);
  await insertRows(
    db,
    'charges',
    legs.map((leg) => ({
      id: newId(),
      leg_id: leg.id,
      call_id: leg.call_id,
      project_id: ground.projectId,
      sandbox: false,
      direction: 'outbound',
      kind: 'outbound',
      number: leg.number,
      started_at: new Date(),
      seconds: 17,
      created_at: new Date(),
    })),
  );
  const events = rows.map((row) => eventOf(row, { data: { note: UGLY } }));
  await insertRows(db, 'events', events);
  const endpoint = {
    id: newId(),
    project_id: ground.projectId,
    url: `https://example.com/${newId()}`,
    events: ['*', 'call.*'],
  };
  await insertRows(db, 'webhook_endpoints', [
    { ...endpoint, secret: 'sealed', status: 'enabled', created_at: new Date() },
  ]);
  const deliveries = events.map((event) => ({
    id: newId(),
    event_id: event.id,
    endpoint_id: endpoint.id,
    lane: endpoint.id,
    project_id: ground.projectId,
    status: 'pending',
    attempts: 1,
    next_attempt_at: new Date(),
    locked_until: null,
    created_at: new Date(),
  }));
  await insertRows(db, 'webhook_deliveries', deliveries);
  await insertRows(
    db,
    'webhook_attempts',
    deliveries.map(({ id }) => ({ id: newId(), delivery_id: id, at: new Date(), status_code: 500, duration_ms: 3 })),
  );
}

/** An installation with data of every kind, a backup of it, and other installations to restore it into. */
export class BackupStage {
  readonly #open: Installation[] = [];

  private constructor(
    readonly source: Installation,
    readonly ground: Ground,
    /** The folder of the tests' archives. */
    readonly folder: string,
    /** The backup of the installation. */
    readonly archive: string,
    /** {@link PASSWORD}, sealed by the installation. */
    readonly sealed: string,
    /** The id of an audio file of the installation. */
    readonly audioId: string,
  ) {}

  static async start(): Promise<BackupStage> {
    const folder = await mkdtemp(join(tmpdir(), 'hatif-archives-'));
    const archive = join(folder, 'one.tar.gz');
    const source = await Installation.with(testDatabase());
    const { db, dataDir } = source;
    const audioId = newId();
    const cipher = await source.cipher();
    const sealed = cipher.seal(PASSWORD);
    const ground = await groundIn(db);
    await fill(db, ground, 30);
    // More than one piece of the archive.
    const [call] = await db.query<{ id: string }>('SELECT id FROM calls LIMIT 1');
    const note = (): object => ({
      id: newId(),
      call_id: call!.id,
      at: new Date(),
      type: 'note',
      data: { x: randomBytes(400_000).toString('hex') },
    });
    await insertRows(db, 'call_timeline', Array.from({ length: 12 }, note));
    await insertRows(db, 'audio_files', [
      {
        ...{ id: audioId, project_id: ground.projectId, sandbox: false, name: UGLY },
        ...{ duration_ms: 5, bytes: 9, created_at: new Date() },
      },
    ]);
    await new Engines(db).acquire(ground.engineId, 'host:1:abc', 600_000);
    await mkdir(join(dataDir, 'media/uploads'), { recursive: true });
    await mkdir(join(dataDir, 'recordings/2026/11'), { recursive: true });
    for (const extension of ['wav', 'wav16']) {
      await writeFile(join(dataDir, `media/uploads/${audioId}.${extension}`), randomBytes(9_000), { mode: 0o644 });
    }
    await writeFile(join(dataDir, 'media/uploads/nobodys.wav'), 'of no row');
    await writeFile(join(dataDir, 'recordings/2026/11/a.wav'), randomBytes(700_000));
    await writeFile(join(dataDir, 'recordings/empty.wav'), '');
    await mkdir(join(dataDir, 'recording'));
    await writeFile(join(dataDir, 'recording/tap.wav'), 'not finished');
    await writeFile(join(dataDir, 'bootstrap.json'), '{"live_key":"x"}', { mode: 0o600 });
    const made = await source.hatif(['backup', archive]);
    expect(made.code, made.stderr).to.equal(0);
    return new BackupStage(source, ground, folder, archive, sealed, audioId);
  }

  /** Another installation, by default with an empty database; removed after the test. */
  async elsewhere(database: Promise<TestDatabase> = emptyDatabase()): Promise<Installation> {
    const made = await Installation.with(database);
    this.#open.push(made);
    return made;
  }

  /** For `afterEach`. */
  async closeOthers(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((one) => one.close()));
  }

  async close(): Promise<void> {
    await this.source.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * For a `describe`: one stage for all tests.
 * @param use receives it before the first test
 */
export function withBackup(use: (stage: BackupStage) => void): void {
  let stage: BackupStage;
  before(async () => {
    stage = await BackupStage.start();
    use(stage);
  });
  afterEach(() => stage.closeOthers());
  after(() => stage.close());
}
