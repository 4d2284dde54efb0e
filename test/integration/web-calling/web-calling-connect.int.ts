import { expect } from 'chai';
import { EngineError } from '../../../core/ports/engine.js';
import { codeOf } from '../../support/judges/outcome.js';
import {
  PAGE_OF_PROJECT,
  webCallingEach,
  type WebCallingStage,
} from '../../support/stages/web-calling/web-calling-stage.js';

const NONCE = 'a nonce of this device';

describe('A browser that connects', function () {
  this.timeout(60_000);
  let stage: WebCallingStage;
  webCallingEach((made) => (stage = made));

  const statusOf = async (id: string): Promise<unknown> => (await stage.ask('GET', `/sessions/${id}`)).body?.status;
  const sipOf = (body: unknown): { uri: string; username: string; password: string } =>
    (body as { sip: { uri: string; username: string; password: string } }).sip;

  it('gets a SIP account that every engine knows', async () => {
    const { id, token } = await stage.session();
    const answer = await stage.connect(token, {}, PAGE_OF_PROJECT);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.headers.get('access-control-allow-origin')).to.equal(PAGE_OF_PROJECT);
    const { username, password, uri } = sipOf(answer.body);
    expect(username).to.match(/^web\.[0-9a-f]{32}$/);
    expect(uri).to.equal(`sip:${username}@web`);
    const softphone = stage.engine.softphones.get(username);
    expect(softphone).to.deep.include({ aor: username, password, isBrowser: true });
    expect(await statusOf(id)).to.equal('active');
    // Comparing with the tables leaves it where it is.
    await stage.engine.sync();
    expect(stage.engine.softphones.has(username)).to.equal(true);
  });

  it('spends the token; only the same device gets the same answer again, for 30 seconds', async () => {
    const { id, token } = await stage.session();
    const first = await stage.connect(token, { device_nonce: NONCE });
    stage.pass(29_000);
    const repeated = await stage.connect(token, { device_nonce: NONCE });
    expect(repeated.body).to.deep.equal(first.body);
    expect(await statusOf(id)).to.equal('active');
    stage.pass(2_000);
    expect(codeOf(await stage.connect(token, { device_nonce: NONCE }))).to.equal('401 WCS_REUSE_DETECTED');
    expect(await statusOf(id)).to.equal('revoked');
    expect(stage.engine.softphones.size).to.equal(0);
    expect(codeOf(await stage.connect(token, { device_nonce: NONCE }))).to.equal('401 WCS_REVOKED');
  });

  it('loses the session if another device uses the token, also without a nonce', async () => {
    for (const [first, second] of [
      [{ device_nonce: NONCE }, { device_nonce: `${NONCE} no more` }],
      [{}, {}],
    ]) {
      const { id, token } = await stage.session();
      expect(codeOf(await stage.connect(token, first))).to.equal('200');
      expect(codeOf(await stage.connect(token, second))).to.equal('401 WCS_REUSE_DETECTED');
      expect(await statusOf(id)).to.equal('revoked');
    }
  });

  it('is the only one of several that use the token at once', async () => {
    const { id, token } = await stage.session();
    const answers = await Promise.all(Array.from({ length: 4 }, () => stage.connect(token)));
    const codes = answers.map(codeOf);
    expect(codes.filter((code) => code === '200')).to.have.lengthOf(1);
    for (const code of codes) expect(code).to.be.oneOf(['200', '401 WCS_REUSE_DETECTED', '401 WCS_REVOKED']);
    expect(await statusOf(id)).to.equal('revoked');
    await stage.engine.sync();
    expect(stage.engine.softphones.size).to.equal(0);
  });

  it('leaves nothing behind if the engine refuses it, and may try again', async () => {
    const { id, token } = await stage.session();
    stage.engine.refusal = new EngineError('rejected', 'no more endpoints');
    expect(codeOf(await stage.connect(token))).to.equal('502 WEBRTC_PROVISIONING_FAILED');
    expect(await statusOf(id)).to.equal('pending');
    expect(stage.engine.softphones.size).to.equal(0);
    stage.engine.refusal = null;
    expect(codeOf(await stage.connect(token))).to.equal('200');
  });

  /** Runs this when the token is about to be spent: the engine has the account, and the tables do not. */
  const beforeItIsSpent = (run: () => Promise<void>): void => {
    const { webSessions } = stage.stores;
    const spend = webSessions.spend.bind(webSessions);
    webSessions.spend = async (...which) => {
      await run();
      return spend(...which);
    };
  };

  it('is known when the answer arrives, although the engine compared itself with the tables too early', async () => {
    const { token } = await stage.session();
    const known: number[] = [];
    beforeItIsSpent(async () => {
      known.push(stage.engine.softphones.size);
      await stage.engine.sync();
      known.push(stage.engine.softphones.size);
    });
    const { username } = sipOf((await stage.connect(token)).body);
    expect(known).to.deep.equal([1, 0]);
    expect([...stage.engine.softphones.keys()]).to.deep.equal([username]);
  });

  it('gets an error rather than an account that no engine knows, and the same device may ask again', async () => {
    const { id, token } = await stage.session();
    beforeItIsSpent(async () => {
      await stage.engine.sync();
      stage.engine.refusal = new EngineError('rejected', 'no more endpoints');
    });
    expect(codeOf(await stage.connect(token, { device_nonce: NONCE }))).to.equal('502 WEBRTC_PROVISIONING_FAILED');
    expect(codeOf(await stage.connect(token, { device_nonce: NONCE }))).to.equal('502 WEBRTC_PROVISIONING_FAILED');
    stage.engine.refusal = null;
    const answer = await stage.connect(token, { device_nonce: NONCE });
    expect(answer.status, answer.text).to.equal(200);
    expect([...stage.engine.softphones.keys()]).to.deep.equal([sipOf(answer.body).username]);
    expect(await statusOf(id)).to.equal('active');
  });

  it('is refused without a TURN server if it must be relayed; the token still works', async () => {
    const { id, token } = await stage.session({ require_relay: true });
    expect(codeOf(await stage.connect(token))).to.equal('503 TURN_UNAVAILABLE');
    expect(await statusOf(id)).to.equal('pending');
  });

  it('is refused on a page of another site, and may be on the platform’s own', async () => {
    const { token } = await stage.session();
    const strange = await stage.connect(token, {}, 'https://www.stranger.example');
    expect(codeOf(strange)).to.equal('403 ORIGIN_NOT_ALLOWED');
    // The page may read why.
    expect(strange.headers.get('access-control-allow-origin')).to.equal('https://www.stranger.example');
    expect(codeOf(await stage.connect(token, {}, stage.api.url))).to.equal('200');
    const headers = { origin: PAGE_OF_PROJECT, 'access-control-request-method': 'POST' };
    const preflight = await stage.api.request('OPTIONS', '/v1/web-calling/connect', { headers });
    expect(preflight.status).to.equal(204);
    expect(preflight.headers.get('access-control-allow-origin')).to.equal(PAGE_OF_PROJECT);
  });

  it('is refused when the session is over, and with a token that nobody made', async () => {
    const [expired, revoked] = [await stage.session({ ttl_seconds: 60 }), await stage.session()];
    await stage.ask('DELETE', `/sessions/${revoked.id}`);
    expect(codeOf(await stage.connect(revoked.token))).to.equal('401 WCS_REVOKED');
    stage.pass(60_000);
    expect(codeOf(await stage.connect(expired.token))).to.equal('401 WCS_EXPIRED');
    expect(codeOf(await stage.connect('wcs_made-up'))).to.equal('404 WCS_NOT_FOUND');
    const last = expired.token.at(-1) === 'a' ? 'b' : 'a';
    expect(codeOf(await stage.connect(expired.token.slice(0, -1) + last))).to.equal('404 WCS_NOT_FOUND');
  });

  it('is refused while the organization is suspended', async () => {
    const { token } = await stage.session();
    await stage.database.db.query('UPDATE organizations SET suspended_at = now() WHERE id = $1', [
      stage.owner.organizationId,
    ]);
    expect(codeOf(await stage.connect(token))).to.equal('403 INSUFFICIENT_PERMISSIONS');
  });

  it('must not use the token as a key', async () => {
    const { token } = await stage.session();
    expect(codeOf(await stage.ask('GET', '/sessions', undefined, token))).to.equal('401 WCS_NOT_ALLOWED_AS_BEARER');
    expect(codeOf(await stage.connect(token))).to.equal('200');
  });

  it('of the sandbox gets an account that no engine knows', async () => {
    const { token } = await stage.session({}, stage.sandboxKey);
    expect(sipOf((await stage.connect(token)).body).username).to.match(/^web\./);
    await stage.engine.sync();
    expect(stage.engine.softphones.size).to.equal(0);
  });

  it('can register no more once the session is revoked or its time is up', async () => {
    const [first, second] = [await stage.session(), await stage.session({ ttl_seconds: 60 })];
    for (const { token } of [first, second]) await stage.connect(token);
    expect(stage.engine.softphones.size).to.equal(2);
    await stage.ask('DELETE', `/sessions/${first.id}`);
    expect(stage.engine.softphones.size).to.equal(1);
    // PostgreSQL rounds its time up to a millisecond that this process has not reached.
    const over = `UPDATE web_calling_sessions SET expires_at = now() - interval '1 second' WHERE id = $1`;
    await stage.database.db.query(over, [second.id]);
    await stage.engine.sync();
    expect(stage.engine.softphones.size).to.equal(0);
  });
});
