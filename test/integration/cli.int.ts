import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { expect } from 'chai';

import { runCli } from '../../cli/program.js';
import { readSettings } from '../../config/settings.js';
import { CallWriter } from '../../core/data/call-writer.js';
import { Agents } from '../../core/data/repositories/agents.js';
import { Engines } from '../../core/data/repositories/engines.js';
import { Keys } from '../../core/data/repositories/keys.js';
import { Organizations } from '../../core/data/repositories/organizations.js';
import { Projects } from '../../core/data/repositories/projects.js';
import { Trunks } from '../../core/data/repositories/trunks.js';
import { engineSecret } from '../../core/services/engines/manage.js';
import { Cipher } from '../../core/model/cipher.js';
import { newId } from '../../core/model/ids.js';
import { hashKey } from '../../core/model/keys.js';
import { openCommandLine } from '../../main/command-line.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { callRow, effectOf, groundIn } from '../support/rows.js';

const SECRET = 'a secret of the tests, long enough for it';

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface More {
  readonly env?: Record<string, string>;
  /** What comes on standard input. */
  readonly input?: string;
}

describe('hatif command', () => {
  let database: TestDatabase;
  let dataDir: string;

  const environment = (): Record<string, string> => ({
    DATABASE_URL: database.url,
    HATIF_SECRET: SECRET,
    HATIF_DATA_DIR: dataDir,
  });

  /** The command in this process: the same as from a shell, without the time that a process takes to begin. */
  const hatif = async (args: readonly string[], { env = {}, input = '' }: More = {}): Promise<Ran> => {
    let [stdout, stderr] = ['', ''];
    const code = await runCli(args, {
      ...openCommandLine(readSettings({ ...environment(), ...env }), new AbortController().signal),
      output: (json) => ({ json, out: (line) => (stdout += `${line}\n`), note: (line) => (stderr += `${line}\n`) }),
      readSecret: () => Promise.resolve(input),
    });
    return { code, stdout, stderr };
  };

  const hatifProcess = async (args: readonly string[], { env = {}, input = '' }: More = {}): Promise<Ran> => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'cli/main.ts', ...args], {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      env: {
        PATH: process.env.PATH ?? '',
        NODE_V8_COVERAGE: process.env.NODE_V8_COVERAGE ?? '',
        ...environment(),
        ...env,
      },
      stdio: 'pipe',
    });
    child.stdin.end(input);
    const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, stdout, stderr };
  };

  const json = async (...args: string[]): Promise<unknown> => {
    const ran = await hatif(['--json', ...args]);
    expect(ran.code, ran.stderr).to.equal(0);
    return JSON.parse(ran.stdout);
  };

  before(async () => {
    database = await testDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'hatif-cli-'));
    const organization = {
      id: newId(),
      name: 'Acme',
      account_kind: 'production',
      flags: {},
      created_at: new Date(),
    } as const;
    await new Organizations(database.db).create(organization);
    await new Projects(database.db).create({
      id: newId(),
      organization_id: organization.id,
      name: 'acme',
      main_number: null,
      default_destination: null,
      signing_secret: 'sealed',
      recording_retention_days: null,
      recording_announcement: 'off',
      created_at: new Date(),
    });
  });

  after(async () => {
    await database.close();
    await rm(dataDir, { recursive: true });
  });

  it('tells what there is', async () => {
    const { code, stdout } = await hatifProcess(['--help']);
    expect(code).to.equal(0);
    for (const name of ['call', 'listen', 'keys', 'numbers', 'agents', 'trunks', 'projects', 'recordings'])
      expect(stdout).to.contain(name);
  });

  it('takes a wrong option for wrong usage', async () => {
    const { code, stderr } = await hatif(['keys', 'create', '--name', 'x', '--colour', 'red']);
    expect(code).to.equal(2);
    expect(stderr).to.contain('--colour');
  });

  it('names a wrong setting', async () => {
    const { code, stderr } = await hatifProcess(['keys', 'list'], { env: { PORT: 'x' } });
    expect(code).to.equal(2);
    expect(stderr).to.contain('PORT');
  });

  it('says so when the database does not answer', async () => {
    const { code, stderr } = await hatif(['keys', 'list'], { env: { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' } });
    expect(code).to.equal(3);
    expect(stderr).to.match(/database does not answer[^]*npm start/);
  });

  it('says so when nothing is set up', async () => {
    const { code, stderr } = await hatif(['keys', 'list'], { env: { DATABASE_URL: '' } });
    expect(code).to.equal(3);
    expect(stderr).to.match(/Nothing is set up[^]*npm start/);
  });

  it('makes a key that the platform knows, lists it by its prefix, revokes it once and for all', async () => {
    const made = (await json('keys', 'create', '--name', 'crm', '--sandbox', '--scopes', 'calls:read,calls:write')) as {
      key: string;
      id: string;
    };
    const keys = new Keys(database.db);
    const found = await keys.findByHash(hashKey(made.key));
    expect(found?.key).to.deep.include({ name: 'crm', kind: 'sandbox', scopes: ['calls:read', 'calls:write'] });

    const listed = await hatif(['keys', 'list']);
    expect(listed.stdout).to.contain(found!.key.prefix).and.to.contain('active');
    expect(listed.stdout).to.not.contain(made.key);

    expect((await hatif(['keys', 'revoke', made.id])).code).to.equal(0);
    expect((await keys.findByHash(hashKey(made.key)))?.key.revoked_at).to.be.instanceOf(Date);
    expect((await hatif(['keys', 'list'])).stdout).to.contain('revoked');

    const unknown = await hatif(['keys', 'revoke', newId()]);
    expect(unknown.code).to.equal(1);
  });

  it('refuses an unknown scope in plain words', async () => {
    const { code, stderr } = await hatif(['keys', 'create', '--name', 'x', '--scopes', 'calls:eat']);
    expect(code).to.equal(1);
    expect(stderr).to.contain('calls:eat');
    expect(stderr).to.not.contain(' at ');
  });

  it('adds an agent with a password that only its owner can read, and renews it', async () => {
    const made = (await json('agents', 'add', '2001', '--name', 'Reem')) as { aor: string; sip_password: string };
    const agents = new Agents(database.db);
    const cipher = new Cipher(SECRET);
    const before = await agents.findByAor(made.aor);
    expect(before).to.deep.include({ agent: '2001', display_name: 'Reem' });
    expect(cipher.open(before!.sip_password)).to.equal(made.sip_password);

    const renewed = (await json('agents', 'password', '2001')) as { sip_password: string };
    expect(renewed.sip_password).to.not.equal(made.sip_password);
    expect(cipher.open((await agents.findByAor(made.aor))!.sip_password)).to.equal(renewed.sip_password);
    expect((await hatif(['agents', 'list'])).stdout)
      .to.contain('Reem')
      .and.not.to.contain(renewed.sip_password);

    expect((await hatif(['agents', 'add', '2001'])).stderr).to.contain('2001 exists already');
    expect((await hatif(['agents', 'password', '9999'])).code).to.equal(1);
  });

  it('gives the same extension of another project another SIP user name', async () => {
    const projects = new Projects(database.db);
    const [first] = await projects.list();
    const other = { ...first!, id: newId(), name: 'other', created_at: new Date() };
    await projects.create(other);
    const made = (await json('agents', 'add', '2001', '--project', 'other')) as { agent: string; aor: string };
    expect(made.agent).to.equal('2001');
    expect(made.aor).to.match(/^2001-[\da-f]{6}$/);

    const which = await hatif(['agents', 'list']);
    expect(which.code).to.equal(1);
    expect(which.stderr).to.contain('acme').and.to.contain('other');
    await database.db.query('DELETE FROM agents WHERE project_id = $1', [other.id]);
    await database.db.query('DELETE FROM projects WHERE id = $1', [other.id]);
  });

  it('adds a number in national form, makes the first the main number, binds it and lists where it leads', async () => {
    expect(await json('numbers', 'add', '0112345678', '--bind', 'agent:2001')).to.deep.include({
      e164: '+966112345678',
      binding: { type: 'agent', target: '2001' },
    });
    expect((await new Projects(database.db).list())[0]?.main_number).to.equal('+966112345678');
    expect(await json('numbers', 'bind', '+966112345678', 'echo')).to.deep.include({
      binding: { type: 'echo', target: null },
    });
    expect((await hatif(['numbers', 'list'])).stdout).to.match(/\+966112345678\s+echo\s+yes/);
    expect(await json('numbers', 'bind', '+966112345678', 'none')).to.deep.include({ binding: null });
  });

  it('sets with whom customers are joined that are called back', async () => {
    const kept = async () => (await new Projects(database.db).list())[0]?.default_destination;
    const destination = { type: 'agent', target: '2001' };
    expect(await json('numbers', 'callbacks', 'agent:2001')).to.deep.equal({ default_destination: destination });
    expect(await kept()).to.deep.equal(destination);
    expect((await hatif(['numbers', 'callbacks', 'echo'])).stdout).to.include('echo');
    expect((await hatif(['numbers', 'callbacks', 'agent:404'])).code).to.equal(1);
    expect(await kept()).to.deep.equal({ type: 'echo', target: null });
    await json('numbers', 'callbacks', 'none');
    expect(await kept()).to.equal(null);
  });

  for (const [what, args, words] of [
    ['a number twice', ['numbers', 'add', '+966112345678'], /already assigned/],
    ['what is no number', ['numbers', 'add', '12'], /not a phone number/],
    ['an emergency number', ['numbers', 'add', '911'], /not a phone number/],
    ['a number that is not there', ['numbers', 'bind', '+966112345679', 'echo'], /No number/],
    ['an agent that is not there', ['numbers', 'bind', '+966112345678', 'agent:404'], /no agent 404/],
    ['a trunk without a SIP address', ['trunks', 'add', 'bad', 'http://carrier'], /sip:host/],
    [
      'an address that is none',
      ['trunks', 'add', 'bad', 'sip:carrier.example', '--inbound', '300.1.1.1'],
      /300\.1\.1\.1/,
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { code, stderr } = await hatif(args);
      expect(code).to.equal(1);
      expect(stderr).to.match(words);
    });
  }

  it('refuses a place that no call can go as wrong usage', async () => {
    expect((await hatif(['numbers', 'bind', '+966112345678', 'moon:1'])).code).to.equal(2);
  });

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
    expect((await trunks.findDefault())?.name).to.equal('second');
    const listed = await hatif(['trunks', 'list']);
    expect(listed.stdout).to.contain('carrier').and.to.contain('second').and.not.to.contain('s3cret');

    expect((await hatif(['trunks', 'add', 'second', 'sip:x.example'])).stderr).to.contain('second exists already');
    expect((await hatif(['trunks', 'remove', 'second'])).code).to.equal(0);
    expect((await hatif(['trunks', 'remove', 'second'])).code).to.equal(1);
  });

  it('adds engines with their password from standard input, empties them, and removes them when they are empty', async () => {
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
    expect((await hatif(add, { input: 'x' })).stderr).to.contain('second exists already');

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
    expect(busy.stderr).to.match(/not over[^]*Drain it first/);
    await writer.commit(effectOf({ ...live, status: 'failed', last_sequence: 2 }));
    expect((await hatif(['engines', 'remove', 'second'])).code).to.equal(0);
    expect((await hatif(['engines', 'remove', 'second'])).code).to.equal(1);
    expect((await hatif(add, { input: 'new' })).code, 'added again').to.equal(0);
    expect(await engines.get(row!.id)).to.include({ removed_at: null, draining: false });
  });

  it('adds a FreeSWITCH, and tells what it asks with', async () => {
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
    ['an address that is none', ['bad', 'asterisk:8088'], /address/],
    ['a kind that it cannot drive', ['bad', 'http://a:8088', '--kind', 'pbx'], /kind/],
    ['a weight that is none', ['bad', 'http://a:8088', '--weight', '0'], /weight/],
    ['a limit that is none', ['bad', 'http://a:8088', '--max-calls', 'many'], /max_calls/],
    ['a SIP address that is none', ['bad', 'http://a:8088', '--sip', 'a:b'], /sip/],
    ['a name that is kept', ['sandbox', 'http://a:8088'], /name/],
    ['a FreeSWITCH by its HTTP', ['bad', 'http://a:8088', '--kind', 'freeswitch'], /address/],
    ['a folder that is none', ['bad', 'a', '--kind', 'freeswitch', '--recordings', 'rec'], /recordings/],
    [
      'a folder that would be several words',
      ['bad', 'a', '--kind', 'freeswitch', '--recordings', '/a b'],
      /recordings/,
    ],
    ['a folder of recordings at an Asterisk', ['bad', 'http://a:8088', '--recordings', '/rec'], /recordings/],
    ['a record that is none', ['bad', 'http://a:8088', '--details', 'cel.csv'], /details/],
  ] as const) {
    it(`refuses an engine with ${what}`, async () => {
      const { code, stderr } = await hatif(['engines', 'add', ...args], { input: 'x' });
      expect(code).to.equal(1);
      expect(stderr).to.match(words);
    });
  }

  it('writes the configuration for an Asterisk of one’s own, its password for few eyes', async () => {
    const folder = join(dataDir, 'asterisk');
    const env = { ASTERISK_ARI_URL: 'http://127.0.0.1:8088', ASTERISK_ARI_PASSWORD: 'ari-s3cret', SIP_PORT: '5070' };
    const { code, stderr } = await hatif(['asterisk-config', folder, '--ari-port', '8089'], { env });
    expect(code, stderr).to.equal(0);
    expect(await readFile(join(folder, 'ari.conf'), 'utf8')).to.contain('password = ari-s3cret');
    expect(await readFile(join(folder, 'http.conf'), 'utf8')).to.match(/bindaddr = 127\.0\.0\.1\nbindport = 8089/);
    expect(await readFile(join(folder, 'pjsip.conf'), 'utf8')).to.contain('127.0.0.1:5070');
    expect((await stat(join(folder, 'ari.conf'))).mode & 0o777).to.equal(0o640);
  });

  it('writes the configuration for a FreeSWITCH of one’s own', async () => {
    const folder = join(dataDir, 'freeswitch');
    const env = {
      SIP_PORT: '5070',
      CODECS: 'opus,alaw',
      EMERGENCY_NUMBERS: '112',
      MAX_CALLS: '7',
      PORT: '8123',
      SIP_SESSION_EXPIRES_SECONDS: '600',
      HEP_ADDRESS: '192.0.2.7',
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
      'hatif_calls=7"',
      '"session-timeout" value="600"',
      'udp:192.0.2.7:9060',
    ])
      expect(text).to.contain(part);
    expect((await stat(file)).mode & 0o777).to.equal(0o640);
  });

  for (const [what, args, input, words] of [
    ['a port that is none', ['--esl-port', '0'], 'x', /--esl-port/],
    ['networks that are none', ['--esl-allow', '10.0.0.1'], 'x', /--esl-allow/],
    ['a mode that is none', ['--mode', '9'], 'x', /--mode/],
    ['an API that is none', ['--application', 'api:8080'], 'x', /--application/],
    ['no password', [], '', /password/],
    ['a value that cannot stand in it', ['--music', '/a$${b}'], 'x', /musicDir/],
  ] as const) {
    it(`writes no configuration for a FreeSWITCH with ${what}`, async () => {
      const { code, stderr } = await hatif(['freeswitch-config', join(dataDir, 'none'), ...args], { input });
      expect(code).not.to.equal(0);
      expect(stderr).to.match(words);
      expect(existsSync(join(dataDir, 'none'))).to.equal(false);
    });
  }
});
