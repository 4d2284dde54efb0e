import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Random } from '../../chaos/random.js';
import { CallWriter, type CallEffect } from '../../../core/data/call-writer.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import { usage as migration } from '../../../core/data/migrations/0016-usage.js';
import { usageCosts } from '../../../core/data/migrations/0052-usage-costs.js';
import type { CallRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { replayJournals } from '../../../core/services/live-calls/journal/journal-replay.js';
import { eventually } from '../../support/eventually.js';
import { EPOCH, journalEach, type JournalStage } from '../../support/stages/journal-stage.js';
import { quiet } from '../../support/logger.js';
import { effectOf } from '../../support/rows/rows.js';
import { chargesOf, randomCall, randomQuery, randomStep } from '../../support/rows/usage-calls.js';
import { UsageStage, usageEach } from '../../support/stages/billing/usage-stage.js';
import { runMortal } from '../../support/workers/mortal.js';

const queues = [newId(), newId()];

/** A call from start to end, and in some cases later changes. */
function story(random: Random, stage: UsageStage): CallRow[] {
  const steps = [randomCall(random, [stage.ground], queues)];
  for (let next = randomStep(random, steps[0]!); next && steps.length < 6; next = randomStep(random, next))
    steps.push(next);
  return steps;
}

async function expectPlain(stage: UsageStage, random: Random): Promise<void> {
  await stage.expectPlain({ groupBy: 'status' });
  await stage.expectPlain({ groupBy: 'queue' });
  for (let index = 0; index < 15; index++) await stage.expectPlain(randomQuery(random, queues));
}

describe('usage after interruptions', function () {
  this.timeout(120_000);

  describe('by killing the process that writes and rolls up', () => {
    let stage: UsageStage;
    let folder: string;
    usageEach((made) => (stage = made));
    beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'hatif-usage-'))));
    afterEach(() => rm(folder, { recursive: true, force: true }));

    /** Runs the worker and kills it after this many steps. @returns whether it finished before */
    const work = (file: string, stepsUntilDeath: number): Promise<boolean> =>
      runMortal('usage-worker', { WORK: file, DATABASE_URL: stage.url }, stepsUntilDeath);

    /** Waits until the killed process's statements have completed or been rolled back. */
    async function quietDatabase(): Promise<void> {
      await eventually(async () => {
        const rows = await stage.db.query<{ count: number }>(
          `SELECT count(*) AS count FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
        );
        return rows[0]?.count === 0;
      }, 'no statement is running');
    }

    it('equals plain SQL after each kill, and counts every call once when all is written', async () => {
      const random = new Random(77);
      const stories = Array.from({ length: 600 }, () => story(random, stage));
      const file = join(folder, 'work.json');
      const effects = stories.map((steps) => steps.map((call) => effectOf(call, { events: [], ...chargesOf(call) })));
      await writeFile(file, JSON.stringify(effects satisfies CallEffect[][]));
      for (const steps of [40, 250, 601, 900]) {
        expect(await work(file, steps), `killed after ${steps} steps`).to.equal(false);
        await quietDatabase();
        await expectPlain(stage, random);
      }
      // The next worker writes everything again from the start, as if from a journal.
      expect(await work(file, Infinity), 'the last one').to.equal(true);
      await expectPlain(stage, random);
      const { data } = await stage.read();
      expect(data.total_calls).to.equal(stories.length);
      await stage.usage.fold(10_000);
      expect(await stage.db.query('SELECT 1 FROM usage_deltas')).to.deep.equal([]);
      await expectPlain(stage, random);
    });
  });

  describe('by an outage of PostgreSQL', () => {
    let journal: JournalStage;
    let stage: UsageStage;
    journalEach((made) => (journal = made));
    beforeEach(async () => (stage = await UsageStage.on(journal.db, '', journal.ground)));
    afterEach(() => stage.close());

    it('is completed from the journal of a process that died, however often it is replayed', async () => {
      const stories = [journal.story(), journal.story(), journal.story()];
      await journal.commitAll(stories[0]!.effects.slice(0, 2));
      journal.cable.cut();
      await journal.commitAll(stories[0]!.effects.slice(2));
      for (const { effects } of stories.slice(1)) await journal.commitAll(effects);
      await journal.committer.close();
      journal.cable.restore();
      expect((await stage.read()).data).to.include({ total_calls: 1, calls_answered: 0, total_minutes: 0 });
      const [name] = await journal.files();
      const path = join(journal.folder, name!);
      await copyFile(path, join(tmpdir(), name!));
      for (const epoch of [EPOCH + 1, EPOCH + 2]) {
        await copyFile(join(tmpdir(), name!), path);
        await journal.setEpoch(epoch);
        await replayJournals({
          engineId: journal.ground.engineId,
          lease: { epoch },
          journalStore: journal.journalStore,
          writer: new CallWriter(journal.reached),
          calls: new Calls(journal.reached),
          clock: systemClock,
          log: quiet,
          onFenced: () => undefined,
        });
        // Three calls of ten seconds.
        expect((await stage.read()).data).to.include({ total_calls: 3, calls_answered: 3, total_minutes: 0.5 });
        await stage.expectPlain();
      }
      await rm(join(tmpdir(), name!));
    });
  });

  describe('by an upgrade', () => {
    let stage: UsageStage;
    usageEach((made) => (stage = made));

    it('counts existing rows, and what the previous release continues to write', async () => {
      const random = new Random(5);
      await usageCosts.down(stage.db);
      await migration.down(stage.db);
      const stories = Array.from({ length: 200 }, () => story(random, stage));
      const half = stories.map((steps) => steps.slice(0, random.between(1, steps.length)));
      await Promise.all(half.flat().map((call) => stage.write(call)));
      // Some calls were rated before rollups existed.
      await stage.rating.rate();
      await migration.up(stage.db);
      await usageCosts.up(stage.db);
      await expectPlain(stage, random);
      await Promise.all(stories.flat().map((call) => stage.write(call).catch(() => undefined)));
      await expectPlain(stage, random);
    });

    it('reflects changes of calls made outside the platform', async () => {
      const random = new Random(6);
      for (let index = 0; index < 60; index++) await stage.write(randomCall(random, [stage.ground], queues));
      const own = `project_id = '${stage.ground.projectId}'`;
      for (const sql of [
        `UPDATE calls SET status = 'ended', answered_at = created_at, ended_at = created_at + interval '90 seconds' WHERE ${own} AND kind <> 'web'`,
        `UPDATE calls SET created_at = created_at + interval '1 day', sandbox = NOT sandbox WHERE ${own} AND kind = 'inbound'`,
        `UPDATE calls SET queue_id = NULL, kind = 'callback', direction = 'outbound' WHERE ${own} AND kind = 'web'`,
        `DELETE FROM calls WHERE ${own} AND kind = 'outbound'`,
        `UPDATE calls SET status = 'answered', ended_at = NULL WHERE ${own} AND kind = 'callback'`,
        `DELETE FROM calls WHERE ${own}`,
      ]) {
        await stage.db.query(sql);
        await expectPlain(stage, random);
        await stage.usage.fold(10_000);
        await expectPlain(stage, random);
      }
      expect((await stage.read({ groupBy: 'status' })).groups).to.deep.equal([]);
    });

    it('moves the cost of calls with them, whether or not they were rated', async () => {
      const random = new Random(8);
      const own = `project_id = '${stage.ground.projectId}'`;
      for (let index = 0; index < 120; index++) {
        const call = randomCall(random, [stage.ground], queues);
        const answered_at = call.created_at;
        const ended_at = new Date(answered_at.getTime() + random.between(0, 600_000));
        await stage.write({ ...call, status: 'ended', answered_at, ended_at });
        if (index === 60) await stage.rating.rateAll();
      }
      expect((await stage.read()).data.estimated_cost_sar).to.be.above(1);
      for (const change of [
        `created_at = created_at + interval '1 day' WHERE ${own} AND kind = 'inbound'`,
        `queue_id = NULL, kind = 'callback', direction = 'outbound' WHERE ${own} AND kind = 'web'`,
        `status = 'answered' WHERE ${own} AND kind = 'callback'`,
        `status = 'ended' WHERE ${own}`,
        `metadata = '{}' WHERE ${own}`,
      ]) {
        await stage.db.query(`UPDATE calls SET ${change}`);
        await expectPlain(stage, random);
        await stage.usage.fold(10_000);
        await expectPlain(stage, random);
        if (change.startsWith('queue_id')) await stage.rating.rateAll();
      }
      expect(await stage.db.query('SELECT 1 FROM usage_costs')).to.deep.equal([]);
    });
  });
});
