import { expect } from 'chai';
import { TEST_CIPHER } from '../../support/cipher.js';
import { complaintOf } from '../../support/peers/mail/complaint.js';
import type { MailServer } from '../../support/peers/mail-server.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { postMailNotice } from '../../support/stages/messaging/mail-notice.js';
import { MailStage } from '../../support/stages/messaging/mail-stage.js';
import type { MessageStage, Writer } from '../../support/stages/messaging/message-stage.js';

const URL = 'https://hatif.example.com';
const ONE_CLICK = {
  raw: 'List-Unsubscribe=One-Click',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
};

describe('unsubscribing from e-mail', function () {
  this.timeout(60_000);
  let mailStage: MailStage;
  let database: TestDatabase;
  let mails: MailServer;
  let stage: MessageStage;
  let writer: Writer;

  before(async () => {
    mailStage = await MailStage.start({ settings: { MAIL_FROM: 'shop@example.com', PUBLIC_URL: `${URL}/` } });
    ({ database, mails, messages: stage, writer } = mailStage);
  });
  after(() => mailStage.close());

  const offer = (to: string, more: object = {}) => ({
    ...{ channel: 'email', to, subject: 'Offer', text: 'Today only', class: 'promotional', ...more },
  });
  /** Sends an offer. @returns its id, and the link in the mail */
  async function offered(
    to: string,
  ): Promise<{ id: string; path: string; source: string; text: string; html: string }> {
    const { message_id } = await stage.good(writer.live, 'POST', '/messages', offer(to));
    const mail = await mails.mailTo(to);
    const [, link = ''] = /^List-Unsubscribe: <(\S+)>\r$/m.exec(mail.source) ?? [];
    return { ...mail, id: String(message_id), path: link.replace(URL, '') };
  }
  const refusal = (to: string, more?: object) => stage.refused(writer.live, 'POST', '/messages', offer(to, more));
  const changes = (address: string) =>
    database.db.query<{ class: string; source: string; proof: string; status: string }>(
      'SELECT class, source, proof, status FROM consent_changes WHERE address = $1 ORDER BY id',
      [address],
    );

  it('takes one click, in the header that DKIM signs, and in the mail', async () => {
    const { id, path, source, text, html } = await offered('reem@example.com');
    expect(source).to.match(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    const [, signed = ''] = /^DKIM-Signature:[^]*?\bh=([^;]*);/im.exec(source) ?? [];
    const names = signed.replace(/\s/g, '').toLowerCase().split(':');
    expect(names).to.include.members(['list-unsubscribe', 'list-unsubscribe-post', 'from', 'subject']);
    expect(text).to.contain(`إلغاء الاشتراك · Unsubscribe:\r\n${URL}${path}`);
    expect(html).to.contain(`<a href="${URL}${path}">`);

    // What checks links opens them: nothing changes.
    const page = await stage.api.request('GET', path);
    expect(page.status, page.text).to.equal(200);
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(page.text).to.contain('<form method="post">').and.to.contain('Unsubscribe').and.to.contain('إلغاء الاشتراك');
    expect(page.text).to.contain('re•••@example.com').and.not.to.contain('reem@');
    expect(await changes('reem@example.com')).to.deep.equal([]);

    const done = await stage.api.request('POST', path, ONE_CLICK);
    expect(done.status, done.text).to.equal(200);
    expect(done.text).to.contain('You are unsubscribed').and.not.to.contain('<form');
    expect(await changes('reem@example.com')).to.deep.equal(
      ['promotional', 'awareness', 'personal'].map((of) => ({
        ...{ class: of, source: 'link', proof: `message ${id}`, status: 'opted_out' },
      })),
    );
    expect(await refusal('reem@example.com')).to.equal('403 RECIPIENT_OPTED_OUT');
    expect(await refusal('reem@example.com', { class: 'awareness' })).to.equal('403 RECIPIENT_OPTED_OUT');
    await stage.good(writer.live, 'POST', '/messages', offer('reem@example.com', { class: 'service' }));
    expect((await stage.api.request('POST', path, ONE_CLICK)).status).to.equal(200);
  });

  it('cannot be undone by the organization, and concerns its own project only', async () => {
    const { path } = await offered('omar@example.com');
    await stage.api.request('POST', path, ONE_CLICK);
    const other = await stage.writer([]);
    await stage.good(other.live, 'POST', '/messages', offer('omar@example.com'));
    const { id } = await stage.good(writer.live, 'POST', '/contacts', { email: 'omar@example.com' });
    const consent = { status: 'opted_in', channels: ['email'] };
    expect(await stage.refused(writer.live, 'POST', `/contacts/${String(id)}/consents`, consent)).to.equal(
      '409 CONSENT_LOCKED_BY_END_USER',
    );
  });

  it('refuses a link that somebody made up, or made of something else', async () => {
    const { path } = await offered('sara@example.com');
    const others = [
      `${path.slice(0, -2)}${path.endsWith('AA') ? 'BB' : 'AA'}`,
      path.replace(/[^/]+$/, 'x'),
      path.replace(/[^/]+$/, TEST_CIPHER.seal(JSON.stringify(['other', writer.projectId, writer.projectId, 'x@y.z']))),
    ];
    for (const wrong of others) {
      for (const method of ['GET', 'POST']) {
        const { status, body } = await stage.api.request(method, wrong, method === 'POST' ? ONE_CLICK : {});
        expect(`${status} ${String(body?.error_code)}`).to.equal('404 NOT_FOUND');
      }
    }
    expect(await changes('sara@example.com')).to.deep.equal([]);
  });

  it('is not offered in mail that its reader waits for', async () => {
    await stage.good(writer.live, 'POST', '/messages', offer('noor@example.com', { class: 'service' }));
    const { source, text } = await mails.mailTo('noor@example.com');
    expect(source).not.to.match(/^List-Unsubscribe/im);
    expect(text.trim()).to.equal('Today only');
  });

  it('is what a complaint asks for', async () => {
    const { id } = await offered('layla@example.com');
    await stage.reaches(writer.live, id, 'sent');
    const praised = await postMailNotice(stage.api, complaintOf(`${id}@example.com`, 'not-spam'));
    expect(praised.status, praised.text).to.equal(204);
    expect(await changes('layla@example.com')).to.deep.equal([]);
    for (let round = 0; round < 2; round++) {
      expect((await postMailNotice(stage.api, complaintOf(`${id}@example.com`))).status).to.equal(204);
    }
    const [first] = await changes('layla@example.com');
    expect(first).to.include({ source: 'complaint', proof: `message ${id}`, status: 'opted_out' });
    expect(await refusal('layla@example.com')).to.equal('403 RECIPIENT_OPTED_OUT');
    const events = await database.db.query<{ data: { source: string } }>(
      `SELECT data FROM events WHERE type = 'contact.opted_out' AND data->>'address' = 'layla@example.com'`,
    );
    expect(events.map(({ data }) => data.source)).to.deep.equal(['complaint']);
    expect((await postMailNotice(stage.api, complaintOf('other@example.com'))).status).to.equal(204);
  });
});
