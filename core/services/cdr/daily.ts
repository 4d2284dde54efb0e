import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Database } from '../../data/database.js';
import type { Cdr, CdrDayDue } from '../../data/repositories/calls/cdr.js';
import type { Projects } from '../../data/repositories/accounts/projects.js';
import { runExclusively } from '../../data/repositories/maintenance/retention.js';
import type { CdrFileRow } from '../../data/rows.js';
import { CDR_COLUMNS } from '../../model/cdr/record.js';
import { exactSarNumber } from '../../model/money.js';
import { riyadhDay, riyadhMidnight } from '../../model/riyadh.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { ObjectStores } from '../../ports/object-store.js';
import { inBatches } from '../runtime/batches.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import type { CdrExport } from './export.js';

export interface CdrObserver {
  /** A file was stored. */
  written(): void;
  /** Number of organization days whose file is missing or does not match usage. */
  missing(days: number): void;
}

export interface DailyCdrOptions {
  readonly db: Database;
  readonly cdr: Cdr;
  readonly projects: Pick<Projects, 'list'>;
  readonly exports: CdrExport;
  readonly stores: ObjectStores;
  /** Days for which files are kept; 0 keeps them for ever. */
  readonly keepDays: number;
  readonly observer: CdrObserver;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Advisory lock id; any number that nothing else in the database uses. */
const LOCK = 4_871_002_971;
const INTERVAL_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days this far back are still written and corrected. */
const LOOK_BACK_DAYS = 35;
/** A day with calls that are in progress or not rated is written at the latest this long after its end. */
const OPEN_DAY_WAIT_MS = 12 * HOUR_MS;
const BATCH_SIZE = 100;

/**
 * Stores each organization's call detail records of one day in Riyadh time when the day is over, and stores another
 * revision when usage for that day changes later. Due days are computed from usage and the recorded files, so that
 * missed runs are made up for. If a process dies between storing a file and recording it, the next run overwrites the
 * file under the same name.
 */
export class DailyCdr implements PeriodicTask {
  readonly name = 'daily call detail records';
  readonly everyMs = INTERVAL_MS;
  readonly startsAtOnce = true;

  constructor(private readonly options: DailyCdrOptions) {}

  /**
   * Writes every file that is due; only one process at a time does.
   * @returns the number of files written
   * @throws DatabaseUnavailable, StorageError
   */
  async run(isStopping: IsStopping = () => false): Promise<number> {
    const { db, cdr, observer, clock } = this.options;
    const now = clock.now();
    const today = riyadhMidnight(riyadhDay(now));
    const findDue = (): Promise<CdrDayDue[]> => cdr.due(new Date(today.getTime() - LOOK_BACK_DAYS * DAY_MS), today);
    let written = 0;
    try {
      await runExclusively(db, LOCK, async () => {
        for (const due of await findDue()) {
          if (isStopping()) return;
          if (mustWait(due, now)) continue;
          await this.#write(due);
          observer.written();
          written += 1;
        }
        await this.#removeOld(now, isStopping);
      });
    } finally {
      const left = await findDue();
      observer.missing(left.filter((due) => !mustWait(due, now)).length);
    }
    if (written > 0) this.options.log.info({ files: written }, 'call detail records written');
    return written;
  }

  async #write(due: CdrDayDue): Promise<void> {
    const { stores, clock, cdr } = this.options;
    const folder = await mkdtemp(join(tmpdir(), 'hatif-cdr-'));
    try {
      const file = join(folder, 'day.csv');
      const content = await this.#spool(due, file);
      const revision = due.revision + 1;
      const name = `cdr-${due.day}.r${revision}.csv`;
      const row: CdrFileRow = {
        organization_id: due.organization_id,
        day: due.day,
        revision,
        usage_calls: due.calls,
        usage_seconds: due.seconds,
        usage_cost: due.cost,
        ...content,
        storage: stores.current.kind,
        storage_key: `${folderOf(due)}/${name}`,
        created_at: clock.now(),
        removed_at: null,
      };
      await stores.current.put(row.storage_key, file, 'text/csv; charset=utf-8');
      const known = await cdr.ofDay(due.organization_id, due.day);
      const manifest = join(folder, 'manifest.json');
      await writeFile(manifest, JSON.stringify(manifestOf([...known, row]), null, 2));
      await stores.current.put(`${folderOf(due)}/manifest.json`, manifest, 'application/json');
      // Recorded last: a process that dies before this point leaves files that the next run overwrites.
      await cdr.add(row);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Writes the day's file to the local disk and computes its size and checksum. */
  async #spool(
    { organization_id, day }: CdrDayDue,
    file: string,
  ): Promise<Pick<CdrFileRow, 'calls' | 'amount' | 'bytes' | 'sha256'>> {
    const { projects, exports } = this.options;
    const from = riyadhMidnight(day);
    const own = (await projects.list()).filter((project) => project.organization_id === organization_id);
    const hash = createHash('sha256');
    let [calls, amount, bytes] = [0, 0, 0];
    const csv = exports.csv(
      own.map(({ id }) => id),
      { from, before: new Date(from.getTime() + DAY_MS) },
      {
        onPage: (page) => {
          calls += page.length;
          for (const call of page) amount += call.amount ?? 0;
        },
      },
    );
    await pipeline(
      csv,
      async function* (chunks: AsyncIterable<string>) {
        for await (const chunk of chunks) {
          const written = Buffer.from(chunk, 'utf8');
          hash.update(written);
          bytes += written.length;
          yield written;
        }
      },
      createWriteStream(file, { mode: 0o600 }),
    );
    return { calls, amount, bytes, sha256: hash.digest('hex') };
  }

  async #removeOld(now: Date, isStopping: IsStopping): Promise<void> {
    const { cdr, stores, keepDays, clock } = this.options;
    if (keepDays === 0) return;
    const before = riyadhDay(new Date(now.getTime() - keepDays * DAY_MS));
    const removeBatch = async (limit: number): Promise<number> => {
      const old = await cdr.storedBefore(before, limit);
      for (const file of old) {
        const store = stores.of(file.storage);
        await store.remove(file.storage_key);
        await store.remove(`${folderOf(file)}/manifest.json`);
        await cdr.markRemoved(file, clock.now());
      }
      return old.length;
    };
    await inBatches(BATCH_SIZE, removeBatch, isStopping);
  }
}

const folderOf = ({ organization_id, day }: Pick<CdrFileRow, 'organization_id' | 'day'>): string =>
  `cdr/${organization_id}/${day}`;

/** Whether some of the day's calls are in progress or not rated, and the wait for them is not over. */
function mustWait({ open, day }: CdrDayDue, now: Date): boolean {
  return open && now.getTime() < riyadhMidnight(day).getTime() + DAY_MS + OPEN_DAY_WAIT_MS;
}

/** Lists every revision with size and checksum, so that a client can choose the newest file and verify it. */
function manifestOf(files: readonly CdrFileRow[]): object {
  const revisions = files.map((file) => ({
    revision: file.revision,
    file: file.storage_key.split('/').at(-1),
    bytes: file.bytes,
    sha256: file.sha256,
    calls: file.calls,
    amount_sar: exactSarNumber(file.amount),
    created_at: file.created_at.toISOString(),
  }));
  const [newest] = files.slice(-1);
  return {
    organization_id: newest?.organization_id,
    day: newest?.day,
    zone: 'Asia/Riyadh',
    columns: CDR_COLUMNS,
    newest: revisions.at(-1),
    revisions: revisions,
  };
}
