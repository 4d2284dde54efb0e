import { expect } from 'chai';
import { bounceOf } from '../../support/peers/mail/bounce.js';
import type { MailServer } from '../../support/peers/mail-server.js';
import { postMailNotice } from '../../support/stages/messaging/mail-notice.js';
import { MailStage, NOBODY_UNKNOWN } from '../../support/stages/messaging/mail-stage.js';
import type { MessageStage, Writer } from '../../support/stages/messaging/message-stage.js';

describe('messages by e-mail', function () {
  this.timeout(60_000);
  let mailStage: MailStage;
  let mails: MailServer;
  let stage: MessageStage;
  let writer: Writer;

  before(async () => {
    mailStage = await MailStage.start(NOBODY_UNKNOWN);
    ({ mails, messages: stage, writer } = mailStage);
  });
  after(() => mailStage.close());

  const mail = (to: string, more: object = {}) => ({
    ...{ channel: 'email', to, subject: 'طلبك', text: 'مرحبًا <ريم>،\n\nhttps://example.com/t?a=1&b=2.', ...more },
  });

  const notice = (body: string, secret?: string) => postMailNotice(stage.api, body, secret);

  it('have text and HTML, a signature, and an address for bounces', async () => {
    const { live } = writer;
    const made = await stage.good(live, 'POST', '/messages', mail('reem@example.com'));
    expect(made).to.include({ subject: 'طلبك', from: null, segments: 1, status: 'queued' });
    const id = String(made.message_id);
    await stage.reaches(live, id, 'sent');
    const received = await mails.mailTo('reem@example.com');
    expect(received.from).to.equal('bounces@example.com');
    expect(received.source).to.match(/^DKIM-Signature: v=1;[^]*d=example\.com;[^]*s=hatif/m);
    expect(received.source).to.match(new RegExp(`^Message-ID: <${id}@example\\.com>`, 'im'));
    expect(received.text.trim()).to.equal('مرحبًا <ريم>،\r\n\r\nhttps://example.com/t?a=1&b=2.');
    expect(received.html).to.contain('<p dir="auto">مرحبًا &lt;ريم&gt;،</p>');
    expect(received.html).to.contain('<a href="https://example.com/t?a=1&amp;b=2">');

    const bounced = await notice(bounceOf(`${id}@example.com`, { status: '5.2.2' }));
    expect(bounced.status, bounced.text).to.equal(204);
    const failed = await stage.reaches(live, id, 'failed');
    expect(failed.error).to.deep.equal({ reason: 'unreachable', provider_code: '5.2.2' });
    expect((await notice(bounceOf(`${id}@example.com`))).status).to.equal(204);
  });

  it('fail when the mail server refuses the recipient, and keep their sender', async () => {
    const { live } = writer;
    const { id } = await stage.good(live, 'POST', '/messages/senders', {
      ...{ channel: 'email', sender: 'Shop <shop@example.com>' },
    });
    await stage.review.approve(String(id));
    const refused = await stage.good(live, 'POST', '/messages', mail('nobody@example.com'));
    expect(refused).to.include({ from: 'Shop <shop@example.com>' });
    const failed = await stage.reaches(live, String(refused.message_id), 'failed');
    expect(failed.error).to.deep.equal({ reason: 'invalid_recipient', provider_code: '5.1.1' });
  });

  it('are refused without a subject, and when they advertise', async () => {
    const { live } = writer;
    const refused = (more: object) => stage.refused(live, 'POST', '/messages', mail('reem@example.com', more));
    expect(await refused({ subject: undefined })).to.equal('400 VALIDATION_ERROR subject');
    expect(await refused({ class: 'promotional' })).to.equal('422 CHANNEL_VERB_UNSUPPORTED');
    expect(await refused({ to: '0501234517' })).to.equal('400 VALIDATION_ERROR to');
    expect(await stage.refused(live, 'POST', '/messages/senders', { channel: 'email', sender: 'Shop' })).to.equal(
      '400 VALIDATION_ERROR sender',
    );
  });

  it('hear of bounces only from who knows the secret', async () => {
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    expect((await notice(bounceOf('x@example.com'), other)).body).to.include({ error_code: 'WEBHOOK_UNAUTHORIZED' });
    expect((await notice('Subject: Hello\r\n\r\nHello')).body).to.include({ error_code: 'WEBHOOK_PAYLOAD_INVALID' });
    const unknown = await stage.api.request('POST', '/v1/messages/providers/other/notices', { raw: 'x' });
    expect(unknown.body).to.include({ error_code: 'NOT_FOUND' });
  });
});
