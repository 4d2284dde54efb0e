import { expect } from 'chai';
import { openApiDocument } from '../../api/http/openapi.js';
import { newId } from '../../core/model/ids.js';
import { SmtpMailer } from '../../adapters/mail/smtp.js';
import { MailServer } from '../support/mail-server.js';
import { documentProblems, routeProblems } from '../support/route-contract.js';
import { verifyEach, type VerifyStage } from '../support/verify-stage.js';

const NUMBER = '+966501234517';

/** A code of the same length that is not this one. */
const wrong = (code: string): string => code.replace(/^./, (digit) => String((Number(digit) + 1) % 10));

describe('the API of verification', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  verifyEach((made) => (stage = made));

  it('keeps to its definitions', async () => {
    expect(await routeProblems(stage.api, stage.routes)).to.deep.equal([]);
    const document = openApiDocument({ routes: stage.routes, version: '1', serverUrl: '' });
    expect(documentProblems(document, stage.routes)).to.deep.equal([]);
  });

  describe('sends a code', () => {
    it('that is entered once', async () => {
      const made = await stage.good('POST', '/verify', { to: '0501234517', channel: 'sms', language: 'en' });
      expect(made).to.deep.include({ state: 'pending', channel: 'sms', to_masked: '+96650••••17', attempts_left: 5 });
      const id = String(made.verification_id);
      const [message] = stage.sent;
      expect(message).to.deep.include({ to: NUMBER, language: 'en', brand: null, lifetimeSeconds: 300 });
      expect(message?.code).to.match(/^\d{6}$/);
      expect(await stage.good('GET', `/verify/${id}`)).to.deep.equal(made);
      expect(await stage.check(id, message!.code)).to.deep.equal({
        verification_id: id,
        state: 'verified',
        verified: true,
      });
      expect(await stage.check(id, message!.code)).to.deep.equal({
        verification_id: id,
        state: 'verified',
        verified: false,
      });
      const [told, ...more] = await stage.told('verify.completed', id);
      expect(told).to.deep.include({
        verification_id: id,
        state: 'verified',
        channel: 'sms',
        to_masked: '+96650••••17',
      });
      expect(more).to.deep.equal([]);
    });

    it('of the length and for the time that is asked for, in Arabic-Indic digits too', async () => {
      const { id, code } = await stage.started({ code_length: 10, expires_in_seconds: 60 });
      expect(code).to.match(/^\d{10}$/);
      const arabic = Array.from(code, (digit) => String.fromCharCode(0x660 + Number(digit))).join('');
      expect(await stage.check(id, arabic)).to.include({ verified: true });
    });

    it('by telephone, said twice, and never written down', async () => {
      const { verification_id: id } = await stage.good('POST', '/verify', {
        to: NUMBER,
        channel: 'voice',
        language: 'en',
      });
      expect(await stage.check(String(id), '123456'), 'before it was told').to.include({ verified: false });
      const callId = await stage.phones.newest();
      await stage.phones.untilStatus(callId, 'ended');
      const digits = stage.spoken('en');
      expect(digits).to.match(/^\d{6}$/);
      expect(stage.phones.said[0], 'the digits are asked for first').to.be.a('string');
      const [row] = await stage.database.db.query<{ kept: string }>(
        `SELECT concat((SELECT json_agg(c) FROM calls AS c WHERE id = $1), (SELECT json_agg(t) FROM call_timeline AS t WHERE call_id = $1),
           (SELECT json_agg(e) FROM events AS e WHERE call_id = $1), (SELECT json_agg(o) FROM one_time_codes AS o WHERE o.id = $2)) AS kept`,
        [callId, id],
      );
      expect(row?.kept).to.contain('code.spoken').and.not.to.contain(digits);
      expect(stage.api.log.join('\n')).not.to.contain(digits);
      expect(await stage.check(String(id), digits)).to.include({ verified: true });
    });

    it('anew where the application went while it was told: only the last counts', async () => {
      const { verification_id: id } = await stage.good('POST', '/verify', {
        to: NUMBER,
        channel: 'voice',
        language: 'ar',
      });
      const callId = await stage.phones.newest();
      await stage.phones.untilStatus(callId, 'answered');
      await stage.phones.settle();
      const before = stage.spoken('ar');
      expect(before).to.match(/^\d{6}$/);
      await stage.phones.restart();
      await stage.phones.untilStatus(callId, 'ended');
      const both = stage.spoken('ar');
      expect(both).to.have.length(12);
      if (both.slice(6) !== before) expect(await stage.check(String(id), before)).to.include({ verified: false });
      expect(await stage.check(String(id), both.slice(6))).to.include({ verified: true });
    });

    it('by e-mail', async () => {
      const server = await MailServer.start();
      try {
        stage.mailer = new SmtpMailer({ url: server.url, from: 'codes@hatif.example' });
        const made = await stage.good('POST', '/verify', { to: 'Reem@Example.com', language: 'en' });
        expect(made).to.deep.include({ channel: 'email', to_masked: 're••••@example.com' });
        const { text, source } = await server.mailTo('reem@example.com');
        const [, code = ''] = /^(\d{6})\r?$/m.exec(text) ?? [];
        expect(source.split('\r\n\r\n')[0]).to.match(/^Subject: Your verification code$/m);
        expect(await stage.check(String(made.verification_id), code)).to.include({ verified: true });
      } finally {
        await server.close();
      }
    });

    it('by what is configured where no channel is asked for', async () => {
      expect(await stage.good('POST', '/verify', { to: NUMBER })).to.include({ channel: 'sms' });
      stage.away.smsSettings = true;
      expect(await stage.good('POST', '/verify', { to: NUMBER })).to.include({ channel: 'voice' });
    });

    it('once, whatever an idempotency key is repeated with', async () => {
      const headers = { 'Idempotency-Key': 'one' };
      const json = { to: NUMBER, channel: 'sms' };
      const ask = () => stage.api.request('POST', '/v1/verify', { key: stage.liveKey, json, headers });
      const [first, again] = [await ask(), await ask()];
      expect(again.body).to.deep.equal(first.body);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      expect(stage.sent).to.have.length(1);
    });
  });

  describe('counts entries', () => {
    it('a right one at the same moment verifies once', async () => {
      const { id, code } = await stage.started();
      const answers = await Promise.all(Array.from({ length: 8 }, () => stage.check(id, code)));
      expect(answers.filter(({ verified }) => verified)).to.have.length(1);
      expect(await stage.told('verify.completed', id)).to.have.length(1);
    });

    it('five wrong ones at the same moment spend five attempts', async () => {
      const { id, code } = await stage.started();
      const answers = await Promise.all(Array.from({ length: 5 }, () => stage.check(id, wrong(code))));
      expect(answers.filter(({ verified }) => verified)).to.deep.equal([]);
      expect(answers.filter(({ state }) => state === 'failed')).to.have.length(1);
      expect(await stage.good('GET', `/verify/${id}`)).to.include({ state: 'failed', attempts_left: 0 });
      const after = await stage.refused('POST', '/verify/check', { verification_id: id, code });
      expect(after).to.equal('409 VERIFY_MAX_ATTEMPTS');
      expect(await stage.told('verify.completed', id)).to.have.length(1);
    });

    it('seven at the same moment no more than five', async () => {
      const { id, code } = await stage.started();
      const json = { verification_id: id, code: wrong(code) };
      const answers = await Promise.all(Array.from({ length: 7 }, () => stage.request('POST', '/verify/check', json)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 200, 200, 200, 200, 409, 409]);
    });

    it('of the wrong form for nothing', async () => {
      const { id, code } = await stage.started();
      for (const bad of ['12345', '1234567', 'abcdef', '12 456', '', `${code} `, '１２３４５６']) {
        const answer = await stage.refused('POST', '/verify/check', { verification_id: id, code: bad });
        expect(answer, bad).to.equal('400 VERIFY_INVALID_CODE');
      }
      expect(await stage.good('GET', `/verify/${id}`)).to.include({ attempts_left: 5 });
      expect(await stage.check(id, code)).to.include({ verified: true });
    });

    it('a late one is told so once, whoever noted the end', async () => {
      for (const sweeps of [false, true]) {
        const { id, code } = await stage.started({ expires_in_seconds: 60 });
        await stage.clock.advance(60_000);
        if (sweeps) await stage.expiry.run();
        expect(await stage.good('GET', `/verify/${id}`)).to.include({ state: 'expired', attempts_left: 5 });
        expect(await stage.check(id, code)).to.deep.include({ state: 'expired', verified: false });
        expect(await stage.refused('POST', '/verify/check', { verification_id: id, code })).to.equal(
          '410 VERIFY_EXPIRED',
        );
        expect((await stage.told('verify.completed', id)).map(({ state }) => state)).to.deep.equal(['expired']);
        expect(await stage.refused('POST', `/verify/${id}/resend`)).to.equal('410 VERIFY_EXPIRED');
      }
    });

    it('up to the last moment', async () => {
      const { id, code } = await stage.started({ expires_in_seconds: 60 });
      await stage.clock.advance(59_999);
      expect(await stage.check(id, code)).to.include({ verified: true });
    });
  });

  describe('sends again', () => {
    it('after 30, 60 and 120 seconds, each time another code, and what was spent stays spent', async () => {
      const { id, code: first } = await stage.started({ expires_in_seconds: 3600 });
      await stage.check(id, wrong(first));
      for (const seconds of [30, 60, 120, 120]) {
        await stage.clock.advance((seconds - 1) * 1000);
        const early = await stage.request('POST', `/verify/${id}/resend`);
        expect([early.status, early.body?.error_code]).to.deep.equal([429, 'VERIFY_RATE_LIMITED']);
        expect(early.headers.get('retry-after')).to.equal('1');
        await stage.clock.advance(1000);
        expect(await stage.good('POST', `/verify/${id}/resend`)).to.include({ state: 'pending', attempts_left: 4 });
      }
      expect(stage.sent).to.have.length(5);
      const last = stage.sent.at(-1)!.code;
      if (last !== first) expect(await stage.check(id, first)).to.include({ verified: false });
      expect(await stage.check(id, last)).to.include({ verified: true });
      expect(await stage.good('POST', `/verify/${id}/resend`), 'nothing is sent').to.include({ state: 'verified' });
      expect(stage.sent).to.have.length(5);
    });

    it('one at a time', async () => {
      const { id } = await stage.started();
      await stage.clock.advance(30_000);
      const answers = await Promise.all([1, 2, 3].map(() => stage.request('POST', `/verify/${id}/resend`)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 429, 429]);
      expect(stage.sent).to.have.length(2);
    });

    it('for the whole time', async () => {
      const { id } = await stage.started({ expires_in_seconds: 60 });
      await stage.clock.advance(50_000);
      await stage.good('POST', `/verify/${id}/resend`);
      await stage.clock.advance(50_000);
      expect(await stage.check(id, stage.sent.at(-1)!.code)).to.include({ verified: true });
    });

    it('nothing of what was entered wrongly too often', async () => {
      const { id, code } = await stage.started();
      for (let times = 0; times < 5; times += 1) await stage.check(id, wrong(code));
      await stage.clock.advance(30_000);
      expect(await stage.refused('POST', `/verify/${id}/resend`)).to.equal('409 VERIFY_MAX_ATTEMPTS');
    });
  });

  describe('keeps from sending', () => {
    it('more than five to one recipient in ten minutes', async () => {
      for (let times = 0; times < 5; times += 1) await stage.started();
      const sixth = await stage.request('POST', '/verify', { to: NUMBER, channel: 'sms' });
      expect([sixth.status, sixth.body?.error_code]).to.deep.equal([429, 'VERIFY_RATE_LIMITED']);
      expect(Number(sixth.headers.get('retry-after'))).to.be.within(500, 601);
      await stage.started({ to: '+966501234518' });
      await stage.clock.advance(601_000);
      await stage.started();
    });

    it('many for one end user, and to one block of numbers', async () => {
      Object.assign(stage.rules, { perAddress: 2, perBlock: 3 });
      const to = (last: number, end_user_ip?: string) =>
        stage.request('POST', '/verify', { to: `+96650123451${last}`, channel: 'sms', end_user_ip });
      const statuses = [
        await to(0, '192.0.2.1'),
        await to(1, '192.0.2.1'),
        await to(2, '192.0.2.1'),
        await to(3, '2001:db8::1'),
        await to(4),
      ];
      expect(statuses.map(({ status }) => status)).to.deep.equal([201, 201, 429, 201, 429]);
      await stage.started({ to: '+966559990000' });
    });

    it('to blocked prefixes', async () => {
      expect(await stage.refused('POST', '/verify', { to: '+966599990000', channel: 'sms' })).to.equal(
        '403 VERIFY_BLOCKED',
      );
      expect(stage.sent).to.deep.equal([]);
    });

    it('to blocks whose codes are hardly ever entered, and ends what is open there', async () => {
      Object.assign(stage.rules, { fraudSends: 4, fraudPercent: 50 });
      const { id: open } = await stage.started({ to: '+966507770000' });
      const { id, code } = await stage.started({ to: '+966507770001' });
      await stage.check(id, code);
      for (const last of [2, 3, 4]) await stage.started({ to: `+96650777000${last}`, expires_in_seconds: 60 });
      await stage.clock.advance(61_000);
      expect(await stage.refused('POST', '/verify', { to: '+966507770009', channel: 'sms' })).to.equal(
        '403 VERIFY_BLOCKED',
      );
      await stage.started({ to: '+966507780009' });
      const { key } = await stage.api.key();
      await stage.good('POST', '/verify', { to: '+966507770009', channel: 'sms' }, key);

      expect(await stage.refused('POST', `/verify/${open}/resend`)).to.equal('403 VERIFY_BLOCKED');
      expect(await stage.good('GET', `/verify/${open}`)).to.include({ state: 'blocked' });
      expect(await stage.refused('POST', '/verify/check', { verification_id: open, code: '123456' })).to.equal(
        '403 VERIFY_BLOCKED',
      );
      expect((await stage.told('verify.completed', open)).map(({ state }) => state)).to.deep.equal(['blocked']);
    });
  });

  describe('refuses', () => {
    it('what is wrong, by name', async () => {
      const refused: [object, string][] = [
        [{}, '400 VALIDATION_ERROR to'],
        [{ to: '12' }, '400 INVALID_PHONE_NUMBER to'],
        [{ to: '911' }, '400 INVALID_PHONE_NUMBER to'],
        [{ to: 'reem@' }, '400 VALIDATION_ERROR to'],
        [{ to: NUMBER, channel: 'email' }, '400 VALIDATION_ERROR channel'],
        [{ to: 'reem@example.com', channel: 'sms' }, '400 VALIDATION_ERROR channel'],
        [{ to: NUMBER, channel: 'pigeon' }, '400 VALIDATION_ERROR channel'],
        [{ to: NUMBER, code_length: 3 }, '400 VALIDATION_ERROR code_length'],
        [{ to: NUMBER, code_length: 11 }, '400 VALIDATION_ERROR code_length'],
        [{ to: NUMBER, expires_in_seconds: 59 }, '400 VALIDATION_ERROR expires_in_seconds'],
        [{ to: NUMBER, expires_in_seconds: 3601 }, '400 VALIDATION_ERROR expires_in_seconds'],
        [{ to: NUMBER, end_user_ip: '300.1.1.1' }, '400 VALIDATION_ERROR end_user_ip'],
        [{ to: NUMBER, brand_id: newId() }, '400 VALIDATION_ERROR brand_id'],
        [{ to: NUMBER, code: '123456' }, '400 VALIDATION_ERROR code'],
        [{ to: NUMBER, channel: 'chatapp' }, '422 CHANNEL_NOT_CONFIGURED'],
        [{ to: 'reem@example.com' }, '422 CHANNEL_NOT_CONFIGURED'],
      ];
      for (const [json, expected] of refused) {
        const answer = await stage.refused('POST', '/verify', json);
        expect(answer.replace(/^(400 INVALID_PHONE_NUMBER)$/, '$1 to'), JSON.stringify(json)).to.equal(expected);
      }
      expect(stage.sent).to.deep.equal([]);
    });

    it('what cannot be sent, and forgets it', async () => {
      stage.away.sms = true;
      stage.away.voice = true;
      expect(await stage.refused('POST', '/verify', { to: NUMBER, channel: 'sms' })).to.equal('502 VERIFY_SEND_FAILED');
      expect(await stage.refused('POST', '/verify', { to: NUMBER, channel: 'voice' })).to.equal(
        '502 VERIFY_SEND_FAILED',
      );
      stage.away.voice = false;
      await stage.database.db.query(`UPDATE engines SET status = 'unreachable' WHERE id = $1`, [
        stage.phones.ground.engineId,
      ]);
      expect(await stage.refused('POST', '/verify', { to: NUMBER, channel: 'voice' })).to.equal(
        '502 VERIFY_SEND_FAILED',
      );
      const kept = await stage.database.db.query(`SELECT id FROM verifications WHERE project_id = $1`, [
        stage.projectId,
      ]);
      expect(kept).to.deep.equal([]);
    });

    it('voice where the project has no number to call from', async () => {
      await stage.database.db.query(`UPDATE projects SET main_number = NULL WHERE id = $1`, [stage.projectId]);
      const { key } = await stage.api.key({ projectId: stage.projectId });
      const answer = await stage.refused('POST', '/verify', { to: NUMBER, channel: 'voice' }, key);
      expect(answer).to.equal('422 CHANNEL_NOT_CONFIGURED');
    });

    it('everything while the feature is off', async () => {
      const { projectId } = await stage.api.owner({ verify: false });
      const { key } = await stage.api.key({ projectId });
      const id = newId();
      for (const [method, path, json] of [
        ['POST', '/verify', { to: NUMBER }],
        ['GET', `/verify/${id}`, undefined],
        ['POST', '/verify/check', { verification_id: id, code: '123456' }],
        ['POST', `/verify/${id}/resend`, undefined],
      ] as const) {
        expect(await stage.refused(method, path, json, key)).to.equal('503 VERIFY_DISABLED');
      }
    });

    it('strangers and those who may not', async () => {
      const { id, code } = await stage.started();
      const { key: stranger } = await stage.api.key();
      const { key: reader } = await stage.api.key({ projectId: stage.projectId, scopes: ['verify:read'] });
      const { key: writer } = await stage.api.key({ projectId: stage.projectId, scopes: ['verify:write'] });
      const check = { verification_id: id, code };
      for (const key of [stranger, stage.sandboxKey]) {
        expect(await stage.refused('GET', `/verify/${id}`, undefined, key)).to.equal('404 VERIFY_NOT_FOUND');
        expect(await stage.refused('POST', `/verify/${id}/resend`, undefined, key)).to.equal('404 VERIFY_NOT_FOUND');
        expect(await stage.refused('POST', '/verify/check', check, key)).to.equal('404 VERIFY_NOT_FOUND');
      }
      for (const unknown of [newId(), 'x', '']) {
        const json = { verification_id: unknown, code };
        expect(await stage.refused('POST', '/verify/check', json)).to.equal('404 VERIFY_NOT_FOUND');
      }
      expect(await stage.refused('POST', '/verify/check', check, reader)).to.equal('403 INSUFFICIENT_PERMISSIONS');
      expect(await stage.refused('GET', `/verify/${id}`, undefined, writer)).to.equal('403 INSUFFICIENT_PERMISSIONS');
      expect(await stage.check(id, code)).to.include({ verified: true });
    });

    it('what is another purpose’s code', async () => {
      const other = await stage.codes.create({ purpose: 'other', length: 6, lifetimeSeconds: 60, sandbox: false });
      expect(await stage.codes.enter(other.id, 'verify', '123456')).to.equal(null);
      expect(await stage.refused('GET', `/verify/${other.id}`)).to.equal('404 VERIFY_NOT_FOUND');
    });
  });

  describe('in the sandbox', () => {
    const sandboxed = (json: object) => stage.good('POST', '/verify', json, stage.sandboxKey);

    it('calls the simulator, and the code is all zeros', async () => {
      const { verification_id: id, ...made } = await sandboxed({ to: '+966500000001', code_length: 4 });
      expect(made).to.deep.include({ state: 'pending', channel: 'voice' });
      const [call] = await stage.database.db.query<{ id: string; engine_id: string; sandbox: boolean }>(
        `SELECT id, engine_id, sandbox FROM calls WHERE project_id = $1`,
        [stage.projectId],
      );
      expect(call).to.deep.include({ engine_id: stage.sandbox.ground.engineId, sandbox: true });
      expect(await stage.check(String(id), '0000', stage.sandboxKey)).to.include({ verified: true });
      await stage.sandbox.untilStatus(call!.id, 'ended');
      const [event] = await stage.database.db.query<{ sandbox: boolean }>(
        `SELECT sandbox FROM events WHERE type = 'verify.completed' AND data->>'verification_id' = $1`,
        [id],
      );
      expect(event).to.deep.equal({ sandbox: true });
    });

    it('writes to nobody', async () => {
      for (const json of [{ to: '+966500000001', channel: 'chatapp' }, { to: 'reem@example.com' }]) {
        const { verification_id: id } = await sandboxed(json);
        expect(await stage.check(String(id), '111111', stage.sandboxKey)).to.include({ verified: false });
        expect(await stage.check(String(id), '000000', stage.sandboxKey)).to.include({ verified: true });
      }
      expect(stage.sent).to.deep.equal([]);
    });

    it('has its own numbers only', async () => {
      const refused = (to: string) => stage.refused('POST', '/verify', { to }, stage.sandboxKey);
      expect(await refused(NUMBER)).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
      expect(await refused('+966500000017')).to.equal('500 SANDBOX_SIMULATED_SERVER_ERROR');
    });

    it('is seen by a live key', async () => {
      const { verification_id: id } = await sandboxed({ to: '+966500000001' });
      expect(await stage.good('GET', `/verify/${String(id)}`)).to.include({ state: 'pending' });
    });
  });
});
