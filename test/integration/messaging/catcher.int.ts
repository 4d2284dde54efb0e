import { expect } from 'chai';
import { deliveredNotice } from '../../../adapters/catcher/delivered-notice.js';
import { MailCatcher, type CaughtMail } from '../../../adapters/catcher/mail-catcher.js';
import { SmsCatcher } from '../../../adapters/catcher/sms-catcher.js';
import type { CaughtMessage } from '../../../core/ports/messaging/message-catcher.js';
import { hasCode } from '../../../core/model/error-code.js';
import { eventually } from '../../support/eventually.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { NOTICE_SECRET } from '../../support/stages/messaging/mail-notice.js';
import { MessageStage, type Writer } from '../../support/stages/messaging/message-stage.js';

describe('the servers of hatif catch-messages', function () {
  this.timeout(60_000);
  const messages: CaughtMessage[] = [];
  const mails: CaughtMail[] = [];
  let sms: SmsCatcher;
  let mail: MailCatcher;
  let database: TestDatabase;
  let stage: MessageStage;
  let writer: Writer;

  before(async () => {
    sms = await SmsCatcher.start(0, (message) => messages.push(message));
    mail = await MailCatcher.start(0, (caught) => mails.push(caught));
    database = await testDatabase();
    const account = { host: '127.0.0.1', tls: false, systemId: 'hatif', password: 'any', systemType: '', window: 10 };
    stage = await MessageStage.start(database, {
      SMPP_URLS: [{ ...account, port: sms.port }],
      ...{ SMTP_URL: `smtp://127.0.0.1:${mail.port}`, MAIL_FROM: 'Hatif <hatif@example.com>' },
      MESSAGE_NOTICE_SECRET: NOTICE_SECRET,
    });
    writer = await stage.writer();
  });
  after(async () => {
    await stage.close();
    await sms.close();
    await mail.close();
    await database.close();
  });

  it('show an SMS whole, and report it as delivered', async () => {
    const text = `${'مرحبًا '.repeat(20)}{€}`;
    const id = await stage.sms(writer.live, { text });
    await stage.reaches(writer.live, id, 'delivered');
    expect(messages.at(-1)).to.deep.equal({
      ...{ channel: 'sms', from: 'HATIF', to: '+966501234517', subject: null, text, files: [] },
    });
  });

  it('bring an answer', async () => {
    expect(await sms.reply('+966501234517', 'HATIF', 'شكرًا')).to.equal(true);
    await eventually(async () => {
      const { data } = await stage.good(writer.live, 'GET', '/messages?direction=inbound');
      return (data as { text: string }[]).some(({ text }) => text === 'شكرًا');
    }, 'the answer');
  });

  it('show a mail, and report it as delivered with the secret', async () => {
    const body = { channel: 'email', to: 'reem@example.com', subject: 'طلبك', text: 'في الطريق' };
    const { message_id } = await stage.good(writer.live, 'POST', '/messages', body);
    await eventually(() => mails.length > 0, 'a mail');
    const [caught] = mails;
    expect(caught).to.include({
      from: 'hatif@example.com',
      to: 'reem@example.com',
      subject: 'طلبك',
      text: 'في الطريق',
    });
    await stage.reaches(writer.live, String(message_id), 'sent');
    for (const [secret, status] of [
      [`whsec_${Buffer.alloc(32, 9).toString('base64')}`, 401],
      [NOTICE_SECRET, 204],
    ] as const) {
      const notice = deliveredNotice(caught!, secret)!;
      const raw = notice.body;
      const answer = await stage.api.request('POST', '/v1/messages/providers/email/notices', { ...notice, raw });
      expect(answer.status, answer.text).to.equal(status);
    }
    await stage.reaches(writer.live, String(message_id), 'delivered');
  });

  it('refuse a port in use', async () => {
    for (const start of [SmsCatcher.start(sms.port, () => undefined), MailCatcher.start(mail.port, () => undefined)]) {
      const error: unknown = await start.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(hasCode(error, 'EADDRINUSE')).to.equal(true);
    }
  });
});
