import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { PortingRequestRow } from '../../../core/data/rows.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { HatifCommand } from '../../support/command.js';
import { numberStage, type NumberStage } from '../../support/stages/number-stage.js';
import { groundIn, type Ground } from '../../support/rows/rows.js';

const PDF = Buffer.from('%PDF-1.4\ntrailer<<>>\n%%EOF\n');

describe('hatif numbers import, porting and own-numbers', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let ground: Ground;
  let stage: NumberStage;
  let command: HatifCommand;
  let folder: string;

  before(async () => {
    database = await testDatabase();
    ground = await groundIn(database.db);
    folder = await mkdtemp(join(tmpdir(), 'hatif-cli-numbers-'));
    stage = numberStage(database.url, { RECORDING_DIR: join(folder, 'kept') });
    command = await HatifCommand.over(database.url, { RECORDING_DIR: join(folder, 'kept') });
  });
  after(async () => {
    await stage.close();
    await command.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const hatif = (...args: string[]): ReturnType<HatifCommand['run']> => command.run(args);
  const fileOf = async (...lines: string[]): Promise<string> => {
    const file = join(folder, 'numbers.csv');
    await writeFile(file, lines.join('\r\n'));
    return file;
  };
  const available = async (): Promise<string[]> =>
    (await stage.manage.available({ prefix: '+96613', kind: null, pattern: null }, 100)).map(({ e164 }) => e164);
  const owner = () => ({ projectId: ground.projectId, organizationId: ground.organizationId, sandbox: false });

  describe('import', () => {
    it('changes nothing if a line is invalid, and names each invalid line', async () => {
      const file = await fileOf('number,type', '0135550001', '12', '0135550002,mobile', '0135550001');
      const { code, stderr } = await hatif('numbers', 'import', file);
      expect(code).to.equal(1);
      expect(stderr).to.contain('line 3: 12 is not a phone number');
      expect(stderr).to.contain('line 4: +966135550002 is geographic, not mobile');
      expect(stderr).to.contain('line 5: +966135550001 is already in line 2');
      expect(await available()).to.deep.equal([]);
    });

    it('only reports what would change in a dry run', async () => {
      const file = await fileOf('number', '0135550001', '+966135550010-+966135550019');
      const { code, stdout } = await hatif('numbers', 'import', file, '--dry-run');
      expect([code, stdout]).to.deep.equal([
        0,
        '11 numbers would be added, 0 already known, 0 lines skipped. Nothing was changed.\n',
      ]);
      expect(await available()).to.deep.equal([]);
    });

    it('adds the valid numbers once each with --skip-invalid', async () => {
      const file = await fileOf('number,type', '0135550001,geographic', 'x', '+966135550010-+966135550012');
      expect(await command.json('numbers', 'import', file, '--skip-invalid')).to.deep.equal({
        numbers: 4,
        added: 4,
        known: 0,
        faults: [{ line: 3, message: 'x is not a phone number' }],
        dry_run: false,
      });
      expect(await available()).to.deep.equal(['+966135550001', '+966135550010', '+966135550011', '+966135550012']);
      const ordered = await stage.order.order({ e164: '+966135550001' }, owner());
      const again = await hatif('numbers', 'import', file, '--skip-invalid');
      expect(again.stdout).to.equal('0 numbers added, 4 already known, 1 lines skipped.\n');
      expect((await stage.stores.inventory.find(ordered.e164))?.state).to.equal('assigned');
      const { stdout } = await hatif('numbers', 'history', ordered.e164);
      expect(stdout).to.match(/available\s+imported\n.*reserved\s+ordered.*\n.*assigned\s+ordered/);
      expect((await hatif('numbers', 'history', '+966135559999')).code).to.equal(1);
    });

    it('imports thousands of numbers', async () => {
      const file = await fileOf('number', '+966135560000-+966135562999');
      expect((await hatif('numbers', 'import', file)).stdout).to.contain('3000 numbers added');
    });

    it('reports errors of the file', async () => {
      expect((await hatif('numbers', 'import', join(folder, 'nowhere.csv'))).stderr).to.contain('cannot be read');
      const { stderr } = await hatif('numbers', 'import', await fileOf('phone', '0135550001'));
      expect(stderr).to.contain('unknown columns phone');
    });
  });

  it('moves porting requests through their steps', async () => {
    const details = {
      ...{ numbers: ['+966135570001'], carrier: 'Other', account_name: 'Reem', account_number: null },
      ...{ notes: null, wanted_at: null },
    };
    const { id } = await stage.porting.create(details, owner());
    await stage.porting.addDocument(owner(), id, 'authorization', { bytes: PDF, name: 'letter.pdf' });
    expect((await hatif('porting', 'review', id)).stderr).to.contain('its status is draft');
    await stage.porting.submit(owner(), id);
    const listed = (await command.json('porting', 'list', '--status', 'submitted')) as PortingRequestRow[];
    expect(listed.map((row) => row.id)).to.deep.equal([id]);
    expect((await hatif('porting', 'list', '--status', 'lost')).code).to.equal(2);
    const shown = (await hatif('porting', 'show', id)).stdout;
    expect(shown).to.contain('letter.pdf').and.to.contain('submitted by customer');
    const { documents } = (await command.json('porting', 'show', id)) as { documents: { id: string }[] };
    const file = join(folder, 'letter.pdf');
    expect((await hatif('porting', 'document', id, String(documents[0]?.id), file)).code).to.equal(0);
    expect(await readFile(file)).to.deep.equal(PDF);
    expect((await hatif('porting', 'review', id)).stdout).to.equal('The request is in_review.\n');
    expect((await hatif('porting', 'schedule', id, '--at', 'soon')).code).to.equal(2);
    await hatif('porting', 'schedule', id, '--at', '2027-01-02T09:00:00+03:00');
    expect((await hatif('porting', 'complete', id)).stdout).to.equal('The request is completed.\n');
    expect((await stage.stores.inventory.find('+966135570001'))?.state).to.equal('assigned');
    expect((await hatif('porting', 'reject', id, '--reason', 'late')).stderr).to.contain('its status is completed');
    expect((await hatif('porting', 'show', 'nothing')).code).to.equal(1);
  });

  it('approves or rejects claims by letter', async () => {
    const claim = async (e164: string): Promise<string> => {
      const id = (await database.db.query<{ id: string }>(
        `INSERT INTO own_number_claims (id, organization_id, project_id, e164, method, status, expires_at, created_at)
         VALUES (uuid_v7(), $1, $2, $3, 'letter', 'pending', now() + interval '1 day', now()) RETURNING id`,
        [ground.organizationId, ground.projectId, e164],
      )) as [{ id: string }];
      return id[0].id;
    };
    const [one, other] = [await claim('+966135580001'), await claim('+966135580002')];
    expect((await hatif('own-numbers', 'list')).stdout)
      .to.contain('+966135580001')
      .and.to.contain(other);
    expect((await hatif('own-numbers', 'show', one)).stdout).to.contain('There is no document');
    expect((await hatif('own-numbers', 'approve', one)).stdout).to.contain('+966135580001 belongs to the customer');
    expect((await hatif('own-numbers', 'reject', other, '--reason', 'unsigned')).code).to.equal(0);
    expect((await stage.stores.inventory.find('+966135580001'))?.source).to.equal('own');
    expect((await hatif('own-numbers', 'approve', other)).code).to.equal(1);
    expect((await hatif('own-numbers', 'list')).stdout).to.contain('There is no pending claim.');
  });
});
