import { createServer, type Server } from 'node:net';

import { expect } from 'chai';
import pg from 'pg';

import { Database } from '../../../core/data/database.js';
import { DatabaseUnavailable, violatedUnique } from '../../../core/data/errors.js';
import { organizationsOf } from '../../../core/data/models/tables.js';
import { newId } from '../../../core/model/ids.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { eventually } from '../../support/eventually.js';
import { failureOf } from '../../support/judges/failure-of.js';

describe('the database handle', function () {
  this.timeout(30_000);
  let database: TestDatabase;

  before(async () => {
    database = await testDatabase({ poolSize: 4 });
  });
  after(() => database.close());

  const handles: Database[] = [];
  afterEach(async () => {
    await Promise.all(handles.splice(0).map((handle) => handle.close()));
  });
  function open(url: string, options?: Parameters<typeof Database.open>[1]): Database {
    const handle = Database.open(url, options);
    handles.push(handle);
    return handle;
  }

  it('returns numbers, dates, arrays and JSON as such', async () => {
    const [row] = await database.db.query(
      `SELECT 9007199254740991::bigint AS big, 7 AS small, count(*) AS count,
              '2026-01-02T03:04:05.678Z'::timestamptz(3) AS at, ARRAY['a', 'b'] AS list, '{"a": [1, null]}'::jsonb AS json,
              NULL AS nothing, true AS yes`,
    );
    expect(row).to.deep.equal({
      big: 9007199254740991,
      small: 7,
      count: 1,
      at: new Date('2026-01-02T03:04:05.678Z'),
      list: ['a', 'b'],
      json: { a: [1, null] },
      nothing: null,
      yes: true,
    });
  });

  it('returns times as pg reads them, of every form and in every zone', async () => {
    const texts = [
      ...[
        '2026-01-02T03:04:05Z',
        '2026-01-02T03:04:05.6Z',
        '2026-01-02T03:04:05.678901Z',
        '2026-12-31T23:59:59.999999Z',
      ],
      ...['2024-02-29T00:00:00.001Z', '1969-12-31T23:59:59.5Z', '0099-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
      ...['12026-01-02T03:04:05Z', '0044-03-15 12:00:00+00 BC', 'infinity', '-infinity'],
    ];
    const { db } = database;
    const query = 'SELECT text::timestamptz AS at, text::timestamptz::text AS written FROM unnest($1::text[]) AS text';
    const parsed = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, 'text') as (text: string) => unknown;
    for (const zone of ['UTC', 'Asia/Riyadh', 'Asia/Kolkata', 'America/St_Johns']) {
      const rows = await db.transaction(async (tx) => {
        await tx.query(`SET LOCAL TIME ZONE '${zone}'`);
        return tx.query<{ at: Date; written: string }>(query, [texts]);
      });
      for (const { at, written } of rows) expect(at, `${zone} ${written}`).to.deep.equal(parsed(written));
    }
    const [row] = await db.query<{ at: Date }>(query, [['2026-01-02T03:04:05.678Z']]);
    expect(row?.at).to.deep.equal(new Date('2026-01-02T03:04:05.678Z'));
  });

  it('runs different prepared statements concurrently', async () => {
    const rows = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        database.db.query<{ n: number }>(n % 2 ? 'SELECT $1::int AS n' : 'SELECT $1::int + 1 AS n', [n], {
          prepared: true,
        }),
      ),
    );
    expect(rows.map(([row]) => row!.n)).to.deep.equal(Array.from({ length: 40 }, (_, n) => (n % 2 ? n : n + 1)));
  });

  it('commits a transaction completely or not at all', async () => {
    await database.db.query('CREATE TABLE counted (n integer)');
    const failure = await failureOf(
      database.db.transaction(async (tx) => {
        await tx.query('INSERT INTO counted VALUES (1)');
        throw new Error('changed my mind');
      }),
    );
    expect(failure).to.be.an('error').with.property('message', 'changed my mind');
    const answer = await database.db.transaction(async (tx) => {
      await tx.query('INSERT INTO counted VALUES (2)');
      return 'done';
    });
    expect(answer).to.equal('done');
    expect(await database.db.query('SELECT n FROM counted')).to.deep.equal([{ n: 2 }]);
  });

  it('rejects a transaction that ignored a failed statement', async () => {
    const id = newId();
    const failure = await failureOf(
      database.db.transaction(async (tx) => {
        await tx.query(`INSERT INTO organizations (id, name, account_kind) VALUES ($1, 'x', 'sandbox')`, [id]);
        await failureOf(tx.query('SELECT nothing'));
      }),
    );
    expect(failure).to.be.an('error').with.property('message').that.includes('rolled back');
    expect(await database.db.query('SELECT 1 FROM organizations WHERE id = $1', [id])).to.deep.equal([]);
  });

  it('rethrows errors of the server', async () => {
    const failure = await failureOf(database.db.query('SELECT nothing'));
    expect(failure).to.be.an('error').with.property('code', '42703');
    expect(failure).not.to.be.instanceOf(DatabaseUnavailable);
    expect(violatedUnique(failure)).to.equal(null);
    const id = newId();
    const insert = `INSERT INTO organizations (id, name, account_kind) VALUES ('${id}', 'x', 'sandbox')`;
    await database.db.query(insert);
    expect(violatedUnique(await failureOf(database.db.query(insert)))).to.equal('organizations_pkey');
  });

  it('keeps working after a statement failed, on the same connections', async () => {
    for (let n = 0; n < 20; n += 1) await failureOf(database.db.query('SELECT nothing'));
    expect(await database.db.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  describe('reports the database as unavailable', () => {
    async function unavailable(work: Promise<unknown>): Promise<void> {
      expect(await failureOf(work)).to.be.instanceOf(DatabaseUnavailable);
    }

    it('when no server listens', async () => {
      const server = createServer();
      const port = await listen(server);
      await new Promise((resolve) => server.close(resolve));
      const handle = open(`postgres://hatif:hatif@127.0.0.1:${port}/hatif`);
      await unavailable(handle.query('SELECT 1'));
      await unavailable(handle.transaction((tx) => tx.query('SELECT 1')));
      await unavailable(organizationsOf(handle).find({}, ['id']));
    });

    it('when a server listens but never answers', async () => {
      const sockets: { destroy(): void }[] = [];
      const server = createServer((socket) => sockets.push(socket));
      const port = await listen(server);
      const handle = open(`postgres://hatif:hatif@127.0.0.1:${port}/hatif`, { acquireTimeoutMs: 300 });
      await unavailable(handle.query('SELECT 1'));
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    });

    it('when every connection is busy for too long', async () => {
      const handle = open(database.url, { poolSize: 1, acquireTimeoutMs: 200 });
      await handle.transaction(async () => {
        await unavailable(handle.query('SELECT 1'));
      });
      expect(await handle.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    });

    it('when a statement takes too long', async () => {
      const handle = open(database.url, { statementTimeoutMs: 100 });
      await unavailable(handle.query('SELECT pg_sleep(60)'));
      expect(await handle.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    });

    it('to one of two deadlocked transactions', async () => {
      const handle = open(database.url);
      let holding = 0;
      const cross = (own: number, other: number): Promise<unknown> =>
        handle.transaction(async (tx) => {
          await tx.query('SELECT pg_advisory_xact_lock($1)', [own]);
          holding += 1;
          await eventually(() => holding === 2, 'both hold a lock');
          await tx.query('SELECT pg_advisory_xact_lock($1)', [other]);
        });
      const crossed = [cross(1, 2), cross(2, 1)];
      const ends = await Promise.allSettled(crossed);
      expect(ends.map(({ status }) => status)).to.have.members(['fulfilled', 'rejected']);
      await unavailable(Promise.all(crossed));
    });

    it('when the connection is terminated during a statement, and reconnects', async () => {
      const handle = open(database.url, { poolSize: 1 });
      for (const kill of [
        () => handle.query('SELECT pg_terminate_backend(pg_backend_pid())'),
        () => handle.transaction((tx) => tx.query('SELECT pg_terminate_backend(pg_backend_pid())')),
      ]) {
        await unavailable(kill());
        expect(await handle.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
      }
    });

    it('at most once after idle connections were terminated', async () => {
      const handle = open(database.url, { poolSize: 1 });
      const [own] = await handle.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await database.db.query('SELECT pg_terminate_backend($1, 10000)', [own!.pid]);
      const failure = await failureOf(handle.query('SELECT 1'));
      if (failure) expect(failure).to.be.instanceOf(DatabaseUnavailable);
      expect(await handle.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    });

    it('but not when a setting is wrong', async () => {
      const url = new URL(database.url);
      url.pathname = '/no_such_database';
      const failure = await failureOf(open(url.href).query('SELECT 1'));
      expect(failure).to.be.an('error').with.property('code', '3D000');
      expect(failure).not.to.be.instanceOf(DatabaseUnavailable);
    });
  });
});

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : 0);
    });
  });
}
