import { expect } from 'chai';
import { codeOf } from '../../support/judges/outcome.js';
import type { Answer } from '../../support/api.js';
import type { TestDatabase } from '../../support/platform/database.js';
import {
  personOf,
  PROGRAM,
  type SsoStage,
  verifierAndChallenge,
  type SsoHome,
  signOnEach,
} from '../../support/stages/accounts/sso-stage.js';

describe('Single sign-on of a program', function () {
  this.timeout(60_000);
  let stage: SsoStage;
  let database: TestDatabase;
  let home: SsoHome;

  signOnEach((...made) => ([stage, home, database] = made));

  const person = () => personOf(home);
  const begin = (challenge: string, more: Record<string, string> = {}) =>
    stage.begin({
      ...{ organization: home.organizationId, client: 'other', redirect_uri: PROGRAM, code_challenge: challenge },
      ...more,
    });
  const codeFor = async (challenge: string, who = person()): Promise<string> => {
    await stage.sync();
    const begun = await begin(challenge);
    const answer = await stage.finish(await stage.atProvider(who, begun), begun.cookie);
    expect(answer.status, answer.text).to.equal(303);
    expect(answer.headers.get('set-cookie')).to.equal(null);
    const location = new URL(answer.headers.get('location') ?? '');
    expect(location.origin + location.pathname).to.equal(PROGRAM);
    return location.searchParams.get('code') ?? '';
  };
  const exchange = (code: string, code_verifier: string): Promise<Answer> =>
    stage.api.request('POST', '/v1/sso/session', { json: { code, code_verifier } });

  it('gives a code once, for what the program kept', async () => {
    const { verifier, challenge } = verifierAndChallenge();
    const who = person();
    const code = await codeFor(challenge, who);
    const answer = await exchange(code, verifier);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body?.user).to.deep.include({ email: who.email });
    expect(answer.body?.refresh_token).to.match(/^rt_/);
    expect(codeOf(await exchange(code, verifier))).to.equal('400 SSO_STATE_INVALID');
    const key = String(answer.body?.access_token);
    expect((await stage.api.request('GET', '/v1/me', { key })).status).to.equal(200);
  });

  it('gives nothing to somebody else who saw the code, after which it works for nobody', async () => {
    const { verifier, challenge } = verifierAndChallenge();
    const code = await codeFor(challenge);
    expect(codeOf(await exchange(code, verifierAndChallenge().verifier))).to.equal('400 SSO_STATE_INVALID');
    expect(codeOf(await exchange(code, verifier))).to.equal('400 SSO_STATE_INVALID');
  });

  it('gives nothing after a minute, and nothing to somebody who was disabled meanwhile', async () => {
    const [late, gone] = [verifierAndChallenge(), verifierAndChallenge()];
    const who = person();
    const code = await codeFor(gone.challenge, who);
    await database.db.query(`UPDATE users SET disabled_at = now() WHERE email = $1`, [who.email]);
    expect(codeOf(await exchange(code, gone.verifier))).to.equal('403 SSO_NOT_ADMITTED');
    const old = await codeFor(late.challenge);
    await stage.accounts.clock.advance(60_000);
    expect(codeOf(await exchange(old, late.verifier))).to.equal('400 SSO_STATE_INVALID');
  });

  it('sends the code to the machine itself only', async () => {
    const { challenge } = verifierAndChallenge();
    for (const redirect_uri of [
      'https://evil.example/done',
      'http://localhost:1/done',
      'http://127.0.0.1.evil.example',
      'http://127.0.0.1:1/?a=b',
      'program://done',
    ]) {
      expect(codeOf((await begin(challenge, { redirect_uri })).answer), redirect_uri).to.equal('400 VALIDATION_ERROR');
    }
    const { answer } = await stage.begin({ organization: home.organizationId, redirect_uri: PROGRAM });
    expect(codeOf(answer)).to.equal('400 VALIDATION_ERROR');
    const bare = await stage.begin({ organization: home.organizationId, client: 'other' });
    expect(codeOf(bare.answer)).to.equal('400 VALIDATION_ERROR');
    expect(codeOf((await begin(challenge, { return_to: '/console' })).answer)).to.equal('400 VALIDATION_ERROR');
  });
});
