import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import { purgeSignups } from '../../../core/data/repositories/accounts/signups.js';
import { newId } from '../../../core/model/ids.js';
import { SANDBOX_LINE } from '../../../core/model/number/demo.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { SignupStage } from '../../support/stages/accounts/signup-stage.js';
import { stageOnce } from '../../support/each.js';
import { codeOf, detailsOf } from '../../support/judges/outcome.js';
import { PASSWORD } from '../../support/stages/accounts/accounts-stage.js';

const DAY_MS = 86_400_000;

describe('A sign-up', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let stage: SignupStage;

  stageOnce(
    (on) => SignupStage.open(on),
    (opened, on) => ([stage, database] = [opened, on]),
  );

  it('has routes that do what their definitions specify', async () => {
    expect(await routeProblems(stage.accounts.api, stage.routes)).to.deep.equal([]);
    const document = openApiDocument({ routes: stage.routes, version: '1', serverUrl: '' });
    expect(documentProblems(document, stage.routes)).to.deep.equal([]);
    const listed = document as { readonly tags: readonly Record<string, string>[] };
    expect(listed.tags).to.have.length(1).and.to.have.nested.property('[0].x-description-ar');
  });

  it('makes nothing before its link is used', async () => {
    const before = await stage.counts();
    const form = stage.form();
    const answer = await stage.begin(form);
    expect(answer.status, answer.text).to.equal(202);
    expect(answer.body).to.have.all.keys('signup_id', 'expires_at');
    expect(Date.parse(String(answer.body?.expires_at)) - stage.accounts.clock.now().getTime()).to.equal(DAY_MS);
    expect(await stage.counts()).to.deep.equal(before);
    const [mail] = await stage.mails(String(form.email));
    expect(mail).to.include({ kind: 'signup', locale: 'en' });
    expect(mail?.token).to.match(/^sgn_/);
    const rows = await database.db.query('SELECT * FROM signups WHERE email = $1', [form.email]);
    expect(JSON.stringify(rows)).to.not.contain(PASSWORD).and.to.not.contain(mail?.token);
  });

  it('is answered alike if a user has the address, who gets a mail that says so', async () => {
    const known = await stage.accounts.signUp();
    const answers = [
      await stage.begin(stage.form()),
      await stage.begin(stage.form({ email: ` ${known.row.email.toUpperCase()} `, name: 'Mallory' })),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202]);
    const shapes = answers.map(({ text }) => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id'));
    expect(shapes[0]).to.equal(shapes[1]);
    const mails = await stage.mails(known.row.email);
    expect(mails).to.deep.equal([{ kind: 'signup_known', locale: 'ar', data: { name: known.row.name }, token: '' }]);
    expect(await database.db.query('SELECT id FROM signups WHERE email = $1', [known.row.email])).to.deep.equal([]);
    const again = await stage.ask('POST', '/resend', { signup_id: answers[1]?.body?.signup_id });
    expect([again.status, again.text]).to.deep.equal([202, '{}']);
    expect(await stage.mails(known.row.email)).to.have.length(1);
  });

  it('is refused without a proof of work, and with one that was used', async () => {
    const form = stage.form();
    const challenge = await stage.proof();
    expect(codeOf(await stage.ask('POST', '', form))).to.equal('400 CAPTCHA_FAILED');
    expect((await stage.ask('POST', '', { ...form, challenge })).status).to.equal(202);
    expect(codeOf(await stage.ask('POST', '', { ...form, challenge }))).to.equal('400 CAPTCHA_FAILED');
    const wrong = { ...(await stage.proof()), number: 1 };
    expect(codeOf(await stage.ask('POST', '', { ...form, challenge: wrong }))).to.equal('400 CAPTCHA_FAILED');
  });

  it('names every bad field at once', async () => {
    const json = { email: 'huda', password: 'password', organization_name: 'x'.repeat(101), locale: 'fr' };
    const answer = await stage.begin(json);
    expect(codeOf(answer)).to.equal('400 SIGNUP_VALIDATION_FAILED');
    const details = detailsOf(answer);
    expect(details.map(({ path }) => path)).to.deep.equal(['email', 'password', 'name', 'organization_name', 'locale']);
    for (const { message_ar } of details) expect(message_ar).to.match(/[\u0621-\u064a]/);
    const leaked = await stage.begin(stage.form({ password: 'masha_love' }));
    expect(leaked.body?.details).to.have.nested.property('[0].path', 'password');
    expect(leaked.body?.message).to.contain('leaked');
    expect(codeOf(await stage.begin(stage.form({ role: 'owner' })))).to.equal('400 VALIDATION_ERROR');
  });

  it('takes three of an address in an hour, and ten of a client in 15 minutes', async () => {
    const known = await stage.accounts.signUp();
    for (const { email } of [stage.form(), { email: known.row.email }]) {
      const codes = [1, 2, 3, 4].map(async () => codeOf(await stage.begin(stage.form({ email }))));
      expect((await Promise.all(codes)).sort()).to.deep.equal(['202', '202', '202', '429 RATE_LIMIT_EXCEEDED']);
    }
    const headers = { 'X-Forwarded-For': stage.address() };
    for (let n = 1; n <= 10; n += 1) {
      expect(codeOf(await stage.ask('POST', '', stage.form(), { headers }))).to.equal('400 CAPTCHA_FAILED');
    }
    expect(codeOf(await stage.ask('POST', '', stage.form(), { headers }))).to.equal('429 RATE_LIMIT_EXCEEDED');
  });

  it('does not send passwords that others on the way can read', async () => {
    const headers = { 'X-Forwarded-Proto': 'http' };
    const answers = [await stage.begin(stage.form(), { headers }), await stage.confirm('sgn_x', {}, { headers })];
    for (const answer of answers) {
      expect(codeOf(answer)).to.equal('400 VALIDATION_ERROR');
      expect(answer.body?.message).to.contain('connection: is not encrypted');
    }
  });

  it('answers 404 if the operator has not opened it', async () => {
    stage.isOpen = false;
    const api = await stage.accounts.process(['loopback']);
    stage.isOpen = true;
    const before = await stage.counts();
    const token = await stage.begun(stage.form());
    const answers = [
      await stage.ask('GET', '/challenge', undefined, { api }),
      await stage.begin(stage.form(), { api }),
      await stage.ask('POST', '/resend', { signup_id: newId() }, { api }),
      await stage.confirm(token, {}, { api }),
    ];
    expect(answers.map(codeOf)).to.deep.equal(Array(4).fill('404 NOT_FOUND'));
    expect(await stage.counts()).to.deep.equal(before);
  });

  it('reports a fault of the platform, and stores nothing', async () => {
    const form = stage.form();
    await database.db.query('ALTER TABLE owner_mails RENAME TO owner_mails_away');
    try {
      expect(codeOf(await stage.begin(form))).to.equal('500 SIGNUP_FAILED');
      await database.db.query('ALTER TABLE signups RENAME TO signups_away');
      try {
        expect(codeOf(await stage.ask('POST', '/resend', { signup_id: newId() }))).to.equal('500 SIGNUP_FAILED');
      } finally {
        await database.db.query('ALTER TABLE signups_away RENAME TO signups');
      }
    } finally {
      await database.db.query('ALTER TABLE owner_mails_away RENAME TO owner_mails');
    }
    expect(await database.db.query('SELECT id FROM signups WHERE email = $1', [form.email])).to.deep.equal([]);
  });

  it('that is sent again gets a new link, which replaces the one before, twice in an hour', async () => {
    const form = stage.form();
    const begun = await stage.begin(form);
    const json = { signup_id: begun.body?.signup_id };
    const answers = [1, 2, 3].map(() => stage.ask('POST', '/resend', json));
    expect((await Promise.all(answers)).map(codeOf).sort()).to.deep.equal(['202', '202', '429 RATE_LIMIT_EXCEEDED']);
    const tokens = (await stage.mails(String(form.email))).map(({ token }) => token);
    expect(tokens).to.have.length(3);
    const codes = await Promise.all(tokens.map(async (token) => codeOf(await stage.confirm(token))));
    expect(codes.sort()).to.deep.equal(['201', '400 VALIDATION_ERROR', '400 VALIDATION_ERROR']);
    expect(codeOf(await stage.ask('POST', '/resend', { signup_id: newId() }))).to.equal('202');
    expect(codeOf(await stage.ask('POST', '/resend', { signup_id: 'x' }))).to.equal('400 VALIDATION_ERROR');
  });

  it('expires after a day, and is then forgotten', async () => {
    const token = await stage.begun(stage.form());
    await stage.accounts.clock.advance(DAY_MS);
    expect(codeOf(await stage.confirm(token))).to.equal('400 VALIDATION_ERROR');
    await stage.accounts.clock.advance(1);
    expect(await purgeSignups(database.db, stage.accounts.clock.now(), 1000)).to.be.greaterThan(0);
    expect(await database.db.query('SELECT id FROM signups WHERE expires_at < $1', [stage.accounts.clock.now()])).to.be
      .empty;
  });
});

describe('A confirmed sign-up', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let stage: SignupStage;

  stageOnce(
    (on) => SignupStage.open(on),
    (opened, on) => ([stage, database] = [opened, on]),
  );

  it('is a sandbox organization with all that it can be tried with, and its owner is signed in', async () => {
    const form = stage.form({ name: 'Huda', locale: 'en' });
    const answer = await stage.confirm(await stage.begun(form));
    expect(answer.status, answer.text).to.equal(201);
    const made = answer.body as unknown as Record<string, Record<string, string>>;
    expect(made.user).to.include({
      email: form.email,
      email_confirmed: true,
      name: 'Huda',
      locale: 'en',
      agent: '1001',
    });
    expect(made.organization).to.include({ name: 'Riyadh Dental', tier: 'sandbox' });
    expect(made).to.include({ role: 'owner', number: SANDBOX_LINE });
    const of = [made.project?.id];
    const db = database.db;
    const [agent] = await db.query('SELECT * FROM agents WHERE project_id = $1', of);
    expect(agent).to.include({ agent: '1001', may_call_out: false, aor: made.softphone?.sip_username });
    const [flow] = await db.query('SELECT * FROM callflows WHERE project_id = $1', of);
    expect(flow).to.include({ id: made.callflow_id, sandbox: true, status: 'active', version: 1 });
    const [number, ...more] = await db.query('SELECT * FROM numbers WHERE project_id = $1', of);
    expect(number).to.include({ e164: SANDBOX_LINE, sandbox: true, state: 'assigned', source: 'demo' });
    expect(number).to.have.deep.property('binding', { type: 'callflow', target: made.callflow_id });
    expect(more).to.be.empty;
    for (const engine of stage.engines) {
      expect(engine.softphones.get(String(made.softphone?.sip_username))?.password).to.equal(
        made.softphone?.sip_password,
      );
    }
    const key = String(made.session?.access_token);
    const listed = await stage.accounts.api.request('GET', '/v1/sessions', { key });
    expect(listed.body?.data).to.have.nested.property('[0].id', made.session?.session_id);
    const signedIn = await stage.accounts.api.request('POST', '/v1/sessions', {
      json: { email: form.email, password: PASSWORD },
    });
    expect(codeOf(signedIn)).to.equal('200');
    expect(await db.query('SELECT id FROM signups WHERE email = $1', [form.email])).to.be.empty;
  });

  it('keeps the refresh token of a browser in a cookie', async () => {
    const { headers, body } = await stage.confirm(await stage.begun(stage.form()), { client: 'browser' });
    expect(headers.get('set-cookie')).to.match(/^__Host-hatif_refresh=rt_.*HttpOnly/);
    expect(body?.session).to.have.property('refresh_token', null);
  });

  it('needs the token and the password of the sign-up', async () => {
    const before = await stage.counts();
    const token = await stage.begun(stage.form());
    expect(codeOf(await stage.confirm(token, { password: `${PASSWORD}!` }))).to.equal('401 INVALID_CREDENTIALS');
    for (const other of ['', 'sgn_x', token.replace('sgn_', 'rst_'), token.slice(0, -1)]) {
      expect(codeOf(await stage.confirm(other))).to.equal('400 VALIDATION_ERROR');
    }
    expect(await stage.counts()).to.deep.equal(before);
    for (let n = 2; n <= 10; n += 1) await stage.confirm(token, { password: 'x' });
    expect(codeOf(await stage.confirm(token))).to.equal('429 RATE_LIMIT_EXCEEDED');
  });

  it('is made once, whatever is confirmed at the same moment', async () => {
    const form = stage.form();
    const tokens = [await stage.begun(form), await stage.begun(form)];
    const codes = await Promise.all([...tokens, ...tokens].map(async (token) => codeOf(await stage.confirm(token))));
    expect(codes.filter((code) => code === '201')).to.have.length(1);
    expect(new Set(codes.filter((code) => code !== '201'))).to.satisfy((others: Set<string>) =>
      [...others].every((code) => code === '409 SIGNUP_EMAIL_TAKEN' || code === '400 VALIDATION_ERROR'),
    );
    expect(await database.db.query('SELECT id FROM users WHERE email = $1', [form.email])).to.have.length(1);
  });

  it('is refused if a user got the address meanwhile', async () => {
    const form = stage.form();
    const token = await stage.begun(form);
    await stage.accounts.signUp({ user: { email: String(form.email) } });
    const before = await stage.counts();
    expect(codeOf(await stage.confirm(token))).to.equal('409 SIGNUP_EMAIL_TAKEN');
    expect(await stage.counts()).to.deep.equal(before);
  });
});
