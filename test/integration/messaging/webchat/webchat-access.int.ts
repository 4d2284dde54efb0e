import { expect } from 'chai';
import { PAGE } from '../../../support/api.js';
import { VisitorPage } from '../../../support/peers/chat/visitor.js';
import { ChatStage, type ChatTenant } from '../../../support/stages/messaging/chat-stage.js';

describe('access to chats of visitors', function () {
  this.timeout(60_000);
  let stage: ChatStage;
  let tenant: ChatTenant;

  before(async () => {
    stage = await ChatStage.open();
    tenant = await stage.tenant();
  });
  after(() => stage.close());

  const begins = async (key: string, origin: string | null = PAGE, json: object = {}): Promise<string> => {
    const headers: Record<string, string> = origin === null ? {} : { origin };
    const { status, body } = await stage.api.request('POST', `/v1/widget/chats?key=${key}`, { json, headers });
    return `${status} ${String(body?.error_code)}`;
  };
  /** What a page gets that says hello with this token. */
  const hello = async (key: string, token: string): Promise<string> => {
    const page = await VisitorPage.connect(stage.api.url, key);
    page.send({ type: 'hello', token });
    const { error_code } = await page.first('error');
    return `${error_code} ${await page.untilClosed()}`;
  };

  it('is refused to pages of other origins, and without an origin', async () => {
    const { key } = tenant.widget;
    const { url } = stage.api;
    expect(await begins(key, 'https://stranger.example')).to.equal('403 WIDGET_ORIGIN_NOT_ALLOWED');
    expect(await begins(key, null)).to.equal('403 WIDGET_ORIGIN_NOT_ALLOWED');
    expect(await VisitorPage.refusal(url, key, 'https://stranger.example')).to.equal('403 WIDGET_ORIGIN_NOT_ALLOWED');
    expect(await VisitorPage.refusal(url, key, null)).to.equal('403 WIDGET_ORIGIN_NOT_ALLOWED');
    expect(await VisitorPage.refusal(url, 'wk_no')).to.equal('401 INVALID_API_KEY');
    const plain = await stage.api.request('GET', `/v1/widget/chats/socket?key=${key}`, { headers: { origin: PAGE } });
    expect([plain.status, plain.body?.error_code]).to.deep.equal([400, 'VALIDATION_ERROR']);
  });

  it('is refused by a widget without a chat, and while messages are off', async () => {
    const { projectId, organizationId } = tenant;
    const owner = { projectId, organizationId };
    const without = await stage.api.widget({ ...owner, chat: false });
    expect(await begins(without.key)).to.equal('422 CHANNEL_NOT_CONFIGURED');
    expect(await VisitorPage.refusal(stage.api.url, without.key)).to.equal('422 CHANNEL_NOT_CONFIGURED');
    const off = await stage.tenant();
    await stage.database.db.query(`UPDATE organizations SET flags = '{"messages": false}' WHERE id = $1`, [
      off.organizationId,
    ]);
    expect(await begins(off.widget.key)).to.equal('503 MESSAGES_DISABLED');
    const proving = await stage.api.widget({ ...owner, chat: true, captcha: true });
    expect(await begins(proving.key)).to.equal('400 CAPTCHA_FAILED');
  });

  it('needs the token of this visitor and this widget', async () => {
    const { token, page } = await stage.visitor(tenant);
    const other = await stage.tenant();
    const [chatId = '', signature = ''] = token.split('.');
    const stranger = await stage.begin(other.widget);
    const forged = `${stranger.chatId}.${signature}`;
    for (const wrong of ['', 'x', chatId, `${chatId}.`, forged, `${token}x`]) {
      expect(await hello(tenant.widget.key, wrong), wrong).to.equal('NOT_FOUND 1008');
    }
    expect(await hello(other.widget.key, token)).to.equal('NOT_FOUND 1008');
    await stage.database.db.query(`UPDATE webchats SET expires_at = now() WHERE id = $1`, [chatId]);
    expect(await hello(tenant.widget.key, token)).to.equal('NOT_FOUND 1008');
    page.cutOff();
  });

  it('confirms nobody else’s messages, and shows no other conversation', async () => {
    const one = await stage.visitor(tenant);
    const two = await stage.visitor(tenant);
    await one.page.write('One');
    await two.page.write('Two');
    const id = await stage.reply(tenant.live, one.chatId, 'For one');
    await one.page.message('For one');
    two.page.send({ type: 'delivered', message_ids: [id, 'x', two.chatId] });
    two.page.send({ type: 'history', before: id });
    const history = await two.page.first('history');
    expect(history.messages.map(({ text }) => text)).to.deep.equal(['Two']);
    const { status } = await stage.good(tenant.live, 'GET', `/messages/${id}`);
    expect(status).to.be.oneOf(['queued', 'sent']);
    one.page.cutOff();
    two.page.cutOff();
  });

  it('takes nothing before hello, nothing malformed, and not too much', async () => {
    const { key } = tenant.widget;
    const silent = await VisitorPage.connect(stage.api.url, key);
    silent.send({ type: 'message', id: 'too-early-1', text: 'Hello' });
    expect(await silent.untilClosed()).to.equal(1008);
    const { page } = await stage.visitor(tenant);
    page.send('no JSON');
    expect((await page.first('error')).error_code).to.equal('VALIDATION_ERROR');
    for (const text of ['', ' ', 'x'.repeat(5_000)]) page.send({ type: 'message', id: 'not-a-message', text });
    page.send({ type: 'message', id: 'short', text: 'x' });
    await page.write('Still there');
    page.send('x'.repeat(33 * 1024));
    expect(await page.untilClosed()).to.equal(1009);
  });

  it('is limited in messages, in frames, and in chats of an address', async () => {
    const { page } = await stage.visitor(tenant);
    for (let sent = 1; sent <= 31; sent += 1) page.send({ type: 'message', id: `message-${sent}`, text: `${sent}` });
    const refusal = await page.first('error');
    expect(refusal).to.deep.include({ error_code: 'RATE_LIMIT_EXCEEDED', id: 'message-31' });
    expect(refusal.retry_after_seconds).to.be.at.least(1);
    for (let sent = 0; sent < 50; sent += 1) page.send({ type: 'typing' });
    expect(await page.untilClosed()).to.equal(1008);
    const answers: string[] = [];
    for (let begun = 0; begun < 21; begun += 1) answers.push(await begins(tenant.widget.key));
    expect(answers.at(-1)).to.equal('429 RATE_LIMIT_EXCEEDED');
  });

  it('of other projects and kinds ends with NOT_FOUND', async () => {
    const other = await ChatStage.start(stage.database);
    const stranger = await other.tenant();
    const { chatId, page } = await other.visitor(stranger);
    await page.write('Hello');
    const { thread_id } = await other.thread(stranger.live, chatId);
    const path = `/messages/threads/${String(thread_id)}`;
    for (const key of [tenant.live, stranger.sandbox]) {
      expect(await stage.refused(key, 'GET', path)).to.equal('404 NOT_FOUND');
      expect(await stage.refused(key, 'POST', `${path}/close`)).to.equal('404 NOT_FOUND');
      expect(await stage.refused(key, 'POST', `${path}/typing`)).to.equal('404 NOT_FOUND');
    }
    expect(
      await stage.refused(tenant.live, 'POST', '/messages', { channel: 'webchat', to: chatId, text: 'x' }),
    ).to.equal('400 VALIDATION_ERROR to');
    page.cutOff();
    await other.close();
  });
});
