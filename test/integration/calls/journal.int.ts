import { expect } from 'chai';
import { DatabaseUnavailable } from '../../../core/data/errors.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import { Conferences } from '../../../core/data/repositories/calls/conferences.js';
import { lowestIdAt } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { CallArchive } from '../../../core/services/call-state/call-archive.js';
import { EventFeed } from '../../../core/services/events/feed.js';
import { eventually } from '../../support/eventually.js';
import { EPOCH, journalEach, STORY_EVENTS, type JournalStage } from '../../support/stages/journal-stage.js';
import { quiet } from '../../support/logger.js';
import { callRow, eventOf, insertRows } from '../../support/rows/rows.js';

describe('call changes while PostgreSQL is unavailable', function () {
  this.timeout(30_000);
  let stage: JournalStage;
  journalEach((made) => (stage = made));

  it('are kept on disk, so that calls continue, and written in order when it is back', async () => {
    const stories = [stage.story(), stage.story(), stage.story()];
    await Promise.all(stories.map(({ effects }) => stage.commitAll(effects.slice(0, 2))));
    expect(await stage.files()).to.deep.equal([]);
    stage.cable.cut();
    await Promise.all(stories.map(({ effects }) => stage.commitAll(effects.slice(2))));
    expect(stage.committer.isUpToDate).to.equal(false);
    expect(stage.held.at(-1)).to.equal(9);
    for (const { callId } of stories) expect(await stage.eventTypes(callId)).to.deep.equal(STORY_EVENTS.slice(0, 2));
    stage.cable.restore();
    await stage.committer.written();
    expect(stage.committer.isUpToDate).to.equal(true);
    expect(stage.held.at(-1)).to.equal(0);
    for (const { callId } of stories) await stage.expectWhole(callId);
  });

  it('queue behind earlier ones, and are written directly again afterwards', async () => {
    const [one, other] = [stage.story(), stage.story()];
    stage.cable.cut();
    await stage.commitAll(one.effects.slice(0, 3));
    stage.cable.restore();
    // The database is back, but the journal is not drained: nothing may overtake it.
    const later = Promise.all([stage.commitAll(one.effects.slice(3)), stage.commitAll(other.effects)]);
    await later;
    await stage.committer.drained();
    await stage.expectWhole(one.callId);
    await stage.expectWhole(other.callId);
    const last = stage.story();
    const before = stage.held.length;
    await stage.commitAll(last.effects);
    await stage.expectWhole(last.callId);
    expect(stage.held).to.have.length(before);
  });

  it('drain completely, however busy the system is', async () => {
    stage.cable.cut();
    await stage.commitAll(stage.story().effects);
    stage.cable.restore();
    let running = true;
    const callers = Array.from({ length: 20 }, async () => {
      const made: string[] = [];
      while (running) {
        const { callId, effects } = stage.story();
        await stage.commitAll(effects);
        made.push(callId);
      }
      return made;
    });
    await stage.committer.drained();
    expect(stage.committer.isUpToDate).to.equal(true);
    running = false;
    const made = (await Promise.all(callers)).flat();
    expect(made.length).to.be.greaterThan(0);
    await stage.committer.drained();
    for (const callId of made) await stage.expectWhole(callId);
  });

  it('prevent reads of calls that are not completely written', async () => {
    const archive = new CallArchive(new Calls(stage.reached), new Conferences(stage.reached), stage.committer);
    const { callId, effects } = stage.story();
    await stage.commitAll(effects.slice(0, 3));
    expect(await archive.unfinished(stage.ground.engineId)).to.have.length(1);
    stage.cable.cut();
    await stage.commitAll(effects.slice(3));
    for (const read of [
      archive.find(callId),
      archive.unfinished(stage.ground.engineId),
      archive.unplaced(stage.ground.engineId),
    ]) {
      expect(await read.catch((error: unknown) => error)).to.be.instanceOf(DatabaseUnavailable);
    }
    stage.cable.restore();
    await stage.committer.drained();
    expect(await archive.unfinished(stage.ground.engineId)).to.deep.equal([]);
  });

  it('wait in memory when the journal is full, and none is lost', async () => {
    await stage.committer.close();
    stage.committer = stage.committerOn(stage.journalStoreAt(stage.folder, 6_000));
    const stories = [stage.story(), stage.story(), stage.story(), stage.story()];
    stage.cable.cut();
    const committed = Promise.all(stories.map(({ effects }) => stage.commitAll(effects)));
    await eventually(() => stage.refusals.includes('full'), 'the journal is full');
    stage.cable.restore();
    await committed;
    await stage.committer.drained();
    for (const { callId } of stories) await stage.expectWhole(callId);
  });

  it('wait in memory when the disk fails', async () => {
    await stage.committer.close();
    stage.committer = stage.committerOn(stage.journalStoreAt('/dev/null/journal'));
    const { callId, effects } = stage.story();
    stage.cable.cut();
    const committed = stage.commitAll(effects);
    await eventually(() => stage.refusals.includes('disk'), 'the disk refuses');
    stage.cable.restore();
    await committed;
    await stage.expectWhole(callId);
  });

  it('are skipped one by one if the database rejects them permanently', async () => {
    const [poisoned, sound] = [stage.story(), stage.story()];
    stage.cable.cut();
    const [first] = poisoned.effects;
    await stage.commitAll([{ ...first!, call: { ...first!.call, kind: 'nonsense' as 'outbound' } }]);
    await stage.commitAll(sound.effects);
    stage.cable.restore();
    await stage.committer.drained();
    expect(stage.said).to.deep.equal(['the database refused a journal entry for good']);
    expect(await new Calls(stage.db).find(poisoned.callId)).to.equal(null);
    await stage.expectWhole(sound.callId);
  });

  it('are not dropped for a failure that can be repaired', async () => {
    const { callId, effects } = stage.story();
    stage.cable.cut();
    await stage.commitAll(effects);
    await stage.query('ALTER TABLE charges RENAME TO charges_elsewhere');
    try {
      stage.cable.restore();
      const failed = 'a journal entry could not be written; retrying';
      await eventually(() => stage.said.includes(failed), 'it fails');
    } finally {
      await stage.query('ALTER TABLE charges_elsewhere RENAME TO charges');
    }
    await stage.committer.drained();
    await stage.expectWhole(callId);
  });

  it('are rejected once the journal is closed', async () => {
    const { effects } = stage.story();
    stage.cable.cut();
    await stage.commitAll(effects.slice(0, 1));
    await stage.committer.close();
    expect(await stage.committer.commit(effects[1]!).catch((error: unknown) => error)).to.be.instanceOf(
      DatabaseUnavailable,
    );
    expect(await stage.files()).to.have.length(1);
  });

  it('stay on disk if another process owns the engine', async () => {
    const { effects } = stage.story();
    stage.cable.cut();
    await stage.commitAll(effects.slice(0, 2));
    await stage.setEpoch(EPOCH + 1);
    stage.cable.restore();
    await stage.committer.drained();
    expect(stage.fenced).to.equal(1);
    expect(await stage.committer.written().catch((error: unknown) => error)).to.be.instanceOf(DatabaseUnavailable);
    expect(await stage.committer.commit(effects[2]!)).to.equal(false);
    await stage.committer.close();
    expect(await stage.files()).to.have.length(1);
  });

  it('appear in the live stream however late they are written', async () => {
    let aheadMs = -300_000;
    let failed = false;
    const feed = new EventFeed({
      db: stage.reached,
      clock: { ...systemClock, now: () => new Date(Date.now() + aheadMs) },
      log: { ...quiet, debug: () => void (failed = true) },
      pollMs: 20,
    });
    const received: string[] = [];
    const end = new AbortController();
    const filter = { projectId: stage.ground.projectId, sandboxOnly: false, patterns: null, callId: null };
    const following = (async () => {
      for await (const { id } of feed.follow(filter, null, end.signal)) received.push(id);
    })();
    const write = async (secondsAgo: number): Promise<string> => {
      const id = lowestIdAt(new Date(Date.now() - secondsAgo * 1000));
      const event = eventOf(callRow(stage.ground), { id, call_id: null, sequence: null });
      await insertRows(stage.db, 'events', [event]);
      return id;
    };
    const first = await write(290);
    await eventually(() => received.includes(first), 'the first');
    stage.cable.cut();
    await eventually(() => failed, 'nothing can be read');
    aheadMs = 0;
    stage.cable.restore();
    const fresh = await write(0);
    await eventually(() => received.includes(fresh), 'a fresh one');
    const late = await write(180);
    await eventually(() => received.includes(late), 'one that waited for the database');
    end.abort();
    await following;
    expect(received).to.deep.equal([first, fresh, late]);
  });
});
