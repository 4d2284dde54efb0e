import { copyFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { CallWriter, type CallEffect } from '../../../core/data/call-writer.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import type { CallRow } from '../../../core/data/rows.js';
import { hangupCause } from '../../../core/model/call/hangup-cause.js';
import { systemClock } from '../../../core/ports/clock.js';
import { presentChanges } from '../../../core/services/call-state/presenting/events.js';
import { CallState } from '../../../core/services/call-state/call-state.js';
import { replayJournals } from '../../../core/services/live-calls/journal/journal-replay.js';
import { eventually } from '../../support/eventually.js';
import { EPOCH, journalEach, STORY_EVENTS, type JournalStage } from '../../support/stages/journal-stage.js';
import { quiet } from '../../support/logger.js';

describe('call changes while PostgreSQL is unavailable', function () {
  this.timeout(30_000);
  let stage: JournalStage;
  journalEach((made) => (stage = made));

  describe('a process that starts after another died', () => {
    /** Returns everything stored of the engine's calls, except for the epoch that wrote it. */
    async function everything(): Promise<string> {
      const tables = ['legs', 'events', 'charges', 'call_timeline', 'webhook_deliveries'];
      const parts = await Promise.all([
        stage.query(
          `SELECT to_jsonb(calls) - 'epoch' AS row FROM calls WHERE engine_id = $1 ORDER BY id`,
          stage.ground.engineId,
        ),
        ...tables.map((table) =>
          stage.query(
            `SELECT * FROM ${table} WHERE call_id IN (SELECT id FROM calls WHERE engine_id = $1) ORDER BY id`,
            stage.ground.engineId,
          ),
        ),
      ]);
      return JSON.stringify(parts);
    }
    const replay = (epoch: number): Promise<boolean> =>
      replayJournals({
        engineId: stage.ground.engineId,
        lease: { epoch },
        journalStore: stage.journalStore,
        writer: new CallWriter(stage.reached),
        calls: new Calls(stage.reached),
        clock: systemClock,
        log: quiet,
        onFenced: () => (stage.fenced += 1),
      });

    /** Creates the journal of a process that was killed during the outage. */
    async function killedWith(...stories: { effects: readonly CallEffect[] }[]): Promise<void> {
      stage.cable.cut();
      await Promise.all(stories.map(({ effects }) => stage.commitAll(effects)));
      await stage.committer.close();
      stage.cable.restore();
      expect(await stage.files()).to.have.length(1);
    }

    it('writes the entries left by it, under its own epoch', async () => {
      const stories = [stage.story(), stage.story()];
      await killedWith(...stories);
      await stage.setEpoch(EPOCH + 1);
      expect(await replay(EPOCH + 1)).to.equal(true);
      for (const { callId } of stories) await stage.expectWhole(callId);
      const epochs = await stage.query('SELECT DISTINCT epoch FROM calls WHERE engine_id = $1', stage.ground.engineId);
      expect(epochs).to.deep.equal([{ epoch: EPOCH + 1 }]);
      expect(await stage.files()).to.deep.equal([]);
    });

    it('changes nothing by repeating entries written before the crash', async () => {
      const stories = [stage.story(), stage.story()];
      await killedWith(...stories);
      const [name] = await stage.files();
      const path = join(stage.folder, name!);
      await copyFile(path, `${path}.copy`);
      await stage.setEpoch(EPOCH + 1);
      await replay(EPOCH + 1);
      const written = await everything();
      // It died again before recording its progress; only the start of the replay is recorded.
      await copyFile(`${path}.copy`, path);
      await rm(`${path}.copy`);
      const [again] = await stage.journalStore.orphaned(stage.ground.engineId, EPOCH + 2);
      await again!.recordReplay(EPOCH + 1);
      await again!.close();
      await stage.setEpoch(EPOCH + 2);
      expect(await replay(EPOCH + 2)).to.equal(true);
      expect(await everything()).to.equal(written);
      for (const { callId } of stories) await stage.expectWhole(callId);
    });

    it('waits while the database is still unavailable', async () => {
      const one = stage.story();
      await killedWith(one);
      await stage.setEpoch(EPOCH + 1);
      stage.cable.cut();
      const replayed = replay(EPOCH + 1);
      const [name] = await stage.files();
      const hasBegun = async (): Promise<boolean> =>
        (await readFile(join(stage.folder, name!), 'utf8')).includes('"taken"');
      await eventually(hasBegun, 'the replay has begun');
      stage.cable.restore();
      expect(await replayed).to.equal(true);
      await stage.expectWhole(one.callId);
    });

    it('skips calls that another process has advanced, and writes the others', async () => {
      const [ended, adopted, ours] = [stage.story(), stage.story(), stage.story()];
      for (const { effects } of [ended, adopted]) await stage.commitAll(effects.slice(0, 3));
      await killedWith({ effects: ended.effects.slice(3) }, { effects: adopted.effects.slice(3) }, ours);
      await stage.setEpoch(EPOCH + 1);
      const take = async (callId: string, change: (state: CallState) => void): Promise<CallRow | null> => {
        const state = new CallState((await new Calls(stage.db).find(callId))!, []);
        change(state);
        const fence = { engineId: stage.ground.engineId, epoch: EPOCH + 1 };
        await new CallWriter(stage.db).commit({ fence, ...presentChanges(state.takeChanges()!) });
        return new Calls(stage.db).find(callId);
      };
      // The other process's end event has the same status and sequence, but is a different event.
      const facts = { disposition: 'answered', cause: hangupCause(31) } as const;
      const theirs = [
        await take(ended.callId, (state) => state.end('ended', new Date(), facts)),
        await take(adopted.callId, (state) => state.note('call.adopted', new Date())),
      ];
      await stage.setEpoch(EPOCH + 2);
      expect(await replay(EPOCH + 2)).to.equal(true);
      for (const call of theirs) expect(await new Calls(stage.db).find(call!.id)).to.deep.equal(call);
      expect(await stage.eventTypes(ended.callId)).to.deep.equal(STORY_EVENTS);
      expect(await stage.eventTypes(adopted.callId)).to.deep.equal(STORY_EVENTS.slice(0, 3));
      await stage.expectWhole(ours.callId);
      expect(await stage.files()).to.deep.equal([]);
    });

    it('leaves all entries to the next owner if it loses the engine itself', async () => {
      await killedWith(stage.story());
      await stage.setEpoch(EPOCH + 2);
      expect(await replay(EPOCH + 1)).to.equal(false);
      expect(stage.fenced).to.equal(1);
      expect(await stage.files()).to.have.length(1);
      expect(await replay(EPOCH + 2)).to.equal(true);
    });
  });
});
