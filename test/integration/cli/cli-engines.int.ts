import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { CallWriter } from '../../../core/data/call-writer.js';
import { Engines } from '../../../core/data/repositories/engines/engines.js';
import { TrunkStates } from '../../../core/data/repositories/engines/trunk-states.js';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import { engineSecret } from '../../../core/services/engines/manage.js';
import { newId } from '../../../core/model/ids.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { commandForAll, SECRET, type HatifCommand } from '../../support/command.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { callRow, effectOf, groundIn } from '../../support/rows/rows.js';

const fixture = (name: string): string => join(import.meta.dirname, '../../support/fixtures', name);

describe('hatif trunks and engines', () => {
  let database: TestDatabase;
  let command: HatifCommand;
  const { hatif, hatifProcess, json } = commandForAll((...opened) => ([command, database] = opened));

  it('adds trunks with their password from standard input, the first as default, and removes them', async () => {
    const added = await hatifProcess(['trunks', 'add', 'carrier', 'sip:198.51.100.7', '--username', 'acme'], {
      input: 's3cret\n',
    });
    expect(added.code, added.stderr).to.equal(0);
    const trunks = new Trunks(database.db);
    const [carrier] = await trunks.list();
    expect(carrier).to.deep.include({
      host: '198.51.100.7',
      port: 5060,
      transport: 'udp',
      inbound_addresses: ['198.51.100.7:5060'],
      is_default: true,
      username: 'acme',
    });
    expect(new Cipher(SECRET).open(carrier!.password!)).to.equal('s3cret');

    expect(
      await json('trunks', 'add', 'second', 'sips:pbx.example', '--inbound', '10.0.0.0/8', '--default'),
    ).to.deep.include({
      port: 5061,
      transport: 'tls',
      inbound_addresses: ['10.0.0.0/8'],
      is_default: true,
    });
    expect((await trunks.list()).filter(({ is_default }) => is_default).map(({ name }) => name)).to.deep.equal([
      'second',
    ]);
    const listed = await hatif(['trunks', 'list']);
    expect(listed.stdout).to.contain('carrier').and.to.contain('second').and.not.to.contain('s3cret');

    expect(await json('trunks', 'add', 'silent', 'sip:198.51.100.9', '--no-probe')).to.include({ probed: false });
    expect((await hatif(['trunks', 'list'])).stdout)
      .to.match(/carrier .* unknown\n/)
      .and.match(/silent .* not probed\n?/);
    await groundIn(database.db);
    const [engine] = await new Engines(database.db).list();
    await database.db.query(
      `UPDATE engines SET owner = 'me', status = 'up', lease_expires_at = now() + interval '1 hour' WHERE id = $1`,
      [engine!.id],
    );
    const silent = (await trunks.list()).find(({ name }) => name === 'silent');
    const states = new TrunkStates(database.db);
    const at = new Date('2026-11-23T10:00:00Z');
    await states.replace(
      engine!.id,
      new Map([
        [carrier!.id, 'up'],
        [newId(), 'up'],
      ]),
      at,
    );
    expect((await hatif(['trunks', 'list'])).stdout).to.match(/carrier .* up\n/);
    await states.replace(
      engine!.id,
      new Map([
        [carrier!.id, 'down'],
        [silent!.id, 'down'],
      ]),
      new Date(),
    );
    const found = (await json('trunks', 'list')) as { name: string; state: string; engines: { engine: string }[] }[];
    expect(found.map(({ name, state }) => `${name} ${state}`)).to.have.members([
      ...['carrier down', 'second unknown', 'silent not_probed'],
    ]);
    expect(found.find(({ name }) => name === 'carrier')?.engines).to.have.length(1);
    await database.db.query(`UPDATE engines SET lease_expires_at = now() - interval '1 second'`);
    expect((await hatif(['trunks', 'list'])).stdout, 'nobody reaches the engine').to.match(/carrier .* unknown\n/);
    await database.db.query('DELETE FROM engines');
    expect((await hatif(['trunks', 'remove', 'silent'])).code).to.equal(0);

    expect((await hatif(['trunks', 'add', 'second', 'sip:x.example'])).stderr).to.contain('second already exists');
    expect((await hatif(['trunks', 'remove', 'second'])).code).to.equal(0);
    expect((await hatif(['trunks', 'remove', 'second'])).code).to.equal(1);
  });

  it('adds engines with their password from standard input, drains them, and removes them once idle', async () => {
    const add = [
      'engines',
      'add',
      'second',
      'http://198.51.100.9:8088/ari',
      '--sip',
      '198.51.100.9',
      '--max-calls',
      '50',
    ];
    const added = await hatif(add, { input: 's3cret' });
    expect(added.code, added.stderr).to.equal(0);
    const engines = new Engines(database.db);
    const [row] = await engines.list();
    expect(row).to.deep.include({
      name: 'second',
      kind: 'asterisk',
      managed: true,
      address: { url: 'http://198.51.100.9:8088', user: 'hatif' },
      sip_host: '198.51.100.9',
      sip_port: 5060,
      weight: 1,
      max_calls: 50,
    });
    expect(new Cipher(SECRET).open(row!.password!)).to.equal('s3cret');
    expect((await hatif(['engines', 'list'])).stdout).to.match(
      /second +asterisk +no owner +198\.51\.100\.9:5060 +0 +50 +1/,
    );
    expect(await json('engines', 'list')).not.to.have.nested.property('[0].password');
    expect((await hatif(add, { input: 'x' })).stderr).to.contain('second already exists');

    await engines.acquire(row!.id, 'host:1:x', 60_000);
    await engines.renew(row!.id, 'host:1:x', 1, 60_000, { status: 'up', sip: 'up', bootId: 'b', version: '22' });
    expect((await hatif(['engines', 'list'])).stdout).to.match(/second .* up .* host:1\n/);
    expect(await json('engines', 'drain', 'second')).to.deep.equal({ name: 'second', draining: true, live_calls: 0 });
    expect((await hatif(['engines', 'list'])).stdout).to.contain(' draining ');
    expect((await hatif(['engines', 'resume', 'second'])).code).to.equal(0);
    expect(await json('engines', 'list')).to.have.nested.property('[0].takes_calls', true);

    const ground = await groundIn(database.db);
    const writer = new CallWriter(database.db);
    const live = callRow(ground, { engine_id: row!.id });
    await writer.commit(effectOf(live));
    const busy = await hatif(['engines', 'remove', 'second']);
    expect([busy.code, busy.stderr]).to.deep.include(1);
    expect(busy.stderr).to.match(/still has calls[^]*Drain it first/);
    await writer.commit(effectOf({ ...live, status: 'failed', last_sequence: 2 }));
    expect((await hatif(['engines', 'remove', 'second'])).code).to.equal(0);
    expect((await hatif(['engines', 'remove', 'second'])).code).to.equal(1);
    expect((await hatif(add, { input: 'new' })).code, 'added again').to.equal(0);
    expect(await engines.get(row!.id)).to.include({ removed_at: null, draining: false });
  });

  it('adds a FreeSWITCH, and prints the secret of its requests', async () => {
    const add = [
      'engines',
      'add',
      'pbx',
      '198.51.100.9',
      '--kind',
      'freeswitch',
      '--recordings',
      '/rec',
      '--details',
      '/ends',
    ];
    const added = await hatif(add, { input: 'esl-s3cret' });
    expect(added.code, added.stderr).to.equal(0);
    const secret = engineSecret(new Cipher(SECRET), 'pbx');
    expect(added.stdout).to.contain(`pbx:${secret}`).and.not.to.contain('esl-s3cret');
    expect(await json('engines', 'secret', 'pbx')).to.deep.equal({ name: 'pbx', secret });
    const engines = new Engines(database.db);
    const row = (await engines.list()).find(({ name }) => name === 'pbx');
    expect(row).to.deep.include({
      kind: 'freeswitch',
      address: { host: '198.51.100.9', port: 8021, recordings: '/rec', details: '/ends' },
    });
    expect(new Cipher(SECRET).open(row!.password!)).to.equal('esl-s3cret');
    expect((await hatif(['engines', 'list'])).stdout).to.match(/pbx +freeswitch +no owner/);
    expect((await hatif(['engines', 'secret', 'second'])).stderr).to.contain('no FreeSWITCH second');
    expect((await hatif(['engines', 'remove', 'pbx'])).code).to.equal(0);
    expect((await hatif(['engines', 'secret', 'pbx'])).code).to.equal(1);
  });

  it('does not remove an engine that the settings of a running process name', async () => {
    const engines = new Engines(database.db);
    const { id } = await engines.upsert('asterisk', 'asterisk');
    await engines.acquire(id, 'host:1:x', 60_000);
    expect((await hatif(['engines', 'remove', 'asterisk'])).stderr).to.contain('settings');
    await engines.release(id, 'host:1:x', 1);
    expect((await hatif(['engines', 'remove', 'asterisk'])).code).to.equal(0);
  });

  for (const [what, args, words] of [
    ['an invalid address', ['bad', 'asterisk:8088'], /address/],
    ['an unknown kind', ['bad', 'http://a:8088', '--kind', 'pbx'], /kind/],
    ['an invalid weight', ['bad', 'http://a:8088', '--weight', '0'], /weight/],
    ['an invalid limit', ['bad', 'http://a:8088', '--max-calls', '0'], /max_calls/],
    ['an invalid SIP address', ['bad', 'http://a:8088', '--sip', 'a:b'], /sip/],
    ['a reserved name', ['sandbox', 'http://a:8088'], /name/],
    ['an HTTP address for a FreeSWITCH', ['bad', 'http://a:8088', '--kind', 'freeswitch'], /address/],
    ['a relative folder', ['bad', 'a', '--kind', 'freeswitch', '--recordings', 'rec'], /recordings/],
    ['a folder with a space', ['bad', 'a', '--kind', 'freeswitch', '--recordings', '/a b'], /recordings/],
    ['a folder of recordings for an Asterisk', ['bad', 'http://a:8088', '--recordings', '/rec'], /recordings/],
    ['a relative path of call records', ['bad', 'http://a:8088', '--details', 'cel.csv'], /details/],
  ] as const) {
    it(`rejects an engine with ${what}`, async () => {
      const { code, stderr } = await hatif(['engines', 'add', ...args], { input: 'x' });
      expect(code).to.equal(1);
      expect(stderr).to.match(words);
    });
  }

  it('rejects a limit that is no number as wrong usage', async () => {
    const args = ['engines', 'add', 'bad', 'http://a:8088', '--max-calls', 'many'];
    const { code, stderr } = await hatif(args, { input: 'x' });
    expect(code).to.equal(2);
    expect(stderr).to.contain('--max-calls');
  });

  it('writes the configuration of an external Asterisk, and restricts access to the password', async () => {
    const folder = join(command.dataDir, 'asterisk');
    const env = { ASTERISK_ARI_URL: 'http://127.0.0.1:8088', ASTERISK_ARI_PASSWORD: 'ari-s3cret', SIP_PORT: '5070' };
    const { code, stderr } = await hatif(['asterisk-config', folder, '--ari-port', '8089'], { env });
    expect(code, stderr).to.equal(0);
    expect(await readFile(join(folder, 'ari.conf'), 'utf8')).to.contain('password = ari-s3cret');
    expect(await readFile(join(folder, 'http.conf'), 'utf8')).to.match(/bindaddr = 127\.0\.0\.1\nbindport = 8089/);
    expect(await readFile(join(folder, 'pjsip.conf'), 'utf8')).to.contain('127.0.0.1:5070');
    expect((await stat(join(folder, 'ari.conf'))).mode & 0o777).to.equal(0o640);
  });

  it('writes the configuration of an external FreeSWITCH', async () => {
    const folder = join(command.dataDir, 'freeswitch');
    const env = {
      SIP_PORT: '5070',
      CODECS: 'opus,alaw',
      EMERGENCY_NUMBERS: '112',
      MAX_CALLS: '7',
      PORT: '8123',
      SIP_SESSION_EXPIRES_SECONDS: '600',
      HEP_ADDRESS: '192.0.2.7',
      SIP_TLS_CERT: fixture('self-signed.pem'),
      SIP_TLS_KEY: fixture('self-signed-key.pem'),
    };
    const write = ['freeswitch-config', folder, '--name', 'pbx', '--esl-allow', '10.0.0.0/24'];
    const { code, stderr, stdout } = await hatif(write, { env, input: 'esl-s3cret' });
    expect(code, stderr).to.equal(0);
    expect(stdout).not.to.contain('s3cret');
    const file = join(folder, 'freeswitch.xml');
    const text = await readFile(file, 'utf8');
    for (const part of [
      '"sip-port" value="5070"',
      '"password" value="esl-s3cret"',
      '"apply-inbound-acl" value="127.0.0.0/8,10.0.0.0/24"',
      `"gateway-credentials" value="pbx:${engineSecret(new Cipher(SECRET), 'pbx')}"`,
      '"gateway-url" value="http://127.0.0.1:8123/engine/freeswitch"',
      '"inbound-codec-prefs" value="OPUS,PCMA"',
      'expression="^(?:112)$"',
      'hash hatif calls 7 ',
      '<load module="mod_cdr_csv"/>',
      '"session-timeout" value="600"',
      'udp:192.0.2.7:9060',
      '"tls-sip-port" value="5061"',
      `"tls-cert-dir" value="${join(folder, 'tls')}"`,
    ])
      expect(text).to.contain(part);
    expect((await stat(file)).mode & 0o777).to.equal(0o640);
    expect((await stat(join(folder, 'tls', 'agent.pem'))).mode & 0o777).to.equal(0o640);
  });

  for (const [what, args, input, words] of [
    ['an invalid port', ['--esl-port', '0'], 'x', /--esl-port/],
    ['invalid networks', ['--esl-allow', '10.0.0.1'], 'x', /--esl-allow/],
    ['an invalid mode', ['--mode', '9'], 'x', /--mode/],
    ['an invalid API address', ['--application', 'api:8080'], 'x', /--application/],
    ['an unknown record of ended legs', ['--leg-ends', 'mail'], 'x', /--leg-ends/],
    ['no password', [], '', /password/],
    ['a value with unsupported characters', ['--music', '/a$${b}'], 'x', /musicDir/],
  ] as const) {
    it(`writes no configuration for a FreeSWITCH with ${what}`, async () => {
      const { code, stderr } = await hatif(['freeswitch-config', join(command.dataDir, 'none'), ...args], { input });
      expect(code).not.to.equal(0);
      expect(stderr).to.match(words);
      expect(existsSync(join(command.dataDir, 'none'))).to.equal(false);
    });
  }
});
