import { expect } from 'chai';
import { commandForAll } from '../../support/command.js';
import type { TestDatabase } from '../../support/platform/database.js';

const PASSWORD = 'seven lanterns beside the quay';

describe('hatif admin', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  const { hatif, json } = commandForAll((_, opened) => (database = opened));

  const create = (email: string, input = PASSWORD) =>
    hatif(['admin', 'create', '--email', email, '--name', 'Noura'], { input });

  it('creates administrators, the first and more, with the password from the terminal', async () => {
    const { code, stdout } = await create('Noura@Operator.example');
    expect(code).to.equal(0);
    expect(stdout).to.contain('noura@operator.example').and.not.contain(PASSWORD);
    expect((await create('salem@operator.example')).code).to.equal(0);
    const again = await create('noura@operator.example');
    expect([again.code, again.stderr]).to.deep.equal([
      1,
      'The request is not valid: email: an administrator noura@operator.example already exists\n',
    ]);
    expect((await create('lama@operator.example', 'password')).code).to.equal(1);
    expect((await create('lama')).code).to.equal(1);
    expect(await database.db.query('SELECT email FROM administrators ORDER BY email')).to.deep.equal([
      { email: 'noura@operator.example' },
      { email: 'salem@operator.example' },
    ]);
  });

  it('creates, lists and revokes tokens for scripts', async () => {
    const email = ['--email', 'noura@operator.example'];
    const nightly = ['admin', 'token', 'create', ...email, '--name', 'nightly', '--expires', '2099-01-01'];
    const { token, id } = (await json(...nightly)) as { token: string; id: string };
    expect(token).to.match(/^adm_[0-9A-Za-z]{49}$/);
    const listed = await hatif(['admin', 'token', 'list']);
    expect(listed.stdout).to.match(new RegExp(`${id} +nightly +${token.slice(0, 12)}… +active`));
    expect(listed.stdout).to.not.contain(token);
    expect((await hatif(['admin', 'token', 'revoke', id])).stdout).to.contain('nightly');
    expect((await hatif(['admin', 'token', 'list'])).stdout).to.contain('revoked');
    expect((await hatif(['admin', 'token', 'revoke', 'x'])).code).to.equal(1);
    const wrong = async (...more: string[]): Promise<number | null> =>
      (await hatif(['admin', 'token', 'create', ...more])).code;
    expect(await wrong('--email', 'nobody@operator.example', '--name', 'x')).to.equal(1);
    expect(await wrong(...email, '--name', 'x', '--expires', '2020-01-01')).to.equal(1);
    expect(await wrong(...email, '--name', 'x', '--expires', 'soon')).to.equal(2);
  });
});
