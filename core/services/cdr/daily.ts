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
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import type { CdrExport } from './export.js';

export interface CdrObserver {
  /** A file is in the storage. */
  written(): void;
  /** Days of organizations whose file should be there and is not, or is not what usage says. */
  missing(days: number): void;
}

export interface DailyCdrOptions {
  readonly db: Database;
  readonly cdr: Cdr;
  readonly projects: Pick<Projects, 'list'>;
  readonly exports: CdrExport;
  readonly stores: ObjectStores;
  /** Files are kept for so many days after their own; 0 is for ever. */
  readonly keepDays: number;
  readonly observer: CdrObserver;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Any number that nothing else in the database locks. */
const LOCK = 4_871_002_971;
const EVERY_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** So far back days are made up for, and corrected. */
const LOOK_BACK_DAYS = 35;
/** A day some of whose calls go on or are not rated is waited for so long after its end. */
const PATIENCE_MS = 12 * HOUR_MS;
const BATCH = 100;

/**
 * Writes each organization's call detail records of a day of Riyadh to the storage of recordings when the day is over, and again, as another
 * revision, when usage says something else of the day afterwards. What is due follows from usage and from the files that are known, so that
 * whatever was missed is made up for; a file that was written by a process that died before it was noted is written again under its name.
 */
export class DailyCdr implements PeriodicTask {
  readonly name = 'daily call detail records';
  readonly everyMs = EVERY_MS;
  readonly startsAtOnce = true;

  constructor(private readonly options: DailyCdrOptions) {}

  /** All that is due, in one process at a time. @returns how many files were written. @throws DatabaseUnavailable, StorageError */
  async run(isStopping: IsStopping = () => false): Promise<number> {
    const { db, cdr, observer, clock } = this.options;
    const now = clock.now();
    const today = riyadhMidnight(riyadhDay(now));
    const look = (): Promise<CdrDayDue[]> => cdr.due(new Date(today.getTime() - LOOK_BACK_DAYS * DAY_MS), today);
    let written = 0;
    try {
      await runExclusively(db, LOCK, async () => {
        for (const due of await look()) {
          if (isStopping()) return;
          if (isWaitedFor(due, now)) continue;
          await this.#write(due);
          observer.written();
          written += 1;
        }
        await this.#removeOld(now, isStopping);
      });
    } finally {
      const left = await look();
      observer.missing(left.filter((due) => !isWaitedFor(due, now)).length);
    }
    if (written > 0) this.options.log.info({ files: written }, 'call detail records were written');
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
      // Last: whoever dies before writes the same names again.
      await cdr.add(row);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** The day's file on this machine's disk, as it will be stored. */
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
      (page) => {
        calls += page.length;
        for (const call of page) amount += call.amount ?? 0;
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
    for (let goOn = true; goOn && !isStopping();) {
      const old = await cdr.storedBefore(before, BATCH);
      for (const file of old) {
        const store = stores.of(file.storage);
        await store.remove(file.storage_key);
        await store.remove(`${folderOf(file)}/manifest.json`);
        await cdr.markRemoved(file, clock.now());
      }
      goOn = old.length === BATCH;
    }
  }
}

const folderOf = ({ organization_id, day }: Pick<CdrFileRow, 'organization_id' | 'day'>): string =>
  `cdr/${organization_id}/${day}`;

/** Some of its calls go on or are not rated, and may yet be in time. */
function isWaitedFor({ open, day }: CdrDayDue, now: Date): boolean {
  return open && now.getTime() < riyadhMidnight(day).getTime() + DAY_MS + PATIENCE_MS;
}

/** What tells whoever fetches files which one counts, and whether it came whole. */
function manifestOf(files: readonly CdrFileRow[]): object {
  const told = files.map((file) => ({
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
    newest: told.at(-1),
    revisions: told,
  };
}
