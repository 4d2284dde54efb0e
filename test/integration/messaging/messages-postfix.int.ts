import { expect } from 'chai';
import { MailServer } from '../../support/peers/mail-server.js';
import { Postfix, postfixMissing } from '../../support/peers/mail/postfix.js';
import { skipBecause } from '../../support/skip.js';
import { postMailNotice } from '../../support/stages/messaging/mail-notice.js';
import { MailStage } from '../../support/stages/messaging/mail-stage.js';

const BOUNCES = 'bounces@example.com';

describe('messages by e-mail over Postfix', function () {
  this.timeout(60_000);
  /** The server of the recipients. */
  let recipients: MailServer | undefined;
  let postfix: Postfix | undefined;
  let mailStage: MailStage | undefined;

  before(async function () {
    const missing = postfixMissing();
    if (missing !== null) skipBecause(this, missing);
    recipients = await MailServer.start({
      onRcptTo: ({ address }, _session, callback) =>
        callback(
          address.startsWith('nobody') ? Object.assign(new Error('5.1.1 no such user'), { responseCode: 550 }) : null,
        ),
    });
    postfix = await Postfix.start(recipients.port);
    mailStage = await MailStage.start({
      settings: { SMTP_URL: postfix.url, MAIL_FROM: 'Hatif <hatif@example.com>', MESSAGE_BOUNCES_TO: BOUNCES },
    });
  });
  after(async () => {
    await mailStage?.close();
    await postfix?.close();
    await recipients?.close();
  });

  async function send(to: string): Promise<string> {
    const body = { channel: 'email', to, subject: 'طلبك', text: 'مرحبًا ريم،\n\nطلبك في الطريق.' };
    const { messages, writer } = mailStage!;
    const id = String((await messages.good(writer.live, 'POST', '/messages', body)).message_id);
    await messages.reaches(writer.live, id, 'sent');
    return id;
  }

  it('reach their recipient in Arabic, signed', async () => {
    await send('reem@example.com');
    const mail = await recipients!.mailTo('reem@example.com');
    expect(mail.from).to.equal(BOUNCES);
    expect(mail.text.trim().split(/\r?\n/)).to.deep.equal(['مرحبًا ريم،', '', 'طلبك في الطريق.']);
    expect(mail.source).to.match(/^DKIM-Signature: /m);
    expect(mail.source).to.match(/^Received: .*\r\n?[^]*by mail\.example\.com \(Postfix\)/m);
  });

  it('fail by the notification that Postfix writes when the recipient’s server refuses them', async () => {
    const id = await send('nobody@example.com');
    const notification = await recipients!.mailTo(BOUNCES);
    expect(notification.source).to.include('multipart/report');
    const { messages, writer } = mailStage!;
    const answer = await postMailNotice(messages.api, notification.source);
    expect(answer.status, answer.text).to.equal(204);
    const failed = await messages.reaches(writer.live, id, 'failed');
    expect(failed.error).to.deep.equal({ reason: 'invalid_recipient', provider_code: '5.1.1' });
  });
});
