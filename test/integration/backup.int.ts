import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { expect } from 'chai';
import { extract, pack, type Entry } from 'tar-stream';
import { runCli } from '../../cli/program.js';
import { readSettings } from '../../config/settings.js';
import { Database, type Queryable } from '../../core/data/database.js';
import { migrateOn, migrateUp, lockSchema } from '../../core/data/migrate.js';
import { migrations } from '../../core/data/migrations/index.js';
import { Engines } from '../../core/data/repositories/engines.js';
import { newId } from '../../core/model/ids.js';
import { openCommandLine } from '../../main/command-line.js';
import { openCipher } from '../../main/secret.js';
import { emptyDatabase, testDatabase, type TestDatabase } from '../support/database.js';
import { callRow, eventOf, groundIn, insertRows, legRow, type Ground } from '../support/rows.js';

const UGLY = 'tab\t newline\n back\\slash \\. quote" هاتف \u{1F4DE} \\N';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly progress: readonly number[];
}

/** A database and a data folder: what a backup is made of, or put into. */
class Installation {
  private constructor(
    readonly database: TestDatabase,
    readonly dataDir: string,
  ) {}

  static async with(database: Promise<TestDatabase>): Promise<Installation> {
    return new Installation(await database, await mkdtemp(join(tmpdir(), 'hatif-backup-')));
  }

  get db(): Database {
    return this.database.db;
  }

  /** The command in this process. The handle of the test must not look like a running platform: it is closed before. */
  async hatif(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    onProgress?: () => Promise<void>,
  ): Promise<Ran> {
    let [stdout, stderr] = ['', ''];
    const progress: number[] = [];
    const meanwhile: Promise<void>[] = [];
    const settings = readSettings({ DATABASE_URL: this.database.url, HATIF_DATA_DIR: this.dataDir, ...env });
    const code = await runCli(args, {
      ...openCommandLine(settings, new AbortController().signal),
      output: (json) => ({ json, out: (line) => (stdout += `${line}\n`), note: (line) => (stderr += `${line}\n`) }),
      progress: (_, fraction = 0) => {
        progress.push(fraction);
        if (onProgress) meanwhile.push(onProgress());
      },
    });
    await Promise.all(meanwhile);
    return { code, stdout, stderr, progress };
  }

  /** Every row of every table, as text. */
  async rows(): Promise<Record<string, string[]>> {
    return withDatabase(this.database.url, async (db) => {
      const tables = await db.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
      );
      const all: Record<string, string[]> = {};
      for (const { name } of tables) {
        const found = await db.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${name} AS t ORDER BY 1`);
        all[name] = found.map(({ row }) => row);
      }
      return all;
    });
  }

  /** Every file of the data folder with its content. */
  async files(): Promise<Record<string, string>> {
    const found = await readdir(this.dataDir, { recursive: true, withFileTypes: true });
    const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return Object.fromEntries(
      await Promise.all(
        files.sort().map(async (file) => [file.slice(this.dataDir.length), await readFile(file, 'hex')]),
      ),
    ) as Record<string, string>;
  }

  async close(): Promise<void> {
    await this.database.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

async function withDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = Database.open(url, { poolSize: 1 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** Calls in every state, with all that hangs on them. */
async function fill(db: Queryable, ground: Ground, calls: number): Promise<void> {
  const rows = Array.from({ length: calls }, (_, index) =>
    callRow(ground, {
      status: index % 3 === 0 ? 'answered' : 'ended',
      ended_at: index % 3 === 0 ? null : new Date(),
      metadata: { note: UGLY },
      caller_id_name: UGLY,
    }),
  );
  await insertRows(db, 'calls', rows);
  const legs = rows.map((row) => legRow(row.id));
  await insertRows(db, 'legs', legs);
  await insertRows(
    db,
    'charges',
    legs.map((leg) => ({
      id: newId(),
      leg_id: leg.id,
      call_id: leg.call_id,
      project_id: ground.projectId,
      sandbox: false,
      direction: 'outbound',
      kind: 'outbound',
      number: leg.number,
      started_at: new Date(),
      seconds: 17,
      created_at: new Date(),
    })),
  );
  const events = rows.map((row) => eventOf(row, { data: { note: UGLY } }));
  await insertRows(db, 'events', events);
  const endpoint = {
    id: newId(),
    project_id: ground.projectId,
    url: `https://example.com/${newId()}`,
    events: ['*', 'call.*'],
  };
  await insertRows(db, 'webhook_endpoints', [
    { ...endpoint, secret: 'sealed', status: 'enabled', created_at: new Date() },
  ]);
  const deliveries = events.map((event) => ({
    id: newId(),
    event_id: event.id,
    endpoint_id: endpoint.id,
    lane: endpoint.id,
    project_id: ground.projectId,
    status: 'pending',
    attempts: 1,
    next_attempt_at: new Date(),
    locked_until: null,
    created_at: new Date(),
  }));
  await insertRows(db, 'webhook_deliveries', deliveries);
  await insertRows(
    db,
    'webhook_attempts',
    deliveries.map(({ id }) => ({ id: newId(), delivery_id: id, at: new Date(), status_code: 500, duration_ms: 3 })),
  );
}

/** The same archive with some members changed, left out (null) or added. */
async function rewrite(
  file: string,
  into: string,
  change: (name: string, content: Buffer) => Buffer | null,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const tar = extract();
  const reading = pipeline(createReadStream(file), createGunzip(), tar);
  const out = pack();
  const writing = pipeline(out, createGzip(), createWriteStream(into));
  for await (const entry of tar as AsyncIterable<Entry>) {
    const pieces: Buffer[] = [];
    for await (const piece of entry as AsyncIterable<Buffer>) pieces.push(piece);
    const content = change(entry.header.name, Buffer.concat(pieces));
    if (entry.header.name === 'checksums.json')
      for (const [name, text] of Object.entries(more)) out.entry({ name }, text);
    if (content) out.entry({ name: entry.header.name }, content);
  }
  out.finalize();
  await Promise.all([reading, writing]);
}

describe('backup and restore', function () {
  this.timeout(60_000);
  let source: Installation;
  let ground: Ground;
  let folder: string;
  let archive: string;
  let sealed: string;
  const audioId = newId();
  const open: Installation[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-archives-'));
    archive = join(folder, 'one.tar.gz');
    source = await Installation.with(testDatabase());
    const { db, dataDir } = source;
    const cipher = await openCipher(readSettings({ HATIF_DATA_DIR: dataDir }));
    sealed = cipher.seal('the password of a trunk');
    ground = await groundIn(db);
    await fill(db, ground, 30);
    // More than one piece.
    const [call] = await db.query<{ id: string }>('SELECT id FROM calls LIMIT 1');
    const note = (): object => ({
      id: newId(),
      call_id: call!.id,
      at: new Date(),
      type: 'note',
      data: { x: randomBytes(400_000).toString('hex') },
    });
    await insertRows(db, 'call_timeline', Array.from({ length: 12 }, note));
    await insertRows(db, 'audio_files', [
      { id: audioId, project_id: ground.projectId, name: UGLY, duration_ms: 5, bytes: 9, created_at: new Date() },
    ]);
    await new Engines(db).acquire(ground.engineId, 'host:1:abc', 600_000);
    await mkdir(join(dataDir, 'media/uploads'), { recursive: true });
    await mkdir(join(dataDir, 'recordings/2026/11'), { recursive: true });
    for (const extension of ['wav', 'wav16']) {
      await writeFile(join(dataDir, `media/uploads/${audioId}.${extension}`), randomBytes(9_000), { mode: 0o644 });
    }
    await writeFile(join(dataDir, 'media/uploads/nobodys.wav'), 'of no row');
    await writeFile(join(dataDir, 'recordings/2026/11/a.wav'), randomBytes(700_000));
    await writeFile(join(dataDir, 'recordings/empty.wav'), '');
    await mkdir(join(dataDir, 'recording'));
    await writeFile(join(dataDir, 'recording/tap.wav'), 'not finished');
    await writeFile(join(dataDir, 'bootstrap.json'), '{"live_key":"x"}', { mode: 0o600 });
    const made = await source.hatif(['backup', archive]);
    expect(made.code, made.stderr).to.equal(0);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
  after(async () => {
    await source.close();
    await rm(folder, { recursive: true, force: true });
  });

  const elsewhere = async (database: Promise<TestDatabase> = emptyDatabase()): Promise<Installation> => {
    const made = await Installation.with(database);
    open.push(made);
    return made;
  };

  it('bring every row and every file that a row speaks of, and the secret', async () => {
    const target = await elsewhere();
    const ran = await target.hatif(['--json', 'restore', archive]);
    expect(ran.code, ran.stderr).to.equal(0);
    const [before, after] = await Promise.all([source.rows(), target.rows()]);
    const { migrations: appliedThere, engines: enginesThere, ...there } = before;
    const { migrations: appliedHere, engines: enginesHere, ...here } = after;
    expect(here).to.deep.equal(there);
    expect(appliedHere).to.have.length(appliedThere!.length);
    expect(enginesHere).to.have.length(enginesThere!.length);
    expect(JSON.parse(ran.stdout)).to.deep.include({
      migrated: [],
      files: 5,
      tables: Object.fromEntries(
        Object.entries({ ...there, engines: enginesThere! }).map(([name, rows]) => [name, rows.length]),
      ),
    });
    const { '/media/uploads/nobodys.wav': nobodys, ...files } = await source.files();
    expect(nobodys).to.be.a('string');
    expect(await target.files()).to.deep.equal(files);
    const cipher = await openCipher(readSettings({ HATIF_DATA_DIR: target.dataDir }));
    expect(cipher.open(sealed)).to.equal('the password of a trunk');
    for (const name of ['secret', 'bootstrap.json']) {
      expect((await stat(join(target.dataDir, name))).mode & 0o777, name).to.equal(0o600);
    }
    expect((await stat(join(target.dataDir, `media/uploads/${audioId}.wav`))).mode & 0o777).to.equal(0o644);
    expect(ran.progress.at(-1)).to.equal(1);
  });

  it('write for the owner’s eyes only, and warn of the secret', async () => {
    expect((await stat(archive)).mode & 0o777).to.equal(0o600);
    const file = join(folder, 'two.tar.gz');
    const { stdout, stderr, progress } = await source.hatif(['backup', file]);
    expect(stdout).to.match(/Wrote .*two\.tar\.gz: \d+ rows of \d+ tables, 5 files, \d+\.\d MiB/);
    expect(stderr).to.contain('secret');
    expect(progress.at(-1)).to.equal(1);
    expect(progress).to.deep.equal([...progress].sort((a, b) => a - b));
    expect((await readdir(folder)).filter((name) => name.includes('partial'))).to.deep.equal([]);
  });

  it('leave nobody in command of an engine: who was, is fenced off', async () => {
    const target = await elsewhere();
    await target.hatif(['restore', archive]);
    await withDatabase(target.database.url, async (db) => {
      const engines = new Engines(db);
      const engine = await engines.get(ground.engineId);
      expect(engine).to.include({ owner: null, lease_expires_at: null, status: 'unreachable', epoch: 3 });
      const condition = { status: 'up', bootId: null, version: null } as const;
      expect(await engines.renew(ground.engineId, 'host:1:abc', 2, 1000, condition)).to.equal(false);
      expect(await engines.acquire(ground.engineId, 'next', 1000)).to.equal(4);
    });
  });

  it('show one moment, whatever is written meanwhile', async () => {
    const busy = await elsewhere(testDatabase());
    await openCipher(readSettings({ HATIF_DATA_DIR: busy.dataDir }));
    const there = await groundIn(busy.db);
    await fill(busy.db, there, 20);
    const known = await busy.rows();
    const file = join(folder, 'busy.tar.gz');
    const ran = await busy.hatif(['backup', file], {}, () => fill(busy.db, there, 3));
    expect(ran.code, ran.stderr).to.equal(0);
    expect((await busy.rows()).calls).to.have.length.above(20);
    const target = await elsewhere();
    expect((await target.hatif(['restore', file])).code).to.equal(0);
    const { engines: _, migrations: __, ...restored } = await target.rows();
    const { engines: ___, migrations: ____, ...expected } = known;
    expect(restored).to.deep.equal(expected);
  });

  it('bring an older schema up to date', async () => {
    const old = await elsewhere(emptyDatabase());
    await openCipher(readSettings({ HATIF_DATA_DIR: old.dataDir }));
    const names = migrations.map(({ name }) => name);
    const [older, newer] = [names.slice(0, 5), names.slice(5)];
    await old.db.transaction(async (tx) => {
      await lockSchema(tx);
      await migrateOn(tx, older);
    });
    const organization = { id: newId(), name: 'Old', account_kind: 'production', flags: {}, created_at: new Date() };
    await insertRows(old.db, 'organizations', [organization]);
    const project = {
      id: newId(),
      organization_id: organization.id,
      name: 'old',
      signing_secret: 's',
      created_at: new Date(),
    };
    await insertRows(old.db, 'projects', [project]);
    const agent = {
      id: newId(),
      project_id: project.id,
      organization_id: organization.id,
      agent: '1',
      aor: 'a',
      display_name: 'A',
      sip_password: 'x',
      created_at: new Date(),
    };
    await insertRows(old.db, 'agents', [agent]);
    const file = join(folder, 'old.tar.gz');
    expect((await old.hatif(['backup', file])).code).to.equal(0);
    const target = await elsewhere();
    const ran = await target.hatif(['--json', 'restore', file]);
    expect(ran.code, ran.stderr).to.equal(0);
    expect(JSON.parse(ran.stdout)).to.deep.include({ migrated: newer });
    expect(JSON.parse((await target.rows()).agents![0]!)).to.include({ id: agent.id, may_call_out: true });
    expect(await migrateUp(target.database.url)).to.deep.equal([]);
  });

  it('replace an installation only when told so', async () => {
    const target = await elsewhere(testDatabase());
    await openCipher(readSettings({ HATIF_DATA_DIR: target.dataDir }));
    await withDatabase(target.database.url, (db) => groundIn(db));
    const before = await target.rows();
    const refused = await target.hatif(['restore', archive]);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.contain('an installation already').and.contain('--replace');
    expect(await target.rows()).to.deep.equal(before);
    await mkdir(join(target.dataDir, 'journal'));
    await writeFile(join(target.dataDir, 'journal/waits'), 'for the database that goes');
    const ran = await target.hatif(['restore', '--replace', archive]);
    expect(ran.code, ran.stderr).to.equal(0);
    expect(await target.files()).not.to.have.property('/journal/waits');
    expect((await target.rows()).organizations).to.deep.equal((await source.rows()).organizations);
    const cipher = await openCipher(readSettings({ HATIF_DATA_DIR: target.dataDir }));
    expect(cipher.open(sealed)).to.equal('the password of a trunk');
  });

  it('keep a secret of the settings out of the archive, and ask for the same', async () => {
    const [own, other] = ['the secret of one installation, long', 'the secret of another, as long as it'];
    const file = join(folder, 'setting.tar.gz');
    expect((await source.hatif(['backup', file], { HATIF_SECRET: own })).stderr).to.contain('HATIF_SECRET');
    const target = await elsewhere();
    const untouched = await target.rows();
    for (const [env, words] of [
      [{}, 'it was kept in HATIF_SECRET'],
      [{ HATIF_SECRET: other }, 'HATIF_SECRET is not the secret'],
    ] as const) {
      const ran = await target.hatif(['restore', file], env);
      expect(ran.code).to.equal(1);
      expect(ran.stderr).to.contain(words);
    }
    expect(await target.rows()).to.deep.equal(untouched);
    expect((await target.hatif(['restore', file], { HATIF_SECRET: own })).code).to.equal(0);
    expect(await target.files()).not.to.have.property('/secret');
  });

  it('refuse a database on which the platform runs', async () => {
    const target = await elsewhere(testDatabase());
    await target.db.query('SELECT 1');
    const ran = await target.hatif(['restore', '--replace', archive]);
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.contain('is running');
  });

  it('overwrite no file unless told so, and say where there is no folder', async () => {
    const before = await readFile(archive);
    const refused = await source.hatif(['backup', archive]);
    expect(refused.code).to.equal(2);
    expect(refused.stderr).to.contain('--force');
    expect((await source.hatif(['backup', join(folder, 'missing/one.tar.gz')])).stderr).to.contain('does not exist');
    expect((await readFile(archive)).equals(before)).to.equal(true);
    expect((await source.hatif(['backup', '--force', join(folder, 'two.tar.gz')])).code).to.equal(0);
  });

  it('say so when there is nothing to back up', async () => {
    const nothing = await elsewhere();
    const ran = await nothing.hatif(['backup', join(folder, 'nothing.tar.gz')]);
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.contain('the database is empty');
    expect(await readdir(folder)).not.to.include('nothing.tar.gz');
  });

  describe('refuse and change nothing:', () => {
    const changed = (name: RegExp, change: (content: Buffer) => Buffer | null) => (file: string) =>
      rewrite(archive, file, (member, content) => (name.test(member) ? change(content) : content));
    const manifest = (change: object) =>
      changed(/^manifest/, (content) =>
        Buffer.from(JSON.stringify({ ...(JSON.parse(content.toString()) as object), ...change })),
      );
    const copied = async (file: string): Promise<void> => writeFile(file, await readFile(archive));

    const faults: readonly (readonly [string, (file: string) => Promise<void>, RegExp])[] = [
      ['no file', () => Promise.resolve(), /cannot be read/],
      ['an empty file', (file) => writeFile(file, ''), /no sound backup/],
      ['any other file', (file) => writeFile(file, randomBytes(10_000)), /no sound backup/],
      [
        'any other archive',
        (file) => rewrite(archive, file, (name, content) => (name === 'manifest.json' ? null : content)),
        /no sound backup/,
      ],
      [
        'one that was cut in half',
        async (file) => (await copied(file), truncate(file, Math.floor((await stat(file)).size / 2))),
        /damaged or cut off/,
      ],
      [
        'one without its last bytes',
        async (file) => (await copied(file), truncate(file, (await stat(file)).size - 9)),
        /damaged or cut off/,
      ],
      [
        'one of which a byte is wrong',
        async (file) => {
          const bytes = await readFile(archive);
          bytes[Math.floor(bytes.length / 2)]! ^= 0x10;
          await writeFile(file, bytes);
        },
        /no sound backup/,
      ],
      [
        'one whose rows were changed',
        changed(/^database\/projects/, (content) => Buffer.from(content.toString().replace('Test', 'Best'))),
        /projects\/000001" was changed/,
      ],
      [
        'one whose rows are no rows',
        changed(/^database\/projects/, () => Buffer.from('nonsense\n')),
        /is no sound backup/,
      ],
      ['one of which a table is missing', changed(/^database\/legs/, () => null), /no sound backup/],
      [
        'one of which a file is missing',
        changed(/^recordings\/2026/, () => null),
        /"recordings\/2026\/11\/a\.wav" is missing/,
      ],
      ['one without its end', changed(/^checksums/, () => null), /its end is missing/],
      [
        'one that leads out of its folder',
        (file) => rewrite(archive, file, (_, content) => content, { 'uploads/../../evil': 'x' }),
        /does not belong/,
      ],
      [
        'one that brings what is not asked for',
        (file) => rewrite(archive, file, (_, content) => content, { 'etc/passwd': 'x' }),
        /does not belong/,
      ],
      [
        'one with another secret',
        changed(/^secret$/, () => Buffer.from('x'.repeat(64))),
        /not the one that its data was sealed with/,
      ],
      [
        'one of a newer Hatif',
        manifest({ hatif: '9.0.0', migrations: [...migrations.map(({ name }) => name), '9999-later'] }),
        /newer Hatif \(9\.0\.0: 9999-later\)/,
      ],
      ['one of a newer format', manifest({ format: 2 }), /format 2/],
    ];
    for (const [name, make, words] of faults) {
      it(name, async () => {
        const file = join(folder, `fault-${newId()}.tar.gz`);
        await make(file);
        const target = await elsewhere(testDatabase());
        await openCipher(readSettings({ HATIF_DATA_DIR: target.dataDir }));
        await withDatabase(target.database.url, (db) => groundIn(db));
        const [rows, files] = [await target.rows(), await target.files()];
        const ran = await target.hatif(['restore', '--replace', file]);
        expect(ran.code).to.equal(1);
        expect(ran.stderr).to.match(words);
        expect(await target.rows()).to.deep.equal(rows);
        expect(await target.files()).to.deep.equal(files);
      });
    }
  });
});
