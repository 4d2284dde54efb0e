import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { MessageStage } from '../../support/stages/messaging/message-stage.js';
import { NUMBER, verifyEach, type VerifyStage } from '../../support/stages/verify-stage.js';

const BAD_NUMBER = 0x0b;

describe('a code by SMS', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  let messages: MessageStage;
  verifyEach((made) => (stage = made));
  beforeEach(async () => {
    messages = await MessageStage.start(stage.database);
    const { id } = await messages.good(stage.liveKey, 'POST', '/messages/senders', { sender: 'HATIF' });
    await messages.review.approve(String(id));
    stage.sms = messages.messaging.codeChannels.sms ?? null;
  });
  afterEach(async () => {
    stage.sms = null;
    await messages.close();
  });

  const texts = (): string[] => messages.smsc.submitted.map(({ body }) => body.toString('latin1'));
  const row = async (): Promise<Record<string, unknown>> => {
    const [one] = await stage.database.db.query<Record<string, unknown>>(
      'SELECT * FROM messages WHERE is_system ORDER BY created_at DESC LIMIT 1',
    );
    return one ?? {};
  };
  const until = (status: string) => eventually(async () => (await row()).status === status, `the message is ${status}`);

  it('is a message that nobody sees, whose text is sealed and then deleted', async () => {
    messages.smsc.respond = () => null;
    const made = await stage.good('POST', '/verify', { to: NUMBER, channel: 'sms', language: 'en' });
    await eventually(() => messages.smsc.submitted.length === 1, 'the SMS is submitted');
    const [, code = ''] = /(\d{6})/.exec(texts()[0] ?? '') ?? [];
    expect(texts()[0]).to.equal(`Your verification code: ${code}. Do not share it with anyone.`);
    expect(String((await row()).body))
      .to.match(/^v1\./)
      .and.not.to.contain(code);
    const [sent] = messages.smsc.submitted;
    messages.smsc.answer(sent!, 0, 'code-1');
    await until('sent');
    expect(await row()).to.include({ body: null, thread_id: null, sender: 'HATIF' });
    const { data } = await messages.good(stage.liveKey, 'GET', '/messages');
    expect(data).to.deep.equal([]);
    expect(await messages.events(String((await row()).id))).to.deep.equal([]);
    expect(await stage.check(String(made.verification_id), code)).to.include({ verified: true });
  });

  it('falls back to a call if the carrier refuses it', async () => {
    messages.smsc.respond = () => ({ status: BAD_NUMBER, id: '' });
    const made = await stage.good('POST', '/verify', { to: NUMBER, language: 'en' });
    await until('failed');
    await stage.fallback.run();
    const { send_attempts } = await stage.good('GET', `/verify/${String(made.verification_id)}`);
    const shown = (send_attempts as { channel: string; state: string; reason: string | null }[]).map(
      ({ channel, state, reason }) => `${channel} ${state} ${reason}`,
    );
    expect(shown).to.deep.equal(['sms failed invalid_number', 'voice sending null']);
  });
});
