import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openObjectStores } from '../../../adapters/storage/index.js';
import { recordingRoutes } from '../../../api/routes/recordings/recordings.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import { Conferences } from '../../../core/data/repositories/calls/conferences.js';
import { Recordings } from '../../../core/data/repositories/calls/recordings.js';
import type { CallRow, LegRecordingRow, RecordingRow } from '../../../core/data/rows.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { systemClock, type Clock } from '../../../core/ports/clock.js';
import type { ObjectStores } from '../../../core/ports/object-store.js';
import { DeleteRecordings } from '../../../core/services/recordings/delete.js';
import { RecordingLinks } from '../../../core/services/recordings/links.js';
import { ReadRecordings } from '../../../core/services/recordings/read.js';
import { RecordingRemoval } from '../../../core/services/recordings/removal.js';
import type { Route } from '../../../api/http/route.js';
import { testApi, type TestApi } from '../api.js';
import { testDatabase, type TestDatabase } from '../platform/database.js';
import { filesBelow } from '../files-below.js';
import { quiet } from '../logger.js';
import { recordingRow } from '../rows/recordings.js';
import { callRow, groundIn, insertRows, type Ground } from '../rows/rows.js';
import { startS3, type S3Peer } from '../peers/s3.js';
import { TcpProxy } from '../peers/tcp-proxy.js';

/** A clock that is ahead of this machine's by `aheadMs`. */
class ShiftedClock implements Clock {
  aheadMs = 0;
  now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }
  monotonicMs(): number {
    return systemClock.monotonicMs();
  }
  after(delayMs: number, run: () => void) {
    return systemClock.after(delayMs, run);
  }
}

/** The API of recordings on a real database, a folder and an S3-compatible server behind a proxy (cable). */
export class RecordingsStage {
  readonly clock = new ShiftedClock();
  readonly recordings: Recordings;
  readonly removal: RecordingRemoval;
  readonly remove: DeleteRecordings;

  private constructor(
    readonly database: TestDatabase,
    readonly ground: Ground,
    readonly stores: ObjectStores,
    readonly cable: TcpProxy,
    /** The folder of the local storage. */
    readonly localFolder: string,
    private readonly folder: string,
    private readonly s3: S3Peer,
  ) {
    const { db } = database;
    const calls = new Calls(db);
    const conferences = new Conferences(db);
    this.recordings = new Recordings(db);
    this.removal = new RecordingRemoval({ recordings: this.recordings, stores, log: quiet });
    this.remove = new DeleteRecordings({ calls, conferences, recordings: this.recordings, removal: this.removal });
    const links = new RecordingLinks(new Cipher('a secret for links, of thirty-two characters'), this.clock);
    this.read = new ReadRecordings({
      calls,
      conferences,
      recordings: this.recordings,
      stores,
      links,
      clock: this.clock,
    });
  }

  readonly read: ReadRecordings;

  static async open(): Promise<RecordingsStage> {
    const [database, s3] = await Promise.all([testDatabase(), startS3()]);
    const cable = await TcpProxy.start('127.0.0.1', s3.port);
    const folder = mkdtempSync(path.join(tmpdir(), 'hatif-recordings-'));
    const localFolder = path.join(folder, 'kept');
    const stores = openObjectStores({
      use: 'local',
      folder: localFolder,
      s3: { ...s3.options, endpoint: `http://127.0.0.1:${cable.port}` },
    });
    return new RecordingsStage(database, await groundIn(database.db), stores, cable, localFolder, folder, s3);
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.cable.close();
    await this.s3.stop();
    rmSync(this.folder, { recursive: true });
  }

  /** Removes all recordings and audio, and restores the connection to the S3 server. */
  async empty(): Promise<void> {
    this.cable.restore();
    await this.database.db.query('DELETE FROM recording_removals; DELETE FROM recordings');
    const { local, s3 } = this.kept();
    for (const key of local) await this.stores.of('local').remove(key);
    for (const key of s3) await this.stores.of('s3').remove(key);
  }

  /** Serves only the recording routes; links have this API's address. */
  async api(): Promise<TestApi & { readonly routes: readonly Route[] }> {
    const publicUrl = { value: '' };
    const routes = recordingRoutes({ read: this.read, remove: this.remove, publicUrl: () => publicUrl.value });
    return { ...(await testApi({ db: this.database.db, routes, publicUrl })), routes };
  }

  /** Stores an ended call of the project that was recorded. */
  async call(changes: Partial<CallRow> = {}): Promise<CallRow> {
    const ended_at = new Date();
    const call = callRow(this.ground, { status: 'ended', ended_at, recording_available: true, ...changes });
    await insertRows(this.database.db, 'calls', [call]);
    return call;
  }

  /** Stores a recording of a call, with its audio at the row's storage key. */
  async recording(call: CallRow, audio: Uint8Array, changes: Partial<LegRecordingRow> = {}): Promise<RecordingRow> {
    const row = recordingRow(call, { bytes: audio.length, ...changes });
    if (row.storage !== null && row.storage_key !== null) {
      const file = path.join(this.folder, 'new.wav');
      writeFileSync(file, audio);
      await this.stores.of(row.storage).put(row.storage_key, file, 'audio/wav');
    }
    await insertRows(this.database.db, 'recordings', [row]);
    return row;
  }

  /** The keys of all objects in the storages. */
  kept(): { readonly local: string[]; readonly s3: string[] } {
    return { local: existsSync(this.localFolder) ? filesBelow(this.localFolder) : [], s3: this.s3.keys() };
  }

  async isAvailable(call: CallRow): Promise<boolean> {
    const [row] = await this.database.db.query<CallRow>('SELECT * FROM calls WHERE id = $1', [call.id]);
    if (!row) throw new Error('the call is gone');
    return row.recording_available;
  }

  async row(recording: RecordingRow): Promise<RecordingRow> {
    const row = await this.recordings.find(recording.id);
    if (!row) throw new Error('the recording is gone');
    return row;
  }
}
