import { expect } from 'chai';
import { listAuditRows } from '../../../core/data/repositories/accounts/audit.js';
import type { LegRecordingRow, RecordingRow } from '../../../core/data/rows.js';
import type { Timer } from '../../../core/ports/clock.js';
import type { Logger } from '../../../core/ports/logger.js';
import { runPeriodicTasks } from '../../../core/services/runtime/periodic-task.js';
import { RecordingSweep } from '../../../core/services/recordings/sweep.js';
import { eventually } from '../../support/eventually.js';
import { quiet } from '../../support/logger.js';
import { RecordingsStage } from '../../support/stages/recordings-stage.js';

const AUDIO = Buffer.from('sound');
const DAY_MS = 86_400_000;

/** A clock whose timers run only when a test runs them. */
class ManualClock {
  readonly due: (() => void)[] = [];
  now(): Date {
    return new Date();
  }
  monotonicMs(): number {
    return 0;
  }
  after(_delayMs: number, run: () => void): Timer {
    this.due.push(run);
    return { cancel: () => void this.due.splice(this.due.indexOf(run), 1) };
  }
}

describe('The sweep of recordings', function () {
  this.timeout(60_000);
  let stage: RecordingsStage;
  let sweep: RecordingSweep;
  before(async () => (stage = await RecordingsStage.open()));
  after(() => stage.close());
  beforeEach(async () => {
    sweep = sweepWith(new ManualClock());
    await keepFor(30);
  });
  afterEach(async () => {
    await stage.empty();
    // Only retention may delete rows of the audit log.
    await stage.database.db.transaction(async (tx) => {
      await tx.query(`SELECT set_config('hatif.audit_retention', 'on', true)`);
      await tx.query(`DELETE FROM audit_log`);
    });
  });

  const sweepWith = (clock: ManualClock, log: Logger = quiet): RecordingSweep => {
    const { recordings, removal } = stage;
    return new RecordingSweep({ recordings, removal, clock, log });
  };
  const keepFor = (days: number | null) =>
    stage.database.db.query(`UPDATE projects SET recording_retention_days = $1`, [days]);
  const aged = async (days: number, changes: Partial<LegRecordingRow> = {}): Promise<RecordingRow> => {
    const ended_at = new Date(Date.now() - days * DAY_MS);
    return stage.recording(await stage.call({ ended_at }), AUDIO, { ended_at, ...changes });
  };
  const statusOf = async (row: RecordingRow): Promise<string> => (await stage.row(row)).status;
  /** Makes all pending removals due now. */
  const letTimePass = () =>
    stage.database.db.query(`UPDATE recording_removals SET due_at = now() - interval '1 second'`);
  const pendingRemovals = async (): Promise<number> =>
    (await stage.database.db.query(`SELECT 1 FROM recording_removals`)).length;

  for (const storage of ['local', 's3'] as const) {
    it(`deletes from the ${storage} storage only recordings that exceed the project’s retention`, async () => {
      const [old, young] = [await aged(30.1, { storage }), await aged(29.9, { storage })];
      expect(await sweep.run()).to.equal(1);
      expect([await statusOf(old), await statusOf(young)]).to.deep.equal(['deleted', 'available']);
      expect(stage.kept()[storage]).to.include(young.storage_key).and.not.include(old.storage_key);
      expect(await pendingRemovals()).to.equal(0);
      expect(await sweep.run()).to.equal(0);
    });
  }

  it('updates the call, and records the deletion in the audit log', async () => {
    const call = await stage.call();
    const old = await stage.recording(call, AUDIO, { ended_at: new Date(Date.now() - 31 * DAY_MS) });
    await sweep.run();
    expect(await stage.isAvailable(call)).to.equal(false);
    const [entry, ...more] = await listAuditRows(stage.database.db, stage.ground.projectId, 10);
    expect(more).to.deep.equal([]);
    expect(entry).to.include({ method: 'DELETE', route: 'recording retention', status: 204, key_id: null });
    expect(entry?.path).to.equal(`/v1/calls/${call.id}/recording`);
    expect(entry?.details).to.include({ recording_id: old.id });
  });

  it('deletes nothing from a project without a retention limit', async () => {
    await keepFor(null);
    const old = await aged(10_000);
    expect(await sweep.run()).to.equal(0);
    expect(await statusOf(old)).to.equal('available');
  });

  it('uses the project’s current number of days', async () => {
    const old = await aged(8);
    expect(await sweep.run()).to.equal(0);
    await keepFor(7);
    expect(await sweep.run()).to.equal(1);
    expect(await statusOf(old)).to.equal('deleted');
  });

  it('keeps recordings under legal hold until they are released', async () => {
    const held = await aged(31, { legal_hold: true });
    expect(await sweep.run()).to.equal(0);
    expect(stage.kept().local).to.include(held.storage_key);
    await stage.database.db.query(`UPDATE recordings SET legal_hold = false`);
    expect(await sweep.run()).to.equal(1);
    expect(stage.kept().local).not.to.include(held.storage_key);
  });

  it('handles more than one batch', async () => {
    for (let i = 0; i < 120; i++) await aged(31);
    expect(await sweep.run()).to.equal(120);
    expect(stage.kept().local).to.deep.equal([]);
  });

  it('shares the work with other processes', async () => {
    for (let i = 0; i < 60; i++) await aged(31);
    const sweeps = [1, 2, 3].map(() => sweepWith(new ManualClock()));
    const counts = await Promise.all(sweeps.map((each) => each.run()));
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(60);
    expect((await listAuditRows(stage.database.db, stage.ground.projectId, 100)).length).to.equal(60);
    expect(stage.kept().local).to.deep.equal([]);
  });

  it('removes the audio from a storage once it is available again', async () => {
    const rows = [await aged(31, { storage: 's3' }), await aged(31, { storage: 's3' }), await aged(31)];
    stage.cable.cut();
    expect(await sweep.run()).to.equal(3);
    for (const row of rows) expect(await statusOf(row)).to.equal('deleted');
    expect(stage.kept().local).to.deep.equal([]);
    expect(await pendingRemovals()).to.equal(2);
    await letTimePass();
    await sweep.run();
    expect(await pendingRemovals()).to.equal(2);
    stage.cable.restore();
    await sweep.run();
    expect(await pendingRemovals(), 'retried before it was due').to.equal(2);
    await letTimePass();
    await sweep.run();
    expect(await pendingRemovals()).to.equal(0);
    expect(stage.kept().s3).to.deep.equal([]);
  });

  it('completes a deletion after its process died', async () => {
    const row = await aged(1);
    // The process had changed the row and recorded the pending removal.
    expect(await stage.recordings.delete([row.id]))
      .to.have.property('rows')
      .with.lengthOf(1);
    expect(stage.kept().local).to.include(row.storage_key);
    await letTimePass();
    await sweep.run();
    expect(stage.kept().local).to.deep.equal([]);
    expect(await pendingRemovals()).to.equal(0);
  });

  it('runs periodically until it is stopped', async () => {
    const clock = new ManualClock();
    const stop = runPeriodicTasks([sweepWith(clock)], { clock, log: quiet });
    for (let i = 0; i < 2; i++) {
      const row = await aged(31);
      expect(clock.due).to.have.lengthOf(1);
      clock.due.shift()?.();
      await eventually(() => clock.due.length === 1, 'the next sweep to be scheduled');
      expect(await statusOf(row)).to.equal('deleted');
    }
    await stop();
    expect(clock.due).to.deep.equal([]);
  });

  it('continues after a database outage', async () => {
    const clock = new ManualClock();
    const warned: unknown[] = [];
    const log = { ...quiet, warn: (fields: unknown) => void warned.push(fields) };
    await stage.database.db.query(`ALTER TABLE recordings RENAME TO recordings_away`);
    try {
      const stop = runPeriodicTasks([sweepWith(clock)], { clock, log });
      clock.due.shift()?.();
      await eventually(() => clock.due.length === 1, 'the next sweep to be scheduled');
      expect(warned).to.have.lengthOf(1);
      await stop();
    } finally {
      await stage.database.db.query(`ALTER TABLE recordings_away RENAME TO recordings`);
    }
  });
});
