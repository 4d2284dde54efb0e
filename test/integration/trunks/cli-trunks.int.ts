import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { readSettings } from '../../../config/read-settings.js';
import { systemClock } from '../../../core/ports/clock.js';
import { TrunkService } from '../../../core/services/trunks/trunks.js';
import { TrunkStates } from '../../../core/data/repositories/engines/trunk-states.js';
import { applyTrunkSetting } from '../../../main/wiring/settings-trunk.js';
import { HatifCommand, SECRET } from '../../support/command.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { groundIn } from '../../support/rows/rows.js';

describe('hatif trunks', () => {
  let database: TestDatabase;
  let command: HatifCommand;

  before(async () => {
    database = await testDatabase();
    await groundIn(database.db);
    command = await HatifCommand.over(database.url);
    await command.json('trunks', 'add', 'alpha', 'sip:192.0.2.1', '--no-probe');
    await command.json('trunks', 'add', 'beta', 'sip:192.0.2.2', '--no-probe', '--no-foreign');
  });
  after(async () => {
    await command.close();
    await database.close();
  });

  async function csv(...lines: string[]): Promise<string> {
    const file = join(command.dataDir, `rates-${Math.random()}.csv`);
    await writeFile(file, ['prefix,per_minute_sar', ...lines].join('\r\n'));
    return file;
  }

  it('changes what is named, and shows no password', async () => {
    const set = await command.run(
      ['trunks', 'set', 'alpha', '--username', 'acme', '--register', '--capacity', '30', '--caller-id', '0112345678'],
      { input: 's3cret' },
    );
    expect(set, set.stderr).to.include({ code: 0, stdout: 'Changed alpha.\n' });
    const { stdout } = await command.run(['trunks', 'show', 'alpha']);
    expect(stdout)
      .to.match(/Registers +yes/)
      .and.to.match(/Calls at once +30/)
      .and.not.contain('s3cret');
    expect(stdout)
      .to.match(/Caller ID +\+966112345678/)
      .and.to.match(/P-Asserted-Identity +caller/);
    const [alpha] = await new Trunks(database.db).list();
    expect(new Cipher(SECRET).open(alpha!.password!)).to.equal('s3cret');
    expect(alpha).to.include({ caller_id: 'fixed', foreign_numbers: true, probed: false, is_default: true });

    expect((await command.run(['trunks', 'set', 'alpha', '--off'])).stdout).to.equal('Changed alpha. It is off.\n');
    expect((await command.run(['trunks', 'list'])).stdout).to.match(/^alpha .* off$/m);
    await command.run(['trunks', 'set', 'alpha', '--on']);
    const refused = await command.run(['trunks', 'set', 'alpha', '--no-credentials']);
    expect(refused.stderr).to.contain('registers: needs a user name and a password');
    expect((await command.run(['trunks', 'set', 'alpha', '--on', '--off'])).code).to.not.equal(0);
  });

  it('imports rates, or lists every bad line and changes nothing', async () => {
    const good = await csv('+9665,0.045', '966,0.1');
    expect((await command.run(['trunks', 'rates', 'import', 'alpha', good, '--dry-run'])).stdout).to.contain('2 rates');
    expect(await command.json('trunks', 'rates', 'list', 'alpha')).to.deep.equal([]);
    expect(await command.json('trunks', 'rates', 'import', 'alpha', good)).to.deep.equal({ trunk: 'alpha', rates: 2 });
    const bad = await csv('44,1', '05x,1', '45,free', '+44,2', '46,-1', '');
    const refused = await command.run(['trunks', 'rates', 'import', 'alpha', bad]);
    expect(refused.code).to.equal(1);
    for (const line of [
      'line 3: prefix',
      'line 4: per_minute_sar',
      'line 5: has the same prefix as line 2',
      'line 6: per',
    ]) {
      expect(refused.stderr).to.contain(line);
    }
    expect((await command.run(['trunks', 'rates', 'list', 'alpha'])).stdout).to.equal(
      'PREFIX  SAR/MIN\n+966    0.1\n+9665   0.045\n',
    );
    expect((await command.run(['trunks', 'rates', 'import', 'nothing', good])).stderr).to.contain('nothing');
  });

  it('manages routes', async () => {
    const { id } = (await command.json('trunks', 'routes', 'add', 'alpha', '--prefix', '9665', '--cost', '0.05')) as {
      id: string;
    };
    await command.json('trunks', 'routes', 'add', 'beta', '--organization', 'Test', '--from', '22:00', '--to', '06:00');
    const { stdout } = await command.run(['trunks', 'routes', 'list']);
    expect(stdout.split('\n')[1]).to.match(/ Test +\+ +beta +100 +by rates +1 +daily 22:00-06:00 Asia\/Riyadh$/);
    expect(stdout.split('\n')[2]).to.match(/ all +\+9665 +alpha +100 +0\.05 +1 +-$/);
    expect((await command.run(['trunks', 'remove', 'alpha'])).stderr).to.contain(`routes: ${id}`);
    expect((await command.run(['trunks', 'routes', 'remove', id])).code).to.equal(0);
    expect((await command.run(['trunks', 'routes', 'remove', id])).stderr).to.contain('no route');
  });

  it('shows figures, and the attempts of a call', async () => {
    expect((await command.run(['trunks', 'stats'])).stdout).to.match(/^alpha +0 of 30 +0 +0 +0 +0 +- +- +- +-$/m);
    expect((await command.run(['trunks', 'attempts', 'nothing'])).stdout).to.contain('no number through a trunk');
  });

  const audited = (): Promise<{ route: string; path: string; details: object }[]> =>
    database.db.query(`SELECT route, path, details FROM audit_log WHERE method = 'CLI' ORDER BY id`);

  it('leaves each change in the audit log, without passwords', async () => {
    await command.json('trunks', 'add', 'gamma', 'sip:192.0.2.3');
    await command.json('trunks', 'remove', 'gamma');
    const rows = await audited();
    const changes = ['add', 'set', 'remove', 'routes add', 'routes remove', 'rates import'];
    expect(new Set(rows.map(({ route }) => route))).to.deep.equal(new Set(changes.map((one) => `hatif trunks ${one}`)));
    const set = rows.find(({ route }) => route === 'hatif trunks set');
    expect(set?.path).to.equal('/v1/admin/trunks/alpha');
    expect(set?.details).to.include({ name: 'alpha', credentials: 'set', registers: true, capacity: 30 });
    const imported = rows.filter(({ route }) => route === 'hatif trunks rates import');
    expect(imported, 'neither a dry run nor a refused file').to.have.length(1);
    expect(imported[0]?.details).to.deep.equal({ rates: 2 });
    expect(JSON.stringify(rows)).to.not.contain('s3cret');
  });

  it('keeps what the settings do not say of their trunk', async () => {
    const service = new TrunkService({
      ...{ trunks: new Trunks(database.db), states: new TrunkStates(database.db), cipher: new Cipher(SECRET) },
      ...{ clock: systemClock, announce: () => Promise.resolve() },
    });
    const apply = (more: Record<string, string>): Promise<void> =>
      applyTrunkSetting(readSettings({ DATABASE_URL: database.url, ...more }), service);
    const ofSettings = async () => (await service.list()).find(({ name }) => name === 'SIP_TRUNK_URI');
    await apply({ SIP_TRUNK_URI: 'sip:192.0.2.9', SIP_TRUNK_USERNAME: 'acme', SIP_TRUNK_PASSWORD: 'secret' });
    const first = await ofSettings();
    expect(first).to.include({ host: '192.0.2.9', username: 'acme', is_default: true });
    await service.change('SIP_TRUNK_URI', { capacity: 5, registers: true });
    await command.json('trunks', 'routes', 'add', 'SIP_TRUNK_URI');
    await apply({ SIP_TRUNK_URI: 'sip:192.0.2.8' });
    expect(await ofSettings()).to.include({
      id: first?.id,
      host: '192.0.2.8',
      username: null,
      capacity: 5,
      registers: false,
    });
    await apply({});
    expect(await ofSettings()).to.equal(undefined);
    const made = (await audited()).filter(({ path }) => path.endsWith('/SIP_TRUNK_URI'));
    expect(
      made.map(({ details }) => details),
      'the settings are no command',
    ).to.deep.equal([{ name: 'SIP_TRUNK_URI', capacity: 5, registers: true }]);
  });
});
