import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { generateToken } from '../../../core/model/access/tokens.js';
import { addMember } from '../../support/rows/members.js';
import { ADMINISTRATOR } from '../../support/stages/administration/administration-stage.js';
import { Side } from '../../support/remote/side.js';

const DAY_MS = 86_400_000;

describe('hatif --url and its tokens', function () {
  this.timeout(60_000);
  let side: Side;

  before(async () => (side = await Side.open('http')));
  after(() => side.close());

  const email = ADMINISTRATOR.email;
  const tokenOf = async (expiresAt: Date | null = null): Promise<{ token: string; id: string }> => {
    const { token, view } = await side.stage.administration.scriptTokens.create({ email, name: newId(), expiresAt });
    return { token, id: view.id };
  };
  const asked = (token: string, ...words: string[]) =>
    side.command.run([...words, '--url', side.stage.api.url], { env: { HATIF_ADMIN_TOKEN: token } });

  /** Runs a command that would change something. */
  async function refused(token: string): Promise<string> {
    const name = `p-${newId()}`;
    const { code, stdout, stderr } = await asked(token, 'projects', 'create', name, '--new-organization', name);
    expect([code, stdout], stderr).to.deep.equal([1, '']);
    const rows = await side.stage.stores.db.query('SELECT id FROM projects WHERE name = $1', [name]);
    expect(rows).to.deep.equal([]);
    expect(stderr).to.not.contain(token);
    return stderr;
  }

  it('takes the token of an administrator, of a session as well as of a script', async () => {
    const { token } = await tokenOf();
    for (const good of [token, side.stage.token]) {
      const { code, stderr } = await asked(good, 'projects', 'list');
      expect([code, stderr]).to.deep.equal([0, '']);
    }
  });

  it('names the administrator in the audit log, and not a command', async () => {
    const { token } = await tokenOf();
    expect((await asked(token, 'sip-targets', 'add', '8.8.4.4')).code).to.equal(0);
    expect(await side.stage.audited('/v1/admin/sip-targets')).to.include({ method: 'POST', actor: email, status: 201 });
  });

  it('leaves one row for what a command on the machine audits by itself', async () => {
    const { db } = side.stage.stores;
    const [recording] = await db.query<{ id: string; project_id: string }>(
      'SELECT id, project_id FROM recordings LIMIT 1',
    );
    const { token } = await tokenOf();
    const { id = '', project_id = '' } = recording ?? {};
    expect((await asked(token, 'recordings', 'hold', id, '--project', project_id)).code).to.equal(0);
    const route = '/v1/admin/projects/:project_id/recordings/:recording_id/hold';
    expect(await side.stage.audited(route)).to.include({ actor: email, project_id });
    const commands = await db.query(`SELECT id FROM audit_log WHERE method = 'CLI' AND route LIKE 'hatif recordings%'`);
    expect(commands).to.deep.equal([]);
  });

  it('audits an unmasked export before anything is shown', async () => {
    const [project] = await side.stage.stores.projects.list();
    const { token } = await tokenOf();
    const days = ['--from', '2026-01-01', '--to', '2026-01-02', '--project', project?.id ?? ''];
    expect((await asked(token, 'cdr', 'export', ...days, '--unmasked')).stdout).to.contain('customer_number');
    const row = await side.stage.audited('/v1/admin/projects/:project_id/cdr');
    expect(row).to.include({ actor: email, project_id: project?.id });
    expect(row?.details).to.include({ unmasked: true });
  });

  it('refuses a token that never was one', async () => {
    expect(await refused(generateToken('administrator'))).to.contain('refuses the token of HATIF_ADMIN_TOKEN');
    expect(await refused('nonsense')).to.contain('refuses the token');
  });

  it('refuses an API key without sending it', async () => {
    const { key } = await side.stage.api.key();
    const { code, stderr } = await asked(key, 'projects', 'list');
    expect(code).to.equal(2);
    expect(stderr).to.contain('holds an API key').and.not.contain(key);
  });

  it('refuses the token of a user, an owner included', async () => {
    const { organizationId } = await side.stage.api.owner();
    const { token } = await addMember(side.stage.stores.db, organizationId);
    expect(await refused(token)).to.contain('refuses the token');
  });

  it('refuses a revoked token at once', async () => {
    const { token, id } = await tokenOf();
    expect((await asked(token, 'admin', 'token', 'revoke', id)).code).to.equal(0);
    expect(await refused(token)).to.contain('refuses the token');
  });

  it('refuses an expired token', async () => {
    const { token } = await tokenOf(new Date(side.stage.clock.now().getTime() + DAY_MS));
    expect((await asked(token, 'projects', 'list')).code).to.equal(0);
    await side.stage.clock.advance(2 * DAY_MS);
    expect(await refused(token)).to.contain('refuses the token');
  });

  it('refuses the token of an administrator who is disabled', async () => {
    const { token } = await tokenOf();
    const { db } = side.stage.stores;
    await db.query('UPDATE administrators SET disabled_at = now()');
    expect(await refused(token)).to.contain('refuses the token');
    await db.query('UPDATE administrators SET disabled_at = NULL');
  });

  it('needs a key of the installation for commands that use the API of a project', async () => {
    const { url } = side.stage.api;
    const without = await side.command.run(['flows', 'list', '--url', url]);
    expect([without.code, without.stderr]).to.satisfy(
      ([code, said]: [number, string]) => code === 2 && said.includes('There is no API key'),
    );
    const both = await side.command.run(['flows', 'list', '--url', url, '--base-url', url, '--key', 'x']);
    expect(both.stderr).to.contain('--url or --base-url, not both');
  });
});
