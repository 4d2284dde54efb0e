import { expect } from 'chai';
import { eventually } from '../../../support/eventually.js';
import { ChatStage, type ChatTenant } from '../../../support/stages/messaging/chat-stage.js';

describe('messages over webchat', function () {
  this.timeout(60_000);
  let stage: ChatStage;
  let tenant: ChatTenant;

  before(async () => {
    stage = await ChatStage.open();
    tenant = await stage.tenant();
  });
  after(() => stage.close());

  const message = (id: string): Promise<Record<string, unknown>> => stage.good(tenant.live, 'GET', `/messages/${id}`);
  const reaches = async (id: string, status: string): Promise<Record<string, unknown>> => {
    return eventually(async () => {
      const row = await message(id);
      return row.status === status ? row : null;
    }, `the message is ${status}`);
  };

  it('come from a visitor, reach the visitor, and are delivered and read when the page says so', async () => {
    const { chatId, page } = await stage.visitor(tenant, { name: 'ريم' });
    const id = await page.write('هل لديكم المقاس 42؟');
    expect(await message(id)).to.deep.include({
      ...{ channel: 'webchat', direction: 'inbound', status: 'received', text: 'هل لديكم المقاس 42؟' },
      ...{ from: chatId, to: tenant.widget.id, sandbox: false },
    });
    const thread = await stage.thread(tenant.live, chatId);
    expect(thread).to.deep.include({ channel: 'webchat', with: chatId, agent: null });
    expect(thread.chat).to.deep.include({ status: 'waiting', visitor_name: 'ريم', widget_id: tenant.widget.id });

    const answer = await stage.reply(tenant.live, chatId, 'نعم، متوفر.');
    const shown = await page.message('نعم، متوفر.');
    expect(shown).to.deep.include({ id: answer, from: 'agent', file: null });
    await reaches(answer, 'sent');
    page.send({ type: 'delivered', message_ids: [answer] });
    await reaches(answer, 'delivered');
    page.send({ type: 'read', message_ids: [answer] });
    expect((await reaches(answer, 'read')).read_at).to.be.a('string');
    expect(await stage.events(tenant)).to.deep.equal([
      ...['message.received', 'chat.waiting', 'message.queued', 'message.sent', 'message.delivered', 'message.read'],
    ]);
    page.cutOff();
  });

  it('wait for a visitor who is away, whose history comes back with the token', async () => {
    const { chatId, token, page } = await stage.visitor(tenant);
    await page.write('Good evening');
    page.cutOff();
    const answer = await stage.reply(tenant.live, chatId, 'Good evening! How can we help?');
    await reaches(answer, 'sent');
    const back = await stage.page(tenant.widget, token);
    expect(back.messages.map(({ from, text }) => `${from}: ${text}`)).to.deep.equal([
      'visitor: Good evening',
      'agent: Good evening! How can we help?',
    ]);
    back.send({ type: 'delivered', message_ids: [answer] });
    await reaches(answer, 'delivered');
    back.cutOff();
  });

  it('are stored once, however often the page repeats them', async () => {
    const { chatId, token, page } = await stage.visitor(tenant);
    const first = await page.write('Once', 'page-message-1');
    page.cutOff();
    const back = await stage.page(tenant.widget, token);
    expect(await back.write('Once', 'page-message-1')).to.equal(first);
    expect(await back.write('Twice', 'page-message-2')).not.to.equal(first);
    const { thread_id } = await stage.thread(tenant.live, chatId);
    const { data } = await stage.good(tenant.live, 'GET', `/messages?thread_id=${String(thread_id)}`);
    expect((data as object[]).length).to.equal(2);
    back.cutOff();
  });

  it('reach all pages of a visitor', async () => {
    const { chatId, token, page } = await stage.visitor(tenant);
    const other = await stage.page(tenant.widget, token);
    await page.write('From the first tab');
    expect((await other.message('From the first tab')).from).to.equal('visitor');
    await stage.reply(tenant.live, chatId, 'To both');
    await Promise.all([page.message('To both'), other.message('To both')]);
    page.cutOff();
    other.cutOff();
  });

  it('have earlier pages of their history', async () => {
    const { page, token, chatId } = await stage.visitor(tenant);
    await page.write('The first');
    const { thread_id } = await stage.thread(tenant.live, chatId);
    await stage.database.db.query(
      `INSERT INTO messages SELECT (jsonb_populate_record(message, jsonb_build_object('id', uuid_v7(), 'body', 'n ' || n))).*
       FROM messages AS message, generate_series(1, 60) AS n WHERE message.thread_id = $1`,
      [thread_id],
    );
    const back = await stage.page(tenant.widget, token);
    expect(back.messages).to.have.length(50);
    back.send({ type: 'history', before: back.messages[0]?.id });
    const history = await back.first('history');
    expect(history.more).to.equal(false);
    expect(history.messages[0]?.text).to.equal('The first');
    expect(history.messages).to.have.length(11);
    page.cutOff();
    back.cutOff();
  });

  it('support texts and files, and nothing else', async () => {
    const { chatId, page } = await stage.visitor(tenant);
    await page.write('Hello');
    const to = { channel: 'webchat', to: chatId };
    const refused = (json: object): Promise<string> =>
      stage.refused(tenant.live, 'POST', '/messages', { ...to, ...json });
    const template = { name: 'offer', language: 'en' };
    const reaction = { message_id: chatId, emoji: '👍' };
    const interactive = { buttons: [{ id: 'yes', title: 'Yes' }] };
    expect(await refused({ reaction })).to.equal('422 CHANNEL_VERB_UNSUPPORTED');
    expect(await refused({ text: 'Well?', interactive })).to.equal('422 CHANNEL_VERB_UNSUPPORTED');
    expect(await refused({ template })).to.equal('422 CHANNEL_VERB_UNSUPPORTED');
    const templates = '/messages/templates/offer?channel=webchat&language=en';
    expect(await stage.refused(tenant.live, 'GET', templates)).to.equal('422 CHANNEL_VERB_UNSUPPORTED');
    page.cutOff();
  });

  it('reach nobody who has not begun a conversation', async () => {
    const { chatId } = await stage.begin(tenant.widget);
    const refused = (json: object, key = tenant.live): Promise<string> =>
      stage.refused(key, 'POST', '/messages', { channel: 'webchat', text: 'Hello', ...json });
    expect(await refused({ to: chatId })).to.equal('400 VALIDATION_ERROR to');
    expect(await refused({ to: '+966501234517' })).to.equal('400 VALIDATION_ERROR to');
    expect(await refused({ to: chatId, channel: 'sms' })).to.equal('400 VALIDATION_ERROR to');
    const other = await stage.tenant({ chat: false });
    expect(await refused({ to: chatId }, other.live)).to.equal('422 CHANNEL_NOT_CONFIGURED');
    const explained = await stage.good(tenant.live, 'GET', `/messages/explain?channel=webchat&to=${chatId}`);
    expect(explained.allowed).to.equal(false);
    expect((explained.checks as { rule: string; passed: boolean }[]).filter(({ passed }) => !passed)).to.have.length(1);
  });

  it('are of the sandbox on a widget of the sandbox', async () => {
    const { projectId, organizationId } = tenant;
    const widget = await stage.api.widget({ projectId, organizationId, sandbox: true, chat: true });
    const { chatId, page } = await stage.visitor({ widget });
    await page.write('A test');
    const id = await stage.reply(tenant.sandbox, chatId, 'It works');
    await page.message('It works');
    page.send({ type: 'delivered', message_ids: [id] });
    expect(await reaches(id, 'delivered')).to.deep.include({ sandbox: true });
    expect(
      await stage.refused(tenant.live, 'POST', '/messages', { channel: 'webchat', to: chatId, text: 'x' }),
    ).to.equal('400 VALIDATION_ERROR to');
    page.cutOff();
  });

  it('are given up when their time is over', async () => {
    const { chatId, page } = await stage.visitor(tenant);
    await page.write('Hello');
    page.cutOff();
    const id = await stage.reply(tenant.live, chatId, 'Too late');
    await reaches(id, 'sent');
    await stage.database.db.query(`UPDATE messages SET valid_until = now() WHERE id = $1`, [id]);
    for (const task of stage.messaging.tasks) await task.run();
    expect(await message(id)).to.deep.include({ status: 'failed' });
    expect((await message(id)).error).to.deep.include({ reason: 'expired' });
  });

  it('are sent again if a process took them and died', async () => {
    const { chatId, page } = await stage.visitor(tenant);
    await page.write('Hello');
    const id = await stage.reply(tenant.live, chatId, 'Lost?', {
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await stage.database.db.query(
      `UPDATE messages SET due_at = NULL, claimed_at = now() - interval '1 minute' WHERE id = $1`,
      [id],
    );
    for (const task of stage.messaging.tasks) await task.run();
    await reaches(id, 'sent');
    await page.message('Lost?');
    page.cutOff();
  });

  it('end with the erasure of the visitor', async () => {
    const { chatId, page } = await stage.visitor(tenant);
    await page.write('Forget me');
    await stage.database.db.query(`DELETE FROM webchats WHERE id = $1`, [chatId]);
    page.send({ type: 'message', id: 'after-the-erasure', text: 'Still there?' });
    expect((await page.first('error')).error_code).to.equal('NOT_FOUND');
    expect(await page.untilClosed()).to.equal(1008);
  });
});
