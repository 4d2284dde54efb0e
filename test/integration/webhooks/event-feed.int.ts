import { expect } from 'chai';
import type { Database } from '../../../core/data/database.js';
import type { EventRow } from '../../../core/data/rows.js';
import { lowestIdAt } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { EventFeed } from '../../../core/services/events/feed.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { eventually } from '../../support/eventually.js';
import { quiet } from '../../support/logger.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { callRow, eventOf, groundIn, insertRows, type Ground } from '../../support/rows/rows.js';

const FOLLOWERS = 200;

/** Counts the statements that reach the database. */
function counted(db: Database): { readonly db: Database; readonly count: () => number } {
  let count = 0;
  const query = (...args: Parameters<Database['query']>): Promise<unknown> => {
    count += 1;
    return db.query(...args);
  };
  const proxy = new Proxy(db, {
    get: (target, name) => (name === 'query' ? query : (Reflect.get(target, name) as unknown)),
  });
  return { db: proxy, count: () => count };
}

describe('The feed of events', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let ground: Ground;
  let other: Ground;
  const ends: AbortController[] = [];

  before(async () => {
    database = await testDatabase();
    ground = await groundIn(database.db);
    other = await groundIn(database.db);
  });
  afterEach(() => {
    for (const end of ends.splice(0)) end.abort();
  });
  after(() => database.close());

  /** Follows everything of a project. @returns the ids received so far */
  function follow(feed: EventFeed, of: Ground, afterId: string | null = null): string[] {
    const received: string[] = [];
    const end = new AbortController();
    ends.push(end);
    const filter = { projectId: of.projectId, sandboxOnly: false, patterns: null, callId: null };
    void (async () => {
      for await (const { id } of feed.follow(filter, afterId, end.signal)) received.push(id);
    })();
    return received;
  }

  async function write(of: Ground, count = 1, at = new Date()): Promise<string[]> {
    const events = Array.from({ length: count }, (_, index): EventRow => {
      const id = lowestIdAt(new Date(at.getTime() + index));
      return eventOf(callRow(of), { id, call_id: null, sequence: null });
    });
    await insertRows(database.db, 'events', events);
    return events.map(({ id }) => id);
  }

  it('reads an idle project once a second, whatever the number of its streams', async () => {
    const clock = new VirtualClock(new Date());
    const { db, count } = counted(database.db);
    const feed = new EventFeed({ db, clock, log: quiet });
    for (let index = 0; index < FOLLOWERS; index += 1) follow(feed, ground);
    await eventually(() => count() > 0, 'the first read');
    const before = count();
    for (let second = 1; second <= 5; second += 1) {
      await eventually(async () => {
        await clock.advance(1000);
        return count() >= before + second;
      }, 'a read');
    }
    expect(count()).to.be.at.most(before + 6);
  });

  it('sends each event once to every stream, with two statements', async () => {
    const { db, count } = counted(database.db);
    const feed = new EventFeed({ db, clock: systemClock, log: quiet, pollMs: 60_000 });
    const streams = Array.from({ length: FOLLOWERS }, () => follow(feed, ground));
    await eventually(() => count() > 0, 'the first read');
    const before = count();
    const ids = await write(ground, 3);
    feed.signal([ground.projectId]);
    await eventually(() => streams.every((stream) => stream.length === 3), 'the events');
    for (const stream of streams) expect(stream).to.deep.equal(ids);
    expect(count() - before).to.be.at.most(4);
  });

  it('is woken for its own project only', async () => {
    const { db, count } = counted(database.db);
    const feed = new EventFeed({ db, clock: systemClock, log: quiet, pollMs: 60_000 });
    const mine = follow(feed, ground);
    const theirs = follow(feed, other);
    await eventually(() => count() === 2, 'the first reads');
    const [id] = await write(other);
    feed.signal([other.projectId]);
    await eventually(() => theirs.length === 1, 'the event');
    expect(theirs).to.deep.equal([id]);
    expect(mine).to.deep.equal([]);
    expect(count()).to.be.at.most(5);
  });

  it('lets streams resume at different places, far behind ones too, without loss or repetition', async () => {
    const project = await groundIn(database.db);
    const ids = await write(project, 2600, new Date(Date.now() - 600_000));
    const feed = new EventFeed({ db: database.db, clock: systemClock, log: quiet, pollMs: 20 });
    const places = [0, 1, 300, 700, 2300, 2598, 2599];
    const streams = places.map((place) => follow(feed, project, ids[place]));
    const later: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      later.push(...(await write(project, 50, new Date(Date.now() - 300_000 + round * 1000))));
      feed.signal([project.projectId]);
    }
    const all = [...ids, ...later];
    await eventually(() => streams.every((stream) => stream.at(-1) === all.at(-1)), 'the last event');
    for (const [index, place] of places.entries()) expect(streams[index]).to.deep.equal(all.slice(place + 1));
  });

  it('sends what is committed late to every stream once', async () => {
    const project = await groundIn(database.db);
    const feed = new EventFeed({ db: database.db, clock: systemClock, log: quiet, pollMs: 20 });
    const [start = ''] = await write(project, 1, new Date(Date.now() - 30_000));
    const streams = Array.from({ length: 20 }, () => follow(feed, project, start));
    const [newest = ''] = await write(project);
    await eventually(() => streams.every((stream) => stream.includes(newest)), 'the newest event');
    const [late = ''] = await write(project, 1, new Date(Date.now() - 20_000));
    await eventually(() => streams.every((stream) => stream.includes(late)), 'the late event');
    const [last = ''] = await write(project);
    await eventually(() => streams.every((stream) => stream.includes(last)), 'the last event');
    for (const stream of streams) expect(stream).to.deep.equal([newest, late, last]);
  });
});
