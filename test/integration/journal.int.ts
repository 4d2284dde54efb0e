import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FileShelf } from '../../adapters/journal/shelf.js';
import { CallWriter, type CallEffect } from '../../core/data/call-writer.js';
import { Database } from '../../core/data/database.js';
import { DatabaseUnavailable } from '../../core/data/errors.js';
import { Calls } from '../../core/data/repositories/calls.js';
import { Conferences } from '../../core/data/repositories/conferences.js';
import type { CallRow } from '../../core/data/rows.js';
import { hangupCause } from '../../core/model/hangup-cause.js';
import { lowestIdAt } from '../../core/model/ids.js';
import { systemClock } from '../../core/ports/clock.js';
import type { JournalShelf } from '../../core/ports/journal.js';
import { CallArchive } from '../../core/services/calls/archive.js';
import { CallRecord } from '../../core/services/calls/call-record.js';
import { Committer } from '../../core/services/calls/committer.js';
import { replayJournals } from '../../core/services/calls/journal-replay.js';
import { EventFeed } from '../../core/services/events/feed.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { quiet } from '../support/logger.js';
import { callRow, eventOf, groundIn, insertRows, legRow, type Ground } from '../support/rows.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const EPOCH = 1;
const MEGABYTE = 1024 * 1024;
const TOLD = ['call.initiated', 'call.ringing', 'call.answered', 'call.ended'];

describe('changes of calls while PostgreSQL is away', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let cable: TcpProxy;
  let reached: Database;
  let ground: Ground;
  let folder: string;
  let shelf: FileShelf;
  let committer: Committer;
  let refusals: string[];
  let held: number[];
  let fenced: number;
  let said: string[];

  before(async () => {
    database = await testDatabase();
    const { hostname, port } = new URL(database.url);
    cable = await TcpProxy.start(hostname, Number(port));
    const through = new URL(database.url);
    through.port = String(cable.port);
    through.hostname = '127.0.0.1';
    reached = Database.open(through.href);
  });
  after(async () => {
    await reached.close();
    await cable.close();
    await database.close();
  });
  beforeEach(async () => {
    ground = await groundIn(database.db);
    folder = await mkdtemp(join(tmpdir(), 'hatif-journal-'));
    [refusals, held, fenced, said] = [[], [], 0, []];
    shelf = new FileShelf({ folder, maxBytes: MEGABYTE, log: quiet });
    committer = committerOn(shelf);
  });
  afterEach(async () => {
    cable.restore();
    await committer.close();
    await rm(folder, { recursive: true, force: true });
  });

  function committerOn(on: JournalShelf, epoch = EPOCH): Committer {
    return new Committer({
      writer: new CallWriter(reached),
      journal: on.open(ground.engineId, epoch),
      clock: systemClock,
      log: { ...quiet, error: (_fields, message) => void said.push(message) },
      observer: { holds: (entries) => void held.push(entries), refused: (reason) => void refusals.push(reason) },
      onFenced: () => (fenced += 1),
    });
  }

  /** A call from its beginning to its end, as the effects of each step; with one that changes nothing but the program and the timeline. */
  function story(): { readonly callId: string; readonly effects: readonly CallEffect[] } {
    const call = callRow(ground, { last_sequence: 0 });
    const record = new CallRecord(call, []);
    const leg = legRow(call.id);
    const at = (seconds: number): Date => new Date(1_700_000_000_000 + seconds * 1000);
    const steps: (() => void)[] = [
      () => {
        record.addLeg(leg);
        record.emit('call.initiated', at(0));
      },
      () => record.moveLeg(leg.id, 'ringing', at(1)) && record.move('ringing', at(1)),
      () => record.moveLeg(leg.id, 'answered', at(2)) && record.move('answered', at(2)),
      () => {
        record.note('legs.joined', at(3));
        record.set({ program: { type: 'idle', state: { phase: 'joined' } } });
      },
      () =>
        record.endLeg(leg.id, hangupCause(16), at(12)) &&
        record.end('ended', at(12), { disposition: 'answered', cause: hangupCause(16) }),
    ];
    const effects = steps.map((step) => {
      step();
      return { fence: { engineId: ground.engineId, epoch: EPOCH }, ...record.takeChanges()! };
    });
    return { callId: call.id, effects };
  }

  const query = <Row extends object>(sql: string, ...values: unknown[]) => database.db.query<Row>(sql, values);
  const told = async (callId: string): Promise<string[]> =>
    (await query<{ type: string }>('SELECT type FROM events WHERE call_id = $1 ORDER BY sequence', callId)).map(
      ({ type }) => type,
    );
  const setEpoch = (epoch: number) => query('UPDATE engines SET epoch = $2 WHERE id = $1', ground.engineId, epoch);
  const files = (): Promise<string[]> => readdir(folder);
  /** Everything that is written of the engine's calls, except for who wrote it. */
  async function everything(): Promise<string> {
    const tables = ['legs', 'events', 'charges', 'call_timeline', 'webhook_deliveries'];
    const parts = await Promise.all([
      query(`SELECT to_jsonb(calls) - 'epoch' AS row FROM calls WHERE engine_id = $1 ORDER BY id`, ground.engineId),
      ...tables.map((table) =>
        query(
          `SELECT * FROM ${table} WHERE call_id IN (SELECT id FROM calls WHERE engine_id = $1) ORDER BY id`,
          ground.engineId,
        ),
      ),
    ]);
    return JSON.stringify(parts);
  }
  async function expectWhole(callId: string): Promise<void> {
    const call = await new Calls(database.db).find(callId);
    expect(call).to.include({ status: 'ended', disposition: 'answered', last_sequence: 4 });
    expect(call?.program).to.deep.equal({ type: 'idle', state: { phase: 'joined' } });
    expect(await told(callId)).to.deep.equal(TOLD);
    expect(await query('SELECT seconds FROM charges WHERE call_id = $1', callId)).to.deep.equal([{ seconds: 10 }]);
    expect(await query('SELECT type FROM call_timeline WHERE call_id = $1', callId)).to.have.length(1);
  }
  const replay = (epoch: number): Promise<boolean> =>
    replayJournals({
      engineId: ground.engineId,
      lease: { epoch },
      shelf,
      writer: new CallWriter(reached),
      calls: new Calls(reached),
      clock: systemClock,
      log: quiet,
      onFenced: () => (fenced += 1),
    });
  async function commitAll(effects: readonly CallEffect[]): Promise<void> {
    for (const effect of effects) expect(await committer.commit(effect)).to.equal(true);
  }

  it('keeps them on disk, so that calls go on, and writes them in order when it is back', async () => {
    const stories = [story(), story(), story()];
    await Promise.all(stories.map(({ effects }) => commitAll(effects.slice(0, 2))));
    expect(await files()).to.deep.equal([]);
    cable.cut();
    await Promise.all(stories.map(({ effects }) => commitAll(effects.slice(2))));
    expect(committer.isUpToDate).to.equal(false);
    expect(held.at(-1)).to.equal(9);
    for (const { callId } of stories) expect(await told(callId)).to.deep.equal(TOLD.slice(0, 2));
    cable.restore();
    await committer.written();
    expect(committer.isUpToDate).to.equal(true);
    expect(held.at(-1)).to.equal(0);
    for (const { callId } of stories) await expectWhole(callId);
  });

  it('puts what comes later behind what waits, and writes straight again afterwards', async () => {
    const [one, other] = [story(), story()];
    cable.cut();
    await commitAll(one.effects.slice(0, 3));
    cable.restore();
    // The database is there again, and the journal is not through: nothing may overtake it.
    const later = Promise.all([commitAll(one.effects.slice(3)), commitAll(other.effects)]);
    await later;
    await committer.drained();
    await expectWhole(one.callId);
    await expectWhole(other.callId);
    const last = story();
    const before = held.length;
    await commitAll(last.effects);
    await expectWhole(last.callId);
    expect(held).to.have.length(before);
  });

  it('comes to an end with it, however busy the system is', async () => {
    cable.cut();
    await commitAll(story().effects);
    cable.restore();
    let running = true;
    const callers = Array.from({ length: 20 }, async () => {
      const made: string[] = [];
      while (running) {
        const { callId, effects } = story();
        await commitAll(effects);
        made.push(callId);
      }
      return made;
    });
    await committer.drained();
    expect(committer.isUpToDate).to.equal(true);
    running = false;
    const made = (await Promise.all(callers)).flat();
    expect(made.length).to.be.greaterThan(0);
    await committer.drained();
    for (const callId of made) await expectWhole(callId);
  });

  it('reads no call that is not written whole', async () => {
    const archive = new CallArchive(new Calls(reached), new Conferences(reached), committer);
    const { callId, effects } = story();
    await commitAll(effects.slice(0, 3));
    expect(await archive.unfinished(ground.engineId)).to.have.length(1);
    cable.cut();
    await commitAll(effects.slice(3));
    for (const read of [archive.find(callId), archive.unfinished(ground.engineId), archive.unplaced(ground.engineId)]) {
      expect(await read.catch((error: unknown) => error)).to.be.instanceOf(DatabaseUnavailable);
    }
    cable.restore();
    await committer.drained();
    expect(await archive.unfinished(ground.engineId)).to.deep.equal([]);
  });

  it('waits in memory when the journal takes no more, and loses nothing then either', async () => {
    await committer.close();
    committer = committerOn(new FileShelf({ folder, maxBytes: 6_000, log: quiet }));
    const stories = [story(), story(), story(), story()];
    cable.cut();
    const committed = Promise.all(stories.map(({ effects }) => commitAll(effects)));
    await eventually(() => refusals.includes('full'), 'the journal is full');
    cable.restore();
    await committed;
    await committer.drained();
    for (const { callId } of stories) await expectWhole(callId);
  });

  it('waits in memory when the disk fails', async () => {
    await committer.close();
    committer = committerOn(new FileShelf({ folder: '/dev/null/journal', maxBytes: MEGABYTE, log: quiet }));
    const { callId, effects } = story();
    cable.cut();
    const committed = commitAll(effects);
    await eventually(() => refusals.includes('disk'), 'the disk refuses');
    cable.restore();
    await committed;
    await expectWhole(callId);
  });

  it('leaves out what the database refuses for good, alone', async () => {
    const [poisoned, sound] = [story(), story()];
    cable.cut();
    const [first] = poisoned.effects;
    await commitAll([{ ...first!, call: { ...first!.call, kind: 'nonsense' as 'outbound' } }]);
    await commitAll(sound.effects);
    cable.restore();
    await committer.drained();
    expect(said).to.deep.equal(['a change from the journal was refused for good']);
    expect(await new Calls(database.db).find(poisoned.callId)).to.equal(null);
    await expectWhole(sound.callId);
  });

  it('drops nothing for a fault that may be put right', async () => {
    const { callId, effects } = story();
    cable.cut();
    await commitAll(effects);
    await query('ALTER TABLE charges RENAME TO charges_elsewhere');
    try {
      cable.restore();
      const failed = 'a change from the journal could not be written; it is tried again';
      await eventually(() => said.includes(failed), 'it fails');
    } finally {
      await query('ALTER TABLE charges_elsewhere RENAME TO charges');
    }
    await committer.drained();
    await expectWhole(callId);
  });

  it('takes nothing any more once it is closed, rather than lose it', async () => {
    const { effects } = story();
    cable.cut();
    await commitAll(effects.slice(0, 1));
    await committer.close();
    expect(await committer.commit(effects[1]!).catch((error: unknown) => error)).to.be.instanceOf(DatabaseUnavailable);
    expect(await files()).to.have.length(1);
  });

  it('stops at once where another process owns the engine, and leaves it on disk', async () => {
    const { effects } = story();
    cable.cut();
    await commitAll(effects.slice(0, 2));
    await setEpoch(EPOCH + 1);
    cable.restore();
    await committer.drained();
    expect(fenced).to.equal(1);
    expect(await committer.written().catch((error: unknown) => error)).to.be.instanceOf(DatabaseUnavailable);
    expect(await committer.commit(effects[2]!)).to.equal(false);
    await committer.close();
    expect(await files()).to.have.length(1);
  });

  it('are told in the live stream however late they come', async () => {
    let aheadMs = -300_000;
    let failed = false;
    const feed = new EventFeed({
      db: reached,
      clock: { ...systemClock, now: () => new Date(Date.now() + aheadMs) },
      log: { ...quiet, debug: () => void (failed = true) },
      pollMs: 20,
    });
    const heard: string[] = [];
    const end = new AbortController();
    const filter = { projectId: ground.projectId, sandboxOnly: false, patterns: null, callId: null };
    const following = (async () => {
      for await (const { id } of feed.follow(filter, null, end.signal)) heard.push(id);
    })();
    const write = async (secondsAgo: number): Promise<string> => {
      const id = lowestIdAt(new Date(Date.now() - secondsAgo * 1000));
      const event = eventOf(callRow(ground), { id, call_id: null, sequence: null });
      await insertRows(database.db, 'events', [event]);
      return id;
    };
    const first = await write(290);
    await eventually(() => heard.includes(first), 'the first');
    cable.cut();
    await eventually(() => failed, 'nothing can be read');
    aheadMs = 0;
    cable.restore();
    const fresh = await write(0);
    await eventually(() => heard.includes(fresh), 'a fresh one');
    const late = await write(180);
    await eventually(() => heard.includes(late), 'one that waited for the database');
    end.abort();
    await following;
    expect(heard).to.deep.equal([first, fresh, late]);
  });

  describe('a process that starts after one that died', () => {
    /** The journal of a process that was killed during the outage. */
    async function killedWith(...stories: { effects: readonly CallEffect[] }[]): Promise<void> {
      cable.cut();
      await Promise.all(stories.map(({ effects }) => commitAll(effects)));
      await committer.close();
      cable.restore();
      expect(await files()).to.have.length(1);
    }

    it('writes down what it left, under its own epoch', async () => {
      const stories = [story(), story()];
      await killedWith(...stories);
      await setEpoch(EPOCH + 1);
      expect(await replay(EPOCH + 1)).to.equal(true);
      for (const { callId } of stories) await expectWhole(callId);
      const epochs = await query('SELECT DISTINCT epoch FROM calls WHERE engine_id = $1', ground.engineId);
      expect(epochs).to.deep.equal([{ epoch: EPOCH + 1 }]);
      expect(await files()).to.deep.equal([]);
    });

    it('changes nothing by repeating what was written before the crash', async () => {
      const stories = [story(), story()];
      await killedWith(...stories);
      const [name] = await files();
      const path = join(folder, name!);
      await copyFile(path, `${path}.copy`);
      await setEpoch(EPOCH + 1);
      await replay(EPOCH + 1);
      const written = await everything();
      // It died again before it had noted how far it came; only that it had begun.
      await copyFile(`${path}.copy`, path);
      await rm(`${path}.copy`);
      const [again] = await shelf.left(ground.engineId, EPOCH + 2);
      await again!.take(EPOCH + 1);
      await again!.close();
      await setEpoch(EPOCH + 2);
      expect(await replay(EPOCH + 2)).to.equal(true);
      expect(await everything()).to.equal(written);
      for (const { callId } of stories) await expectWhole(callId);
    });

    it('waits while the database is still away', async () => {
      const one = story();
      await killedWith(one);
      await setEpoch(EPOCH + 1);
      cable.cut();
      const replayed = replay(EPOCH + 1);
      const [name] = await files();
      const hasBegun = async (): Promise<boolean> => (await readFile(join(folder, name!), 'utf8')).includes('"taken"');
      await eventually(hasBegun, 'the replay has begun');
      cable.restore();
      expect(await replayed).to.equal(true);
      await expectWhole(one.callId);
    });

    it('leaves calls alone that somebody else has taken further, and writes the others', async () => {
      const [ended, adopted, ours] = [story(), story(), story()];
      for (const { effects } of [ended, adopted]) await commitAll(effects.slice(0, 3));
      await killedWith({ effects: ended.effects.slice(3) }, { effects: adopted.effects.slice(3) }, ours);
      await setEpoch(EPOCH + 1);
      const take = async (callId: string, change: (record: CallRecord) => void): Promise<CallRow | null> => {
        const record = new CallRecord((await new Calls(database.db).find(callId))!, []);
        change(record);
        const fence = { engineId: ground.engineId, epoch: EPOCH + 1 };
        await new CallWriter(database.db).commit({ fence, ...record.takeChanges()! });
        return new Calls(database.db).find(callId);
      };
      // The other's end of it has the same status and sequence, but is not the same event.
      const facts = { disposition: 'answered', cause: hangupCause(31) } as const;
      const theirs = [
        await take(ended.callId, (record) => record.end('ended', new Date(), facts)),
        await take(adopted.callId, (record) => record.note('call.adopted', new Date())),
      ];
      await setEpoch(EPOCH + 2);
      expect(await replay(EPOCH + 2)).to.equal(true);
      for (const call of theirs) expect(await new Calls(database.db).find(call!.id)).to.deep.equal(call);
      expect(await told(ended.callId)).to.deep.equal(TOLD);
      expect(await told(adopted.callId)).to.deep.equal(TOLD.slice(0, 3));
      await expectWhole(ours.callId);
      expect(await files()).to.deep.equal([]);
    });

    it('leaves everything to the next when it loses the engine itself', async () => {
      await killedWith(story());
      await setEpoch(EPOCH + 2);
      expect(await replay(EPOCH + 1)).to.equal(false);
      expect(fenced).to.equal(1);
      expect(await files()).to.have.length(1);
      expect(await replay(EPOCH + 2)).to.equal(true);
    });
  });
});
