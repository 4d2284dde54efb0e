import { expect } from 'chai';
import { SmtpMailer } from '../../../adapters/mail/smtp.js';
import { PARTIES, type Party } from '../../../engine/simulator/party.js';
import { MailServer } from '../../support/peers/mail-server.js';
import { SPENT, spendAll } from '../../support/stages/billing/charging.js';
import { NUMBER, verifyEach, type VerifyStage } from '../../support/stages/verify-stage.js';

const MAIL = 'reem@example.com';
const BY_MAIL = [{ channel: 'email', to: MAIL }];
/** A number whose calls are busy in the sandbox. */
const SANDBOX_BUSY = '+966500000003';

interface Attempt {
  readonly channel: string;
  readonly state: string;
  readonly reason: string | null;
}

describe('a verification whose code does not arrive', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  let server: MailServer;
  let isRefusing: Error | null = null;
  verifyEach((made) => (stage = made));
  before(async () => {
    server = await MailServer.start({ onRcptTo: (_, __, callback) => callback(isRefusing) });
  });
  after(() => server.close());
  beforeEach(() => {
    isRefusing = null;
    stage.mailer = new SmtpMailer({ url: server.url, from: 'codes@hatif.example' });
  });

  /** Starts a call to a customer who behaves like that. @returns the verification after the call */
  async function afterCall(party: Party, json: object = {}): Promise<string> {
    stage.phones.parties.set(NUMBER, party);
    const made = await stage.good('POST', '/verify', { to: NUMBER, channel: 'voice', language: 'en', ...json });
    const callId = await stage.phones.newest();
    await stage.phones.until(async () => (await stage.phones.calls.find(callId))?.ended_at != null);
    await stage.fallback.run();
    return String(made.verification_id);
  }
  const read = (id: string, key?: string) => stage.good('GET', `/verify/${id}`, undefined, key);
  const attemptsOf = (verification: Record<string, unknown>): string[] =>
    (verification.send_attempts as Attempt[]).map(({ channel, state, reason }) => `${channel} ${state} ${reason}`);
  async function codeFromMail(): Promise<string> {
    const [, code = ''] = /^(\d{6})\r?$/m.exec((await server.mailTo(MAIL)).text) ?? [];
    return code;
  }

  const CAUSES = [
    ['busy', PARTIES.busy],
    ['rejected', PARTIES.rejects],
    ['no_answer', PARTIES.neverAnswers],
    ['invalid_number', PARTIES.unknownNumber],
    ['unreachable', PARTIES.carrierFails],
  ] as const;
  for (const [reason, party] of CAUSES) {
    it(`says why: ${reason}`, async () => {
      const id = await afterCall(party);
      expect(await read(id)).to.deep.include({ state: 'pending', channel: 'voice', failure_reason: reason });
      expect(attemptsOf(await read(id))).to.deep.equal([`voice failed ${reason}`]);
    });
  }

  it('falls back to the next channel, with another code and a new lifetime', async () => {
    const id = await afterCall(PARTIES.busy, { fallback: BY_MAIL, expires_in_seconds: 60 });
    const { expires_at, ...verification } = await read(id);
    expect(verification).to.deep.include({
      state: 'pending',
      channel: 'email',
      to_masked: 're••••@example.com',
      failure_reason: null,
    });
    expect(attemptsOf(verification)).to.deep.equal(['voice failed busy', 'email sent null']);
    expect(Date.parse(String(expires_at)) - stage.clock.now().getTime()).to.equal(60_000);
    const code = await codeFromMail();
    expect(await stage.check(id, code)).to.include({ verified: true });
    const [event] = await stage.eventData('verify.completed', id);
    expect(event).to.deep.include({ state: 'verified', channel: 'email', failure_reason: null });
    expect(attemptsOf(event!)).to.deep.equal(['voice failed busy', 'email sent null']);
    expect(JSON.stringify(event), 'ids of system calls are secret').not.to.contain(await stage.phones.newest());
    expect(stage.api.log.join('\n')).not.to.contain(code);
  });

  it('is sent once, whichever processes see the failure', async () => {
    stage.phones.parties.set(NUMBER, PARTIES.busy);
    const before = server.mails.length;
    const { verification_id } = await stage.good('POST', '/verify', {
      to: NUMBER,
      channel: 'voice',
      fallback: BY_MAIL,
    });
    const callId = await stage.phones.newest();
    await stage.phones.until(async () => (await stage.phones.calls.find(callId))?.ended_at != null);
    await Promise.all([stage.fallback.run(), stage.fallback.run(), stage.fallback.run()]);
    await stage.fallback.run();
    expect(server.mails.length - before).to.equal(1);
    expect(attemptsOf(await read(String(verification_id)))).to.have.length(2);
  });

  it('does not fall back once the code was spoken', async () => {
    const before = server.mails.length;
    const id = await afterCall(PARTIES.answers, { fallback: BY_MAIL });
    expect(attemptsOf(await read(id))).to.deep.equal(['voice sent null']);
    expect(server.mails).to.have.length(before);
    expect(await stage.check(id, stage.spoken('en'))).to.include({ verified: true });
  });

  it('does not fall back once the verification is over', async () => {
    stage.phones.parties.set(NUMBER, PARTIES.neverAnswers);
    const before = server.mails.length;
    const { verification_id: id } = await stage.good('POST', '/verify', {
      ...{ to: NUMBER, channel: 'voice', fallback: BY_MAIL, expires_in_seconds: 60 },
    });
    const callId = await stage.phones.newest();
    await stage.phones.until(async () => (await stage.phones.calls.find(callId))?.ended_at != null);
    await stage.clock.advance(60_000);
    await stage.expiry.run();
    await stage.fallback.run();
    expect(server.mails).to.have.length(before);
    expect(await read(String(id))).to.include({ state: 'expired', failure_reason: 'no_answer' });
  });

  it('falls back at once if the first channel does not accept the code', async () => {
    stage.away.sms = true;
    const made = await stage.good('POST', '/verify', { to: NUMBER, channel: 'sms', fallback: BY_MAIL });
    expect(made).to.deep.include({ channel: 'email', failure_reason: null });
    expect(attemptsOf(made)).to.deep.equal(['sms failed not_sent', 'email sent null']);
    expect(await stage.check(String(made.verification_id), await codeFromMail())).to.include({ verified: true });
  });

  it('without a requested channel falls back to the other configured ones', async () => {
    stage.away.sms = true;
    const made = await stage.good('POST', '/verify', { to: NUMBER });
    expect(attemptsOf(made)).to.deep.equal(['sms failed not_sent', 'voice sending null']);
  });

  it(`falls back if the project may not call: ${SPENT[0]}`, async () => {
    await spendAll(stage.database.db, stage.phones.ground, SPENT[0]);
    const made = await stage.good('POST', '/verify', { to: NUMBER, channel: 'voice', fallback: BY_MAIL });
    expect(attemptsOf(made)).to.deep.equal(['voice failed refused', 'email sent null']);
  });

  it('is not stopped by a later channel that does not work', async () => {
    await stage.database.db.query(`UPDATE projects SET max_calls = 1 WHERE id = $1`, [stage.projectId]);
    await stage.phones.place({ type: 'idle' });
    const made = await stage.good('POST', '/verify', { to: NUMBER });
    expect(attemptsOf(made)).to.deep.equal(['sms sent null']);
    expect(await stage.refused('POST', '/verify', { to: NUMBER, channel: 'voice' })).to.equal(
      '502 VERIFY_SEND_FAILED channel',
    );
    const json = { to: NUMBER, channel: 'voice', fallback: BY_MAIL };
    expect(attemptsOf(await stage.good('POST', '/verify', json))).to.deep.equal([
      'voice failed not_sent',
      'email sent null',
    ]);
  });

  it('counts the fallback for the limits of its recipient, and says so', async () => {
    for (let sent = 0; sent < 5; sent += 1) await stage.good('POST', '/verify', { to: MAIL });
    const id = await afterCall(PARTIES.busy, { fallback: BY_MAIL });
    expect(attemptsOf(await read(id))).to.deep.equal(['voice failed busy', 'email failed limited']);
    expect(await read(id)).to.include({ failure_reason: 'limited', state: 'pending' });
  });

  it('begins with the first channel again when it is resent', async () => {
    const id = await afterCall(PARTIES.busy, { fallback: BY_MAIL });
    stage.phones.parties.set(NUMBER, PARTIES.answers);
    await stage.clock.advance(31_000);
    expect(attemptsOf(await stage.good('POST', `/verify/${id}/resend`))).to.deep.equal([
      'voice failed busy',
      'email sent null',
      'voice sending null',
    ]);
  });

  it('is an error with the reason of the first channel if no channel accepts the code', async () => {
    stage.away.sms = true;
    isRefusing = Object.assign(new Error('no such mailbox'), { responseCode: 550 });
    const json = { to: NUMBER, channel: 'sms', fallback: BY_MAIL };
    expect(await stage.refused('POST', '/verify', json)).to.equal('502 VERIFY_SEND_FAILED channel');
    const rows = await stage.database.db.query(`SELECT id FROM verifications WHERE project_id = $1`, [stage.projectId]);
    expect(rows).to.deep.equal([]);
  });

  it('falls back after the process that sent it was killed', async () => {
    const made = await stage.good('POST', '/verify', { to: NUMBER, channel: 'sms', fallback: BY_MAIL });
    const id = String(made.verification_id);
    await stage.database.db.query(
      `UPDATE verification_attempts SET state = 'sending', ended_at = NULL WHERE verification_id = $1`,
      [id],
    );
    await stage.fallback.run();
    expect(attemptsOf(await read(id)), 'it may still be sending').to.deep.equal(['sms sending null']);
    await stage.clock.advance(61_000);
    await stage.fallback.run();
    expect(attemptsOf(await read(id))).to.deep.equal(['sms failed not_sent', 'email sent null']);
  });

  it('falls back in the sandbox, too, which sends nothing', async () => {
    const before = server.mails.length;
    const json = { to: SANDBOX_BUSY, channel: 'voice', fallback: BY_MAIL };
    const { verification_id: id } = await stage.good('POST', '/verify', json, stage.sandboxKey);
    const callId = await stage.phones.newest();
    await stage.sandbox.until(async () => (await stage.sandbox.calls.find(callId))?.ended_at != null);
    await stage.fallback.run();
    expect(attemptsOf(await read(String(id), stage.sandboxKey))).to.deep.equal([
      'voice failed busy',
      'email sent null',
    ]);
    expect(server.mails).to.have.length(before);
    expect(await stage.check(String(id), '000000', stage.sandboxKey)).to.include({ verified: true });
  });

  it('refuses a fallback that cannot work', async () => {
    const refused: [object, string][] = [
      [{ fallback: [{ channel: 'email' }] }, '400 VALIDATION_ERROR fallback[0].to'],
      [{ fallback: [{ channel: 'email', to: NUMBER }] }, '400 VALIDATION_ERROR fallback[0].to'],
      [{ fallback: [{ channel: 'sms', to: '+966501234518' }] }, '400 VALIDATION_ERROR fallback[0].to'],
      [{ fallback: [{ channel: 'voice' }] }, '400 VALIDATION_ERROR fallback[0].channel'],
      [{ fallback: [{ channel: 'pigeon' }] }, '400 VALIDATION_ERROR fallback[0].channel'],
      [{ fallback: [...BY_MAIL, ...BY_MAIL] }, '400 VALIDATION_ERROR fallback[1].channel'],
      [{ fallback: [{ channel: 'email', to: 'reem@' }] }, '400 VALIDATION_ERROR fallback[0].to'],
      [{ fallback: [{ channel: 'chatapp' }] }, '422 CHANNEL_NOT_CONFIGURED'],
    ];
    for (const [json, expected] of refused) {
      const answer = await stage.refused('POST', '/verify', { to: NUMBER, channel: 'voice', ...json });
      expect(answer, JSON.stringify(json)).to.equal(expected);
    }
    stage.mailer = null;
    const json = { to: NUMBER, channel: 'voice', fallback: BY_MAIL };
    expect(await stage.refused('POST', '/verify', json)).to.equal('422 CHANNEL_NOT_CONFIGURED');
    const rows = await stage.database.db.query(`SELECT id FROM verifications WHERE project_id = $1`, [stage.projectId]);
    expect(rows).to.deep.equal([]);
  });
});
