import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { recordingAudio } from '../../../adapters/media/interleave.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import type { CallRow, RecordingRow } from '../../../core/data/rows.js';
import { EngineError, type Recordings } from '../../../core/ports/engine.js';
import { MAX_RETRY_MS } from '../../../core/services/recordings/retries.js';
import { RecordingCollector } from '../../../core/services/recordings/collector.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { eventually } from '../../support/eventually.js';
import { toneWav } from '../../support/judges/audio.js';
import { quiet } from '../../support/logger.js';
import { RecordingsStage } from '../../support/stages/recordings-stage.js';

const TONE = toneWav({ hz: 440, seconds: 1 });

/** An engine whose recordings are files; it cannot read some of them. */
class EngineFolder implements Pick<Recordings, 'stop' | 'collect' | 'discard' | 'finished'> {
  readonly unreadable = new Set<string>();
  readonly undeletable = new Set<string>();
  readonly left = new Set<string>();
  readonly asked: string[] = [];

  stop(): Promise<void> {
    return Promise.resolve();
  }

  collect(id: string, _channels: 1 | 2, folder: string): Promise<readonly (string | null)[]> {
    this.asked.push(id);
    if (this.unreadable.has(id)) return Promise.reject(new EngineError('rejected', 'The file cannot be read'));
    const file = path.join(folder, 'tap.wav');
    writeFileSync(file, TONE);
    return Promise.resolve([file]);
  }

  discard(id: string): Promise<void> {
    if (this.undeletable.has(id)) return Promise.reject(new EngineError('rejected', 'The file cannot be deleted'));
    this.left.delete(id);
    return Promise.resolve();
  }

  finished(): Promise<readonly string[]> {
    return Promise.resolve([...this.left]);
  }
}

describe('The collector of recordings', function () {
  this.timeout(60_000);
  let stage: RecordingsStage;
  let call: CallRow;
  let calls: Calls;
  let folder: string;
  let clock: VirtualClock;
  let engine: EngineFolder;
  let collector: RecordingCollector;
  let waiting: number;

  before(async () => {
    stage = await RecordingsStage.open();
    calls = new Calls(stage.database.db);
    folder = mkdtempSync(path.join(tmpdir(), 'hatif-collector-'));
    call = await stage.call();
  });
  beforeEach(() => {
    clock = new VirtualClock(new Date());
    engine = new EngineFolder();
    waiting = -1;
    collector = new RecordingCollector({
      engine: { recordings: engine as unknown as Recordings },
      waiting: (limit, except) => calls.recordingsToStore(call.engine_id, limit, except),
      done: (ids) => calls.discardableRecordings(ids),
      finish: async ({ id }, stored) => {
        await stage.database.db.query(
          `UPDATE recordings SET status = 'available', storage = $2, storage_key = $3, duration_ms = $4, bytes = $5
           WHERE id = $1`,
          [id, stored?.storage, stored?.storage_key, stored?.duration_ms, stored?.bytes],
        );
      },
      audio: recordingAudio,
      store: stage.stores.current,
      folder,
      clock,
      log: quiet,
      observer: { waiting: (recordings) => (waiting = recordings) },
    });
  });
  afterEach(async () => {
    await collector.stop();
    await stage.empty();
  });
  after(async () => {
    await stage.close();
    rmSync(folder, { recursive: true });
  });

  const stopped = async (count: number): Promise<RecordingRow[]> => {
    const rows: RecordingRow[] = [];
    for (let index = 0; index < count; index += 1) {
      const none = { duration_ms: null, bytes: null, storage: null, storage_key: null };
      rows.push(await stage.recording(call, TONE, { status: 'stopped', channels: 1, ...none }));
    }
    return rows;
  };
  const statuses = (rows: readonly RecordingRow[]): Promise<string[]> =>
    Promise.all(rows.map(async (row) => (await stage.row(row)).status));
  const allStored = (rows: readonly RecordingRow[]) =>
    eventually(
      async () => (await statuses(rows)).every((status) => status === 'available'),
      'the recordings to be stored',
    );

  it('stores the recordings after one that the engine cannot give, and that one once it can', async () => {
    const [first, broken, ...rest] = await stopped(4);
    if (!first || !broken) throw new Error('no recordings');
    engine.unreadable.add(broken.id);
    collector.wake();
    await allStored([first, ...rest]);
    await eventually(() => waiting === 1, 'the failed recording to be counted');
    const [late] = await stopped(1);
    collector.wake();
    if (late) await allStored([late]);
    expect(await statuses([broken])).to.deep.equal(['stopped']);
    engine.unreadable.clear();
    await clock.advance(500);
    await allStored([broken]);
    await eventually(() => waiting === 0, 'no recording to be counted');
  });

  it('stores what follows more unreadable recordings than it reads at once', async () => {
    const broken = await stopped(60);
    const rest = await stopped(3);
    for (const { id } of broken) engine.unreadable.add(id);
    collector.wake();
    await eventually(async () => {
      // The collector takes the failures of one engine for an outage, and waits longer after each.
      await clock.advance(MAX_RETRY_MS);
      return (await statuses(rest)).every((status) => status === 'available');
    }, 'the readable recordings to be stored');
  });

  it('asks a broken engine less and less often, not once for each recording', async () => {
    const rows = await stopped(30);
    for (const { id } of rows) engine.unreadable.add(id);
    collector.wake();
    await eventually(() => engine.asked.length === 5, 'the first attempts');
    await clock.advance(499);
    expect(engine.asked).to.have.lengthOf(5);
  });

  it('is not held up by audio that the engine does not delete', async () => {
    const [old] = await stopped(1);
    if (!old) throw new Error('no recording');
    await stage.database.db.query(`UPDATE recordings SET status = 'failed' WHERE id = $1`, [old.id]);
    engine.left.add(old.id);
    engine.undeletable.add(old.id);
    const rows = await stopped(2);
    collector.wake();
    await allStored(rows);
  });
});
