import { expect } from 'chai';
import { cookiesOf } from '../../../api/http/request/cookies.js';
import { openApiDocument } from '../../../api/http/openapi.js';
import { sessionRoutes } from '../../../api/routes/accounts/sessions.js';
import { purgeEndedSessions } from '../../../core/data/repositories/accounts/ended-sessions.js';
import { generateToken } from '../../../core/model/access/tokens.js';
import { stageEach } from '../../support/each.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { codeOf } from '../../support/judges/outcome.js';
import { AccountsStage, PASSWORD } from '../../support/stages/accounts/accounts-stage.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const COOKIE = '__Host-hatif_refresh';

describe('sessions of users', function () {
  this.timeout(60_000);
  let stage: AccountsStage;
  stageEach(
    (database) => AccountsStage.start(database),
    (started) => (stage = started),
    (ended) => ended.close(),
  );

  const read = async (access: string, api = stage.api): Promise<string> =>
    codeOf(await api.request('GET', '/v1/sessions', { key: access }));
  const refresh = async (token: string): Promise<string> =>
    codeOf(await stage.api.request('POST', '/v1/sessions/refresh', { json: { refresh_token: token } }));
  const tryPassword = (email: string, password: string) =>
    stage.api.request('POST', '/v1/sessions', { json: { email, password } });

  it('have routes that do what their definitions specify', async () => {
    const routes = sessionRoutes(stage.accounts);
    expect(await routeProblems(stage.api, routes)).to.deep.equal([]);
    const document = openApiDocument({ routes, version: '1', serverUrl: '' });
    expect(documentProblems(document, routes)).to.deep.equal([]);
    const { access } = await stage.signIn(await stage.signUp());
    for (const [method, path] of [
      ['GET', '/v1/sessions'],
      ['POST', '/v1/sessions/logout'],
    ] as const) {
      const answer = await stage.api.request(method, `${path}?no_such_field=1`, { key: access });
      expect(codeOf(answer)).to.equal('400 VALIDATION_ERROR');
    }
  });

  it('begin with the password, and show who signed in', async () => {
    const user = await stage.signUp({ tier: 'sandbox' });
    const { answer, access } = await stage.signIn(user, { email: ` ${user.row.email.toUpperCase()} ` });
    expect(answer.body).to.deep.include({
      expires_in: 900,
      role: 'owner',
      organization: {
        id: user.organization.id,
        name: 'Riyadh Dental',
        tier: 'sandbox',
        second_factor_required: false,
      },
    });
    expect(answer.body?.user).to.include({ id: user.row.id, email: user.row.email, email_confirmed: true });
    expect(answer.headers.get('set-cookie')).to.equal(null);
    expect(access).to.match(/^at_[0-9A-Za-z]{49}$/);
    const [row] = await stage.db.query(`SELECT last_sign_in_at FROM users WHERE id = $1`, [user.row.id]);
    expect(row).to.deep.equal({ last_sign_in_at: stage.clock.now() });
    await stage.api.audit.flush();
    const [audited] = await stage.db.query(
      `SELECT organization_id, key_id, user_id FROM audit_log
       WHERE path = '/v1/sessions' AND organization_id = $1`,
      [user.organization.id],
    );
    expect(audited).to.deep.equal({ organization_id: user.organization.id, key_id: null, user_id: user.row.id });
  });

  it('do not keep tokens in the database or the log', async () => {
    const { access, refresh: token } = await stage.signIn(await stage.signUp());
    await stage.api.request('GET', `/v1/sessions?${access}`, { key: access });
    const [stored] = await stage.db.query<{ text: string }>(
      `SELECT string_agg(token::text, ' ') AS text FROM session_tokens AS token`,
    );
    for (const secret of [access, token]) {
      expect(stored?.text).not.to.contain(secret.slice(3));
      expect(stage.api.log.join('')).not.to.contain(secret.slice(3));
    }
    expect(stage.api.log.join('')).not.to.contain(PASSWORD);
  });

  it('do not begin with a wrong password, of an unknown or disabled user, or of a suspended organization', async () => {
    const user = await stage.signUp();
    const disabled = await stage.signUp({ of: user, user: { disabled_at: stage.clock.now() } });
    const invited = await stage.signUp({ of: user, user: { password_hash: null } });
    const answers = [
      await tryPassword(user.row.email, 'wrong'),
      await tryPassword('nobody@example.com', PASSWORD),
      await tryPassword('no address', PASSWORD),
      await tryPassword(disabled.row.email, PASSWORD),
      await tryPassword(invited.row.email, PASSWORD),
    ].map(({ status, body }) => ({ status, body: { ...body, request_id: '' } }));
    expect(answers[0]?.status).to.equal(401);
    expect(answers[0]?.body).to.include({ error_code: 'INVALID_CREDENTIALS' });
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    const suspended = await stage.signUp({ organization: { suspended_at: stage.clock.now() } });
    expect(codeOf(await tryPassword(suspended.row.email, PASSWORD))).to.equal('403 INSUFFICIENT_PERMISSIONS');
  });

  it('do not begin after ten failures for an account in 15 minutes', async () => {
    const { row } = await stage.signUp();
    // Successes do not count.
    for (let n = 0; n < 12; n += 1) expect((await tryPassword(row.email, PASSWORD)).status).to.equal(200);
    const tries = await Promise.all(Array.from({ length: 12 }, () => tryPassword(row.email, 'wrong')));
    const codes = tries.map(codeOf);
    expect(codes.filter((code) => code === '401 INVALID_CREDENTIALS')).to.have.length(10);
    expect(codes.filter((code) => code === '429 RATE_LIMIT_EXCEEDED')).to.have.length(2);
    const refused = await tryPassword(row.email, PASSWORD);
    expect(codeOf(refused)).to.equal('429 RATE_LIMIT_EXCEEDED');
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 901);
    await stage.clock.advance(16 * MINUTE);
    expect((await tryPassword(row.email, PASSWORD)).status).to.equal(200);
  });

  it('begin where the user works, although strangers used up the tries for the account', async () => {
    const { row } = await stage.signUp();
    const trusting = await stage.process(['loopback']);
    const from = async (ip: string, password: string): Promise<string> => {
      const headers = { 'X-Forwarded-For': ip, 'X-Forwarded-Proto': 'https' };
      const json = { email: row.email, password };
      return codeOf(await trusting.request('POST', '/v1/sessions', { json, headers }));
    };
    expect(await from('203.0.113.7', PASSWORD)).to.equal('200');
    for (let n = 0; n < 10; n += 1) expect(await from('198.51.100.9', 'wrong')).to.equal('401 INVALID_CREDENTIALS');
    expect(await from('192.0.2.5', PASSWORD), 'a new address').to.equal('429 RATE_LIMIT_EXCEEDED');
    expect(await from('203.0.113.7', PASSWORD), 'the address of the user').to.equal('200');
  });

  it('leave in the audit log which account was tried, masked, and whether there was a second factor', async () => {
    const { row } = await stage.signUp();
    await tryPassword(row.email, 'wrong');
    await tryPassword('my password', 'reem@example.com');
    await tryPassword(row.email, PASSWORD);
    await stage.api.audit.flush();
    const rows = await stage.db.query<{ status: number; actor: string | null; details: Record<string, unknown> }>(
      `SELECT status, actor, details FROM audit_log WHERE route = '/v1/sessions' ORDER BY id DESC LIMIT 3`,
    );
    const masked = `${row.email.slice(0, 2)}••••@${row.email.split('@')[1] ?? ''}`;
    expect(
      rows.map(({ status, actor, details }) => [status, actor, details.account, details.second_factor]),
    ).to.deep.equal([
      [200, row.email, masked, false],
      [401, null, '••••', undefined],
      [401, null, masked, undefined],
    ]);
  });

  it('do not begin over plain HTTP from elsewhere, but through a trusted TLS proxy', async () => {
    const { row } = await stage.signUp();
    const json = { email: row.email, password: PASSWORD };
    const forwarded = (proto: string) => ({ 'X-Forwarded-For': '203.0.113.7', 'X-Forwarded-Proto': proto });
    const trusting = await stage.process(['loopback']);
    const ask = async (api: typeof trusting, proto: string) =>
      api.request('POST', '/v1/sessions', { json, headers: forwarded(proto) });
    for (const answer of [
      await ask(trusting, 'http'),
      // Nobody vouches for the header.
      await ask(stage.api, 'https'),
    ]) {
      expect(codeOf(answer)).to.equal('400 VALIDATION_ERROR');
      expect(answer.body?.message).to.contain('connection: is not encrypted');
    }
    expect((await ask(trusting, 'https')).status).to.equal(200);
  });

  describe('when they are refreshed', () => {
    it('give ten requests of one moment one winner and nine races', async () => {
      const { refresh: token } = await stage.signIn(await stage.signUp());
      const other = await stage.process();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          (n % 2 === 0 ? stage.api : other).request('POST', '/v1/sessions/refresh', { json: { refresh_token: token } }),
        ),
      );
      const [winner, ...more] = answers.filter(({ status }) => status === 200);
      expect(more).to.deep.equal([]);
      const losers = answers.filter(({ status }) => status !== 200);
      expect(losers.map(codeOf)).to.deep.equal(Array.from({ length: 9 }, () => '409 REFRESH_ROTATION_RACE'));
      for (const { headers } of losers) expect(headers.get('set-cookie')).to.equal(null);
      expect(await read(String(winner?.body?.access_token))).to.equal('200');
      expect(await refresh(String(winner?.body?.refresh_token))).to.equal('200');
    });

    it('end when a token comes back after ten seconds, and the user gets a mail', async () => {
      const user = await stage.signUp();
      const first = await stage.signIn(user);
      const second = await stage.api.request('POST', '/v1/sessions/refresh', {
        json: { refresh_token: first.refresh },
      });
      await stage.clock.advance(10_000);
      expect(await refresh(first.refresh), 'at the edge').to.equal('409 REFRESH_ROTATION_RACE');
      await stage.clock.advance(1);
      expect(await refresh(first.refresh)).to.equal('401 REFRESH_REUSE_DETECTED');
      for (const access of [first.access, String(second.body?.access_token)]) {
        expect(await read(access)).to.equal('401 INVALID_ACCESS_TOKEN');
      }
      expect(await refresh(String(second.body?.refresh_token)), 'the thief or the user').to.equal(
        '401 INVALID_REFRESH_TOKEN',
      );
      expect(await refresh(first.refresh), 'again').to.equal('401 INVALID_REFRESH_TOKEN');
      const mails = await stage.db.query(`SELECT kind, locale FROM owner_mails WHERE recipient = $1`, [user.row.email]);
      expect(mails).to.deep.equal([{ kind: 'session_reuse', locale: 'ar' }]);
      const [row] = await stage.db.query(`SELECT revoked_reason FROM sessions WHERE id = $1`, [first.id]);
      expect(row).to.deep.equal({ revoked_reason: 'refresh_token_reused' });
    });

    it('end after 30 days, and after the idle time of the organization', async () => {
      const user = await stage.signUp({ organization: { session_idle_minutes: 30 } });
      const idle = await stage.signIn(user);
      await stage.clock.advance(10 * MINUTE);
      expect(await read(idle.access)).to.equal('200');
      // The use counts: the session has not been idle for half an hour yet.
      await stage.clock.advance(25 * MINUTE);
      const next = await stage.api.request('POST', '/v1/sessions/refresh', { json: { refresh_token: idle.refresh } });
      expect(next.status, next.text).to.equal(200);
      await stage.clock.advance(30 * MINUTE);
      const refused = await stage.api.request('POST', '/v1/sessions/refresh', {
        json: { refresh_token: next.body?.refresh_token },
      });
      expect(codeOf(refused)).to.equal('401 SESSION_IDLE_TIMEOUT');
      expect(refused.body?.message).to.contain('30 minutes');

      const long = await stage.signUp({ organization: { session_idle_minutes: 100_000 } });
      const old = await stage.signIn(long);
      await stage.clock.advance(30 * DAY);
      expect(await refresh(old.refresh)).to.equal('401 EXPIRED_REFRESH_TOKEN');
    });

    it('refuse what is no token, and tokens of disabled users and suspended organizations', async () => {
      const { access } = await stage.signIn(await stage.signUp());
      for (const token of ['x', generateToken('refresh'), access]) {
        expect(await refresh(token)).to.equal('401 INVALID_REFRESH_TOKEN');
      }
      const empty = await stage.api.request('POST', '/v1/sessions/refresh', { json: {} });
      expect(codeOf(empty)).to.equal('401 INVALID_REFRESH_TOKEN');
      const user = await stage.signUp();
      const session = await stage.signIn(user);
      await stage.db.query(`UPDATE organizations SET suspended_at = $2 WHERE id = $1`, [
        user.organization.id,
        stage.clock.now(),
      ]);
      expect(await refresh(session.refresh)).to.equal('403 INSUFFICIENT_PERMISSIONS');
      await stage.db.query(`UPDATE organizations SET suspended_at = NULL WHERE id = $1`, [user.organization.id]);
      await stage.db.query(`UPDATE users SET disabled_at = $2 WHERE id = $1`, [user.row.id, stage.clock.now()]);
      expect(await refresh(session.refresh)).to.equal('401 INVALID_REFRESH_TOKEN');
      await stage.db.query(`UPDATE users SET disabled_at = NULL WHERE id = $1`, [user.row.id]);
      expect(await refresh(session.refresh), 'a refusal does not use the token').to.equal('200');
    });

    it('keep a browser’s token in a cookie that only its own pages send', async () => {
      const { answer, access } = await stage.signIn(await stage.signUp(), { client: 'browser' });
      expect(answer.body?.refresh_token).to.equal(null);
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      const set = answer.headers.get('set-cookie') ?? '';
      expect(set).to.match(
        /^__Host-hatif_refresh=rt_[0-9A-Za-z]{49}; Path=\/; Secure; HttpOnly; SameSite=Strict; Expires=/,
      );
      const Cookie = `other=1; ${set.split(';', 1)[0] ?? ''}`;
      const ask = (headers: Record<string, string>) =>
        stage.api.request('POST', '/v1/sessions/refresh', { json: {}, headers });
      expect(codeOf(await ask({ Cookie, Origin: 'https://evil.example' }))).to.equal('403 ORIGIN_NOT_ALLOWED');
      const next = await ask({ Cookie, Origin: stage.api.url });
      expect(next.status, next.text).to.equal(200);
      expect(next.body?.refresh_token).to.equal(null);
      expect(next.headers.get('set-cookie')).not.to.equal(set);
      const out = await stage.api.request('POST', '/v1/sessions/logout', { key: access });
      expect(out.status).to.equal(204);
      expect(out.headers.get('set-cookie')).to.match(/^__Host-hatif_refresh=; .*Max-Age=0$/);
      expect(codeOf(await ask({ Cookie: next.headers.get('set-cookie') ?? '' }))).to.equal('401 INVALID_REFRESH_TOKEN');
    });
  });

  describe('of one user', () => {
    it('are listed with where they are, and ended one by one or all others at once', async () => {
      const user = await stage.signUp();
      const [one, two, three] = [await stage.signIn(user), await stage.signIn(user), await stage.signIn(user)];
      const stranger = await stage.signIn(await stage.signUp({ of: user }));
      const list = async (path = '/v1/sessions') => (await stage.api.request('GET', path, { key: three.access })).body;
      const all = (await list())?.data as { id: string; current: boolean; ip: string; user_agent: string }[];
      expect(all.map(({ id, current }) => [id, current])).to.deep.equal([
        [three.id, true],
        [two.id, false],
        [one.id, false],
      ]);
      expect(all[0]).to.include({ ip: '127.0.0.1', user_agent: 'node' });
      const page = await list('/v1/sessions?limit=2');
      const rest = await list(`/v1/sessions?limit=2&cursor=${String(page?.next_cursor)}`);
      expect((rest?.data as { id: string }[]).map(({ id }) => id)).to.deep.equal([one.id]);

      const end = async (id: string) =>
        codeOf(await stage.api.request('DELETE', `/v1/sessions/${id}`, { key: three.access }));
      expect(await end(stranger.id), 'of somebody else').to.equal('404 NOT_FOUND');
      expect(await end(one.id)).to.equal('204');
      expect(await end(one.id), 'again').to.equal('404 NOT_FOUND');
      expect(await read(one.access)).to.equal('401 INVALID_ACCESS_TOKEN');
      expect(await read(two.access)).to.equal('200');
      const others = await stage.api.request('DELETE', '/v1/sessions', { key: three.access });
      expect(others.status).to.equal(204);
      expect(await read(two.access)).to.equal('401 INVALID_ACCESS_TOKEN');
      expect(await read(stranger.access)).to.equal('200');
      expect(((await list())?.data as unknown[]).length).to.equal(1);
    });

    it('end for good with a sign-out', async () => {
      const { access, refresh: token } = await stage.signIn(await stage.signUp());
      expect(codeOf(await stage.api.request('POST', '/v1/sessions/logout', { key: access }))).to.equal('204');
      expect(await read(access)).to.equal('401 INVALID_ACCESS_TOKEN');
      expect(await refresh(token)).to.equal('401 INVALID_REFRESH_TOKEN');
    });

    it('stop within two seconds in another process', async () => {
      const { access } = await stage.signIn(await stage.signUp());
      const other = await stage.process();
      expect(await read(access, other)).to.equal('200');
      await stage.api.request('POST', '/v1/sessions/logout', { key: access });
      expect(await read(access), 'here').to.equal('401 INVALID_ACCESS_TOKEN');
      await stage.clock.advance(2_001);
      expect(await read(access, other), 'there').to.equal('401 INVALID_ACCESS_TOKEN');
    });

    it('are read with an access token for 15 minutes', async () => {
      const { access } = await stage.signIn(await stage.signUp());
      const broken = `${access.slice(0, -1)}${access.endsWith('a') ? 'b' : 'a'}`;
      for (const token of [broken, generateToken('access'), 'at_x']) {
        expect(await read(token)).to.equal('401 INVALID_ACCESS_TOKEN');
      }
      await stage.clock.advance(15 * MINUTE - 1);
      expect(await read(access)).to.equal('200');
      await stage.clock.advance(1);
      expect(await read(access)).to.equal('401 EXPIRED_ACCESS_TOKEN');
    });
  });

  it('are deleted with their tokens a day after they ended', async () => {
    const old = await stage.signIn(await stage.signUp());
    await stage.clock.advance(29 * DAY);
    const young = await stage.signIn(await stage.signUp());
    await stage.clock.advance(2 * DAY + 1);
    const before = new Date(stage.clock.now().getTime() - DAY);
    await purgeEndedSessions(stage.db, before, 100);
    const left = await stage.db.query<{ id: string; kinds: string[] }>(
      `SELECT session.id, array_agg(token.kind) AS kinds FROM sessions AS session
       JOIN session_tokens AS token ON token.session_id = session.id WHERE session.id = ANY ($1) GROUP BY session.id`,
      [[old.id, young.id]],
    );
    expect(left).to.deep.equal([{ id: young.id, kinds: ['refresh'] }]);
  });

  it('read cookies as browsers send them', () => {
    expect([...cookiesOf(`a=1; ${COOKIE}=rt_x=; a=2; =3; b`)]).to.deep.equal([
      ['a', '1'],
      [COOKIE, 'rt_x='],
    ]);
    expect([...cookiesOf(undefined)]).to.deep.equal([]);
  });
});
