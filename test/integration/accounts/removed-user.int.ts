import { expect } from 'chai';
import { codeOf } from '../../support/judges/outcome.js';
import { signedInEach, type SignedIn } from '../../support/stages/accounts/credentials-stage.js';

describe('A user that another process removed while this one remembers the session', function () {
  this.timeout(60_000);
  let given: SignedIn;

  signedInEach((signedIn) => (given = signedIn));

  it('is signed out', async () => {
    const { ask, database, user } = given;
    expect(codeOf(await ask('GET', '/v1/me'))).to.equal('200');
    await database.db.query(`DELETE FROM users WHERE id = $1`, [user.row.id]);
    expect(codeOf(await ask('GET', '/v1/me'))).to.equal('401 INVALID_ACCESS_TOKEN');
    expect(codeOf(await ask('PATCH', '/v1/me', { json: { name: 'Sara' } }))).to.equal('401 INVALID_ACCESS_TOKEN');
  });
});
