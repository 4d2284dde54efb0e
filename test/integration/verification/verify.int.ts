import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import { SmtpMailer } from '../../../adapters/mail/smtp.js';
import { MailServer } from '../../support/peers/mail-server.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { NUMBER, verifyEach, type VerifyStage } from '../../support/stages/verify-stage.js';

describe('the verification API', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  verifyEach((made) => (stage = made));

  it('conforms to the OpenAPI contract', async () => {
    expect(await routeProblems(stage.api, stage.routes)).to.deep.equal([]);
    const document = openApiDocument({ routes: stage.routes, version: '1', serverUrl: '' });
    expect(documentProblems(document, stage.routes)).to.deep.equal([]);
  });

  describe('sends a code', () => {
    it('that can be entered once', async () => {
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
      const [event, ...more] = await stage.eventData('verify.completed', id);
      expect(event).to.deep.include({
        verification_id: id,
        state: 'verified',
        channel: 'sms',
        to_masked: '+96650••••17',
        sandbox: false,
      });
      expect(more).to.deep.equal([]);
    });

    it('with the requested length and lifetime, also in Arabic-Indic digits', async () => {
      const { id, code } = await stage.started({ code_length: 10, expires_in_seconds: 60 });
      expect(code).to.match(/^\d{10}$/);
      const arabic = Array.from(code, (digit) => String.fromCharCode(0x660 + Number(digit))).join('');
      expect(await stage.check(id, arabic)).to.include({ verified: true });
    });

    it('in a call, spoken twice, and never stored', async () => {
      const { verification_id: id } = await stage.good('POST', '/verify', {
        to: NUMBER,
        channel: 'voice',
        language: 'en',
      });
      expect(await stage.check(String(id), '123456'), 'before the code was spoken').to.include({ verified: false });
      const callId = await stage.phones.newest();
      await stage.phones.untilStatus(callId, 'ended');
      const digits = stage.spoken('en');
      expect(digits).to.match(/^\d{6}$/);
      expect(stage.phones.said[0], 'an announcement comes first').to.be.a('string');
      const [row] = await stage.database.db.query<{ stored: string }>(
        `SELECT concat((SELECT json_agg(c) FROM calls AS c WHERE id = $1),
           (SELECT json_agg(t) FROM call_timeline AS t WHERE call_id = $1),
           (SELECT json_agg(e) FROM events AS e WHERE call_id = $1),
           (SELECT json_agg(o) FROM one_time_codes AS o WHERE o.id = $2)) AS stored`,
        [callId, id],
      );
      expect(await stage.phones.eventTypes(callId), 'nobody learns of the call').to.deep.equal([]);
      expect(row?.stored).to.contain('code.spoken').and.not.to.contain(digits);
      expect(stage.api.log.join('\n')).not.to.contain(digits);
      expect(await stage.check(String(id), digits)).to.include({ verified: true });
    });

    it('again if the process restarted during the call: only the last code is valid', async () => {
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

    it('through a configured channel if none is requested', async () => {
      expect(await stage.good('POST', '/verify', { to: NUMBER })).to.include({ channel: 'sms' });
      stage.away.smsSettings = true;
      expect(await stage.good('POST', '/verify', { to: NUMBER })).to.include({ channel: 'voice' });
    });

    it('once per idempotency key', async () => {
      const headers = { 'Idempotency-Key': 'one' };
      const json = { to: NUMBER, channel: 'sms' };
      const ask = () => stage.api.request('POST', '/v1/verify', { key: stage.liveKey, json, headers });
      const [first, again] = [await ask(), await ask()];
      expect(again.body).to.deep.equal(first.body);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      expect(stage.sent).to.have.length(1);
    });
  });
});
