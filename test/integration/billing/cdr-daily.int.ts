import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { openObjectStores } from '../../../adapters/storage/index.js';
import { Cdr } from '../../../core/data/repositories/calls/cdr.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import { Usage } from '../../../core/data/repositories/billing/usage.js';
import type { CallRow, CdrFileRow } from '../../../core/data/rows.js';
import { systemClock, type Clock } from '../../../core/ports/clock.js';
import { StorageError, type ObjectStore, type ObjectStores } from '../../../core/ports/object-store.js';
import { DailyCdr } from '../../../core/services/cdr/daily.js';
import { CdrExport } from '../../../core/services/cdr/export.js';
import { ReadUsage } from '../../../core/services/usage/read.js';
import { billingEach, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { quiet } from '../../support/logger.js';
import { insertRows, projectRow } from '../../support/rows/rows.js';

interface Manifest {
  readonly newest: {
    readonly revision: number;
    readonly file: string;
    readonly sha256: string;
    readonly amount_sar: number;
  };
  readonly revisions: readonly object[];
}

describe('Call detail records of each day', function () {
  this.timeout(60_000);
  let stage: BillingStage;
  let folder: string;
  let stores: ObjectStores;
  let now: Date;
  let missing: number[];
  billingEach((made) => (stage = made));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-cdr-test-'));
    stores = openObjectStores({ use: 'local', folder });
    now = new Date('2026-03-20T00:10:00+03:00');
    missing = [];
    await stage.plan();
  });
  afterEach(async () => {
    // Used by this test only: the next one has its own storage.
    await stage.db.query(`DELETE FROM cdr_files`);
    await stage.db.query(`DELETE FROM usage_deltas`);
    await stage.db.query(`DELETE FROM usage_costs`);
    await rm(folder, { recursive: true });
  });

  const clock: Clock = { now: () => now, monotonicMs: () => 0, after: systemClock.after.bind(systemClock) };
  const daily = (changes: { keepDays?: number; stores?: ObjectStores } = {}): DailyCdr => {
    const [cdr, db] = [new Cdr(stage.db), stage.db];
    return new DailyCdr({
      db,
      cdr,
      projects: new Projects(db),
      exports: new CdrExport(cdr),
      stores,
      keepDays: 0,
      observer: { written: () => undefined, missing: (days) => void missing.push(days) },
      clock,
      log: quiet,
      ...changes,
    });
  };
  const ofDay = (day: string): string => join(folder, 'cdr', stage.ground.organizationId, day);
  const manifest = async (day: string): Promise<Manifest> =>
    JSON.parse(await readFile(join(ofDay(day), 'manifest.json'), 'utf8')) as Manifest;
  const csv = (text: string): Record<string, string>[] => parse<Record<string, string>>(text, { columns: true });
  const calls = async (day: string): Promise<string[]> => {
    const { newest } = await manifest(day);
    return csv(await readFile(join(ofDay(day), newest.file), 'utf8')).map(({ call_id }) => call_id!);
  };
  const rows = (): Promise<CdrFileRow[]> =>
    stage.db.query<CdrFileRow>(`SELECT * FROM cdr_files ORDER BY day, revision`);
  const call = (time: string, seconds = 30, changes: Partial<CallRow> = {}): Promise<CallRow> => {
    const answered_at = new Date(time);
    const ended_at = new Date(answered_at.getTime() + seconds * 1000);
    return stage.finished([{ seconds, answeredAt: answered_at }], {
      created_at: answered_at,
      answered_at,
      ended_at,
      ...changes,
    });
  };

  it('are one file per organization, written once, with the size and totals of its calls', async () => {
    const other = { ...stage.ground, projectId: '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11' };
    await insertRows(stage.db, 'projects', [projectRow(other)]);
    const first = await call('2026-03-19T00:00:00.000+03:00');
    const last = await call('2026-03-19T23:59:59.999+03:00', 90);
    const second = await call('2026-03-19T12:00:00.000+03:00', 30, { project_id: other.projectId });
    await call('2026-03-19T12:00:00.000+03:00', 30, { sandbox: true });
    await call('2026-03-20T00:00:00.000+03:00');
    await stage.rating.rateAll();
    expect(await daily().run()).to.equal(1);
    expect(await daily().run()).to.equal(0);
    expect((await readdir(ofDay('2026-03-19'))).sort()).to.deep.equal(['cdr-2026-03-19.r1.csv', 'manifest.json']);
    expect(await calls('2026-03-19')).to.have.members([first.id, last.id, second.id]);
    const stored = await manifest('2026-03-19');
    const bytes = await readFile(join(ofDay('2026-03-19'), 'cdr-2026-03-19.r1.csv'));
    expect(stored.newest).to.include({
      revision: 1,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      calls: 3,
      amount_sar: 0.48,
    });
    const scope = { projectId: stage.ground.projectId, sandboxOnly: false, accountKind: 'production' } as const;
    const day = { from: new Date('2026-03-19T00:00:00+03:00'), to: new Date('2026-03-19T23:59:59.999+03:00') };
    const { data } = await new ReadUsage(new Usage(stage.db)).read(scope, day);
    expect(data.estimated_cost_sar, 'of one of the two projects').to.equal(0.36);
    expect(missing).to.deep.equal([0, 0]);
  });

  it('wait up to half a day for calls in progress or unrated; later changes become another revision', async () => {
    const early = await call('2026-03-19T10:00:00+03:00');
    await stage.rating.rateAll();
    const late = await call('2026-03-19T23:00:00+03:00', 30, { status: 'answered', ended_at: null });
    expect(await daily().run()).to.equal(0);
    now = new Date('2026-03-20T11:59:59+03:00');
    expect(await daily().run()).to.equal(0);
    expect(missing).to.deep.equal([0, 0]);
    now = new Date('2026-03-20T12:00:00+03:00');
    expect(await daily().run()).to.equal(1);
    expect(await calls('2026-03-19')).to.deep.equal([early.id]);

    await stage.db.query(
      `UPDATE calls SET status = 'ended', ended_at = answered_at + interval '30 seconds' WHERE id = $1`,
      [late.id],
    );
    await stage.rating.rateAll();
    expect(await daily().run()).to.equal(1);
    expect(await calls('2026-03-19')).to.deep.equal([early.id, late.id]);
    const { newest, revisions } = await manifest('2026-03-19');
    expect([newest.revision, newest.amount_sar, revisions.length]).to.deep.equal([2, 0.24, 2]);
    expect(await daily().run()).to.equal(0);
    expect((await readdir(ofDay('2026-03-19'))).length, 'both revisions and the manifest').to.equal(3);
  });

  it('make up for missed days and the days after them', async () => {
    for (const day of ['03-01', '03-10', '03-19', '01-01']) await call(`2026-${day}T12:00:00+03:00`);
    await stage.rating.rateAll();
    expect(await daily().run()).to.equal(3);
    expect((await rows()).map(({ storage_key }) => storage_key.slice(-17))).to.deep.equal([
      '2026-03-01.r1.csv',
      '2026-03-10.r1.csv',
      '2026-03-19.r1.csv',
    ]);
    await call('2026-03-01T13:00:00+03:00');
    await stage.rating.rateAll();
    expect(await daily().run()).to.equal(1);
    expect(await calls('2026-03-01')).to.have.length(2);
  });

  it('are written again under the same name if the writer died before recording them', async () => {
    await call('2026-03-19T12:00:00+03:00');
    await stage.rating.rateAll();
    const real = stores.current;
    let puts = 0;
    const dying: ObjectStore = {
      kind: 'local',
      put: (key, file, type) =>
        ++puts === 2 ? Promise.reject(new StorageError('unavailable', 'away')) : real.put(key, file, type),
      read: real.read.bind(real),
      size: real.size.bind(real),
      remove: real.remove.bind(real),
      check: real.check.bind(real),
    };
    const failure = await failureOf(daily({ stores: { current: dying, of: () => dying } }).run());
    expect(failure).to.be.instanceOf(StorageError);
    expect(await rows()).to.deep.equal([]);
    expect(missing).to.deep.equal([1]);
    expect(await daily().run()).to.equal(1);
    expect((await readdir(ofDay('2026-03-19'))).sort()).to.deep.equal(['cdr-2026-03-19.r1.csv', 'manifest.json']);
    expect(missing).to.deep.equal([1, 0]);
  });

  it('are written by only one of several processes', async () => {
    for (let hour = 0; hour < 5; hour++) await call(`2026-03-1${hour}T12:00:00+03:00`);
    await stage.rating.rateAll();
    const written = await Promise.all(Array.from({ length: 4 }, () => daily().run()));
    expect(written.reduce((sum, files) => sum + files, 0)).to.equal(5);
    expect((await rows()).map(({ revision }) => revision)).to.deep.equal([1, 1, 1, 1, 1]);
  });

  it('are deleted after their retention, and are not written again', async () => {
    await call('2026-03-12T12:00:00+03:00');
    await call('2026-03-13T12:00:00+03:00');
    await stage.rating.rateAll();
    expect(await daily({ keepDays: 7 }).run()).to.equal(2);
    expect(await readdir(ofDay('2026-03-12'))).to.deep.equal([]);
    expect(await readdir(ofDay('2026-03-13'))).to.have.length(2);
    expect(await daily({ keepDays: 7 }).run()).to.equal(0);
    expect((await rows()).map(({ removed_at }) => removed_at !== null)).to.deep.equal([true, false]);
  });
});
