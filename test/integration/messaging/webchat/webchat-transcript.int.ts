import { expect } from 'chai';
import { SmtpMailer } from '../../../../adapters/mail/smtp.js';
import { PAGE, type Answer } from '../../../support/api.js';
import { eventually } from '../../../support/eventually.js';
import { MailServer } from '../../../support/peers/mail-server.js';
import { ChatStage, type ChatTenant, type OpenedChat } from '../../../support/stages/messaging/chat-stage.js';

describe('transcripts of chats', function () {
  this.timeout(60_000);
  let mails: MailServer;
  let stage: ChatStage;
  let tenant: ChatTenant;
  let chat: OpenedChat;
  let threadId: string;

  before(async () => {
    mails = await MailServer.start();
    const mailer = new SmtpMailer({ url: mails.url, from: 'Shop <chat@shop.example>' });
    stage = await ChatStage.open({ mailer });
    tenant = await stage.tenant();
    chat = await stage.visitor(tenant, { language: 'ar' });
    await chat.page.write('متى تفتحون؟');
    threadId = String((await stage.thread(tenant.live, chat.chatId)).thread_id);
  });
  after(async () => {
    chat.page.cutOff();
    await stage.close();
    await mails.close();
  });

  const asVisitor = (method: string, token: string, json?: object): Promise<Answer> => {
    const query = new URLSearchParams({ key: tenant.widget.key, token });
    return stage.api.request(method, `/v1/widget/chats/${chat.chatId}/transcript?${query.toString()}`, {
      headers: { origin: PAGE },
      ...(json && { json }),
    });
  };
  const outcome = ({ status, body }: Answer): string => `${status} ${String(body?.error_code)}`;

  it('are mailed only once somebody has answered', async () => {
    expect(outcome(await asVisitor('POST', chat.token, { email: 'reem@example.com' }))).to.equal('404 NOT_FOUND');
  });

  it('say who wrote what, as JSON and as text', async () => {
    await stage.reply(tenant.live, chat.chatId, 'من التاسعة صباحًا.');
    await chat.page.message('من التاسعة صباحًا.');
    const path = `/messages/threads/${threadId}/transcript`;
    const read = async () => (await stage.good(tenant.live, 'GET', path)).messages as Record<string, unknown>[];
    const lines = await eventually(async () => ((await read()).length === 2 ? read() : null), 'the answer is sent');
    expect(lines.map(({ from, text, agent }) => `${String(from)} ${String(agent)}: ${String(text)}`)).to.deep.equal([
      'person null: متى تفتحون؟',
      'agent null: من التاسعة صباحًا.',
    ]);
    const text = await stage.request(tenant.live, 'GET', `${path}?format=text&language=ar`);
    expect(text.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(text.text).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d · الزائر: متى تفتحون؟\n.*الفريق: من التاسعة صباحًا\.\n$/);
    const own = await asVisitor('GET', chat.token);
    expect(own.text).to.equal(text.text);
    const other = await stage.tenant();
    expect(await stage.refused(other.live, 'GET', path)).to.equal('404 NOT_FOUND');
    expect((await asVisitor('GET', 'x')).status).to.equal(404);
  });

  it('are mailed to the visitor on request, three times a day', async () => {
    for (let count = 0; count < 3; count += 1) {
      const answer = await asVisitor('POST', chat.token, { email: 'Reem@Example.com' });
      expect(answer.status, answer.text).to.equal(204);
    }
    expect(outcome(await asVisitor('POST', chat.token, { email: 'reem@example.com' }))).to.equal(
      '429 RATE_LIMIT_EXCEEDED',
    );
    expect(outcome(await asVisitor('POST', chat.token, { email: 'no' }))).to.equal('400 VALIDATION_ERROR');
    expect(mails.mails).to.have.length(3);
    const mail = await mails.mailTo('reem@example.com');
    expect(mail.text).to.contain('أنت: متى تفتحون؟').and.to.contain('الفريق: من التاسعة صباحًا.');
  });
});
