import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { migrateOn, migrateUp, lockSchema } from '../../../core/data/schema/migrate.js';
import { migrations } from '../../../core/data/migrations/index.js';
import { Engines } from '../../../core/data/repositories/engines/engines.js';
import { newId } from '../../../core/model/ids.js';
import { fill, PASSWORD, withBackup, type BackupStage } from '../../support/stages/backup-stage.js';
import { emptyDatabase, testDatabase } from '../../support/platform/database.js';
import { withDatabase } from '../../support/platform/installation.js';
import { groundIn, insertRows } from '../../support/rows/rows.js';

describe('backup and restore', function () {
  this.timeout(60_000);
  let stage: BackupStage;
  withBackup((made) => (stage = made));

  it('restore every row, every file that a row refers to, and the secret', async () => {
    const target = await stage.elsewhere();
    const ran = await target.hatif(['--json', 'restore', stage.archive]);
    expect(ran.code, ran.stderr).to.equal(0);
    const [before, after] = await Promise.all([stage.source.rows(), target.rows()]);
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
    const { '/media/uploads/nobodys.wav': unreferenced, ...files } = await stage.source.files();
    expect(unreferenced).to.be.a('string');
    expect(await target.files()).to.deep.equal(files);
    const cipher = await target.cipher();
    expect(cipher.open(stage.sealed)).to.equal(PASSWORD);
    for (const name of ['secret', 'bootstrap.json']) {
      expect((await stat(join(target.dataDir, name))).mode & 0o777, name).to.equal(0o600);
    }
    expect((await stat(join(target.dataDir, `media/uploads/${stage.audioId}.wav`))).mode & 0o777).to.equal(0o644);
    expect(ran.progress.at(-1)).to.equal(1);
  });

  it('write a file that only its owner can read, and warn about the secret', async () => {
    expect((await stat(stage.archive)).mode & 0o777).to.equal(0o600);
    const file = join(stage.folder, 'two.tar.gz');
    const { stdout, stderr, progress } = await stage.source.hatif(['backup', file]);
    expect(stdout).to.match(/Wrote .*two\.tar\.gz: \d+ rows of \d+ tables, 5 files, \d+\.\d MiB/);
    expect(stderr).to.contain('secret');
    expect(progress.at(-1)).to.equal(1);
    expect(progress).to.deep.equal([...progress].sort((a, b) => a - b));
    expect((await readdir(stage.folder)).filter((name) => name.includes('partial'))).to.deep.equal([]);
  });

  it('leave engines without an owner, and fence off the previous one', async () => {
    const target = await stage.elsewhere();
    await target.hatif(['restore', stage.archive]);
    await withDatabase(target.database.url, async (db) => {
      const engines = new Engines(db);
      const engine = await engines.get(stage.ground.engineId);
      expect(engine).to.include({ owner: null, lease_expires_at: null, status: 'unreachable', epoch: 3 });
      const condition = { status: 'up', bootId: null, version: null, sip: null } as const;
      expect(await engines.renew(stage.ground.engineId, 'host:1:abc', 2, 1000, condition)).to.equal(false);
      expect(await engines.acquire(stage.ground.engineId, 'next', 1000)).to.equal(4);
    });
  });

  it('contain a consistent snapshot, whatever is written meanwhile', async () => {
    const busy = await stage.elsewhere(testDatabase());
    await busy.cipher();
    const there = await groundIn(busy.db);
    await fill(busy.db, there, 20);
    const known = await busy.rows();
    const file = join(stage.folder, 'busy.tar.gz');
    const ran = await busy.hatif(['backup', file], {}, () => fill(busy.db, there, 3));
    expect(ran.code, ran.stderr).to.equal(0);
    expect((await busy.rows()).calls).to.have.length.above(20);
    const target = await stage.elsewhere();
    expect((await target.hatif(['restore', file])).code).to.equal(0);
    const { engines: _, migrations: __, ...restored } = await target.rows();
    const { engines: ___, migrations: ____, ...expected } = known;
    expect(restored).to.deep.equal(expected);
  });

  it('migrate an older schema', async () => {
    const old = await stage.elsewhere(emptyDatabase());
    await old.cipher();
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
    const file = join(stage.folder, 'old.tar.gz');
    expect((await old.hatif(['backup', file])).code).to.equal(0);
    const target = await stage.elsewhere();
    const ran = await target.hatif(['--json', 'restore', file]);
    expect(ran.code, ran.stderr).to.equal(0);
    expect(JSON.parse(ran.stdout)).to.deep.include({ migrated: newer });
    expect(JSON.parse((await target.rows()).agents![0]!)).to.include({ id: agent.id, may_call_out: true });
    expect(await migrateUp(target.database.url)).to.deep.equal([]);
  });

  it('replace an installation only with --replace', async () => {
    const target = await stage.elsewhere(testDatabase());
    await target.cipher();
    await withDatabase(target.database.url, (db) => groundIn(db));
    const before = await target.rows();
    const refused = await target.hatif(['restore', stage.archive]);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.contain('already an installation').and.contain('--replace');
    expect(await target.rows()).to.deep.equal(before);
    await mkdir(join(target.dataDir, 'journal'));
    await writeFile(join(target.dataDir, 'journal/waits'), 'for the replaced database');
    const ran = await target.hatif(['restore', '--replace', stage.archive]);
    expect(ran.code, ran.stderr).to.equal(0);
    expect(await target.files()).not.to.have.property('/journal/waits');
    expect((await target.rows()).organizations).to.deep.equal((await stage.source.rows()).organizations);
    const cipher = await target.cipher();
    expect(cipher.open(stage.sealed)).to.equal(PASSWORD);
  });

  it('omit a secret of the settings from the archive, and require the same secret to restore', async () => {
    const [own, other] = ['the secret of one installation, long', 'the secret of another, as long as it'];
    const file = join(stage.folder, 'setting.tar.gz');
    expect((await stage.source.hatif(['backup', file], { HATIF_SECRET: own })).stderr).to.contain('HATIF_SECRET');
    const target = await stage.elsewhere();
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

  it('reject a database that a running platform uses', async () => {
    const target = await stage.elsewhere(testDatabase());
    await target.db.query('SELECT 1');
    const ran = await target.hatif(['restore', '--replace', stage.archive]);
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.contain('is running');
  });

  it('overwrite a file only with --force, and report a missing folder', async () => {
    const before = await readFile(stage.archive);
    const refused = await stage.source.hatif(['backup', stage.archive]);
    expect(refused.code).to.equal(2);
    expect(refused.stderr).to.contain('--force');
    expect((await stage.source.hatif(['backup', join(stage.folder, 'missing/one.tar.gz')])).stderr).to.contain(
      'does not exist',
    );
    expect((await readFile(stage.archive)).equals(before)).to.equal(true);
    expect((await stage.source.hatif(['backup', '--force', join(stage.folder, 'two.tar.gz')])).code).to.equal(0);
  });

  it('report that there is nothing to back up', async () => {
    const nothing = await stage.elsewhere();
    const ran = await nothing.hatif(['backup', join(stage.folder, 'nothing.tar.gz')]);
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.contain('the database is empty');
    expect(await readdir(stage.folder)).not.to.include('nothing.tar.gz');
  });
});
