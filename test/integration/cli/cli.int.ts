import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { Keys } from '../../../core/data/repositories/accounts/keys.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { newId } from '../../../core/model/ids.js';
import { hashKey } from '../../../core/model/access/keys.js';
import { commandForAll, SECRET } from '../../support/command.js';
import type { TestDatabase } from '../../support/platform/database.js';

describe('hatif command', () => {
  let database: TestDatabase;
  const { hatif, hatifProcess, json } = commandForAll((_, opened) => (database = opened));

  it('lists its commands', async () => {
    const { code, stdout } = await hatifProcess(['--help']);
    expect(code).to.equal(0);
    for (const name of ['call', 'listen', 'keys', 'numbers', 'agents', 'trunks', 'projects', 'recordings'])
      expect(stdout).to.contain(name);
  });

  it('ends without a stack trace when the reader of its output has gone', async () => {
    const cwd = fileURLToPath(new URL('../../../', import.meta.url));
    const { stderr } = await promisify(execFile)('sh', ['-c', 'node dist/programs/command.js --help | true'], {
      cwd,
    });
    expect(stderr).to.equal('');
  });

  it('treats an unknown option as a usage error', async () => {
    const { code, stderr } = await hatif(['keys', 'create', '--name', 'x', '--colour', 'red']);
    expect(code).to.equal(2);
    expect(stderr).to.contain('--colour');
  });

  it('reports an id that is none without a stack trace', async () => {
    for (const args of [
      ['keys', 'revoke', 'x'],
      ['brands', 'approve', 'x'],
    ]) {
      const { code, stderr } = await hatif(args);
      expect(code, args.join(' ')).to.equal(1);
      expect(stderr)
        .to.contain('x')
        .and.to.match(/npx hatif (keys|brands) list/);
    }
  });

  it('names an invalid setting', async () => {
    const { code, stderr } = await hatifProcess(['keys', 'list'], { env: { PORT: 'x' } });
    expect(code).to.equal(2);
    expect(stderr).to.contain('PORT');
  });

  it('reports that the database does not answer', async () => {
    const { code, stderr } = await hatif(['keys', 'list'], { env: { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' } });
    expect(code).to.equal(3);
    expect(stderr).to.match(/database does not answer[^]*npm start/);
  });

  it('reports that nothing is set up', async () => {
    const { code, stderr } = await hatif(['keys', 'list'], { env: { DATABASE_URL: '' } });
    expect(code).to.equal(3);
    expect(stderr).to.match(/Nothing is set up[^]*npm start/);
  });

  it('creates a key that the platform accepts, lists it by its prefix, and revokes it permanently', async () => {
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

  it('creates a key that sees full numbers only if the scope is named', async () => {
    const scopesOf = async (...options: string[]): Promise<readonly string[] | undefined> => {
      const made = (await json('keys', 'create', '--name', 'crm', ...options)) as { key: string };
      return (await new Keys(database.db).findByHash(hashKey(made.key)))?.key.scopes;
    };
    expect(await scopesOf())
      .to.include('calls:read')
      .and.to.not.include('pii:read');
    expect(await scopesOf('--scopes', 'calls:read,pii:read')).to.deep.equal(['calls:read', 'pii:read']);
  });

  it('rejects an unknown scope without a stack trace', async () => {
    const { code, stderr } = await hatif(['keys', 'create', '--name', 'x', '--scopes', 'calls:eat']);
    expect(code).to.equal(1);
    expect(stderr).to.contain('calls:eat');
    expect(stderr).to.not.contain(' at ');
  });

  it('adds an agent with an encrypted password, and renews the password', async () => {
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

    expect((await hatif(['agents', 'add', '2001'])).stderr).to.contain('2001 already exists');
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
    expect(which.code).to.equal(2);
    expect(which.stderr).to.contain('Test').and.to.contain('other');
    await database.db.query('DELETE FROM agents WHERE project_id = $1', [other.id]);
    await database.db.query('DELETE FROM projects WHERE id = $1', [other.id]);
  });

  it('adds a number in national form, makes the first the main number, and lists its destination', async () => {
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

  it('sets the default destination of callbacks', async () => {
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
    ['an invalid number', ['numbers', 'add', '12'], /not a phone number/],
    ['an emergency number', ['numbers', 'add', '911'], /not a phone number/],
    [
      'an unknown number',
      ['numbers', 'bind', '+966112345679', 'echo'],
      /no number \+966112345679\.\nNumbers: \+966112345678/,
    ],
    ['an unknown agent', ['numbers', 'bind', '+966112345678', 'agent:404'], /no agent "404"\.\nAgents: 2001 \(Reem\)/],
    ['a trunk without a SIP address', ['trunks', 'add', 'bad', 'http://carrier'], /sip:host/],
    ['an invalid address', ['trunks', 'add', 'bad', 'sip:carrier.example', '--inbound', '300.1.1.1'], /300\.1\.1\.1/],
  ] as const) {
    it(`rejects ${what}`, async () => {
      const { code, stderr } = await hatif(args);
      expect(code).to.equal(1);
      expect(stderr).to.match(words);
    });
  }

  it('treats an invalid destination as a usage error', async () => {
    expect((await hatif(['numbers', 'bind', '+966112345678', 'moon:1'])).code).to.equal(2);
  });
});
