import { expect } from 'chai';
import type { PeriodicTask } from '../../../core/services/runtime/periodic-task.js';
import { eventually } from '../../support/eventually.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { addMember } from '../../support/rows/members.js';
import { ChatStage, type ChatTenant, type OpenedChat } from '../../support/stages/messaging/chat-stage.js';
import { queueParts, type QueueParts } from '../../support/stages/queue-stage.js';

describe('chats and the agents of a queue', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: ChatStage;
  let parts: QueueParts;
  let tenant: ChatTenant;
  let queueId: string;
  let router: PeriodicTask;
  const pages: OpenedChat[] = [];

  before(async () => {
    database = await testDatabase();
    parts = queueParts(database.db);
    stage = await ChatStage.start(database, { routes: parts.routes });
    const { chats } = stage.messaging;
    const queues = (projectId: string) => parts.coordinator.view(projectId);
    const [offering] = chats.tasks({ queues, chatsPerAgent: 2 });
    router = offering!;
  });
  beforeEach(async () => {
    tenant = await stage.tenant();
    const { id } = await stage.good(tenant.live, 'POST', '/queues', { name: 'sales' });
    queueId = String(id);
    await database.db.query(`UPDATE widgets SET destination = $2 WHERE id = $1`, [
      tenant.widget.id,
      JSON.stringify({ type: 'queue', target: queueId }),
    ]);
  });
  afterEach(() => {
    for (const { page } of pages.splice(0)) page.cutOff();
  });
  after(async () => {
    await parts.coordinator.stop();
    await stage.close();
    await database.close();
  });

  const agents = async (...names: string[]): Promise<void> => {
    for (const agent of names) {
      await stage.good(tenant.live, 'POST', '/agents', { agent });
      await stage.good(tenant.live, 'POST', '/queues/agents/login', { agent, queue: 'sales' });
    }
  };
  /** A visitor who has written. */
  const asks = async (text = 'Hello'): Promise<OpenedChat & { readonly threadId: string }> => {
    const chat = await stage.visitor(tenant);
    pages.push(chat);
    await chat.page.write(text);
    const { thread_id } = await stage.thread(tenant.live, chat.chatId);
    return { ...chat, threadId: String(thread_id) };
  };
  /** `status agent` of a chat. */
  const where = async (chatId: string): Promise<string> => {
    const { agent, chat } = await stage.thread(tenant.live, chatId);
    return `${String((chat as Record<string, unknown>).status)} ${String(agent)}`;
  };
  const act = (threadId: string, action: string, json?: object, key = tenant.live): Promise<string> =>
    stage
      .request(key, 'POST', `/messages/threads/${threadId}/${action}`, json)
      .then(({ status, body }) => `${status} ${String(body?.error_code ?? body?.agent)}`);
  const passes = (chatId: string): Promise<unknown> =>
    database.db.query(`UPDATE webchats SET offered_until = now() WHERE id = $1`, [chatId]);

  it('are offered to a free agent, who accepts and answers', async () => {
    await agents('1001');
    const { chatId, threadId, page } = await asks();
    expect(await where(chatId)).to.equal('waiting null');
    await router.run();
    expect(await where(chatId)).to.equal('offered 1001');
    // The visitor does not learn who is asked.
    expect(page.frames.some((frame) => frame.type === 'chat' && frame.agent !== null)).to.equal(false);
    expect(await act(threadId, 'accept', { agent: '1001' })).to.equal('200 1001');
    expect(await act(threadId, 'accept', { agent: '1001' })).to.equal('200 1001');
    const shown = await page.until(
      (frame): frame is Extract<typeof frame, { type: 'chat' }> => frame.type === 'chat' && frame.status === 'assigned',
    );
    expect(shown.agent).to.be.a('string');
    expect(await act(threadId, 'close')).to.equal('200 1001');
    expect(await act(threadId, 'close')).to.equal('200 1001');
    await page.until(
      (frame): frame is Extract<typeof frame, { type: 'chat' }> => frame.type === 'chat' && frame.status === 'closed',
    );
    const events = (await stage.events(tenant)).filter((type) => type.startsWith('chat.'));
    expect(events).to.deep.equal(['chat.waiting', 'chat.offered', 'chat.assigned', 'chat.closed']);
    // It begins again when the visitor writes.
    await page.write('One more thing');
    expect(await where(chatId)).to.match(/^waiting/);
  });

  it('go to the next agent when one declines or does not answer, and round again', async () => {
    await agents('1001', '1002');
    const { chatId, threadId } = await asks();
    await router.run();
    expect(await where(chatId)).to.equal('offered 1001');
    expect(await act(threadId, 'decline', { agent: '1001' })).to.equal('200 null');
    await router.run();
    expect(await where(chatId)).to.equal('offered 1002');
    await passes(chatId);
    await router.run();
    expect(await where(chatId)).to.equal('offered 1001');
    expect(await act(threadId, 'accept', { agent: '1002' })).to.equal('409 CHAT_NOT_OFFERED');
    expect(await act(threadId, 'decline', { agent: '1002' })).to.equal('409 CHAT_NOT_OFFERED');
    expect(await act(threadId, 'accept', { agent: '1003' })).to.equal('400 VALIDATION_ERROR');
    expect(await act(threadId, 'accept', {})).to.equal('400 VALIDATION_ERROR');
  });

  it('are shared, and never more than an agent can have', async () => {
    await agents('1001', '1002');
    const asked: string[] = [];
    for (let count = 0; count < 5; count += 1) asked.push((await asks()).chatId);
    // Two processes do it at the same time.
    await Promise.all([router.run(), router.run()]);
    const places = await Promise.all(asked.map(where));
    expect([...places].sort()).to.deep.equal([
      ...['offered 1001', 'offered 1001', 'offered 1002', 'offered 1002', 'waiting null'],
    ]);
    const [first = ''] = asked;
    const { thread_id } = await stage.thread(tenant.live, first);
    await act(String(thread_id), 'close');
    await router.run();
    expect(await where(asked[4] ?? '')).to.match(/^offered/);
  });

  it('wait while every agent is paused or signed out', async () => {
    await agents('1001');
    await stage.good(tenant.live, 'POST', '/queues/agents/pause', { agent: '1001', reason: 'prayer' });
    const { chatId } = await asks();
    await router.run();
    expect(await where(chatId)).to.equal('waiting null');
    await stage.good(tenant.live, 'POST', '/queues/agents/unpause', { agent: '1001' });
    await router.run();
    expect(await where(chatId)).to.equal('offered 1001');
    await stage.good(tenant.live, 'POST', '/queues/agents/logout', { agent: '1001', queue: 'sales' });
    await passes(chatId);
    await router.run();
    expect(await where(chatId)).to.equal('waiting null');
  });

  it('are given to another agent, or back to the queue', async () => {
    await agents('1001', '1002');
    const { chatId, threadId } = await asks();
    const path = `/messages/threads/${threadId}`;
    expect(await stage.good(tenant.live, 'PATCH', path, { agent: '1002' })).to.deep.include({ agent: '1002' });
    expect(await where(chatId)).to.equal('assigned 1002');
    await stage.good(tenant.live, 'PATCH', path, { agent: null });
    expect(await where(chatId)).to.equal('waiting null');
  });

  it('show an agent only what is offered or own, and an answer accepts', async () => {
    await agents('1001', '1002');
    const member = (agent: string) =>
      addMember(database.db, tenant.organizationId, { role: 'agent', agent }).then(({ token }) => token);
    const [one, two] = [await member('1001'), await member('1002')];
    const { chatId, threadId, page } = await asks();
    await router.run();
    expect(await where(chatId)).to.equal('offered 1001');
    const path = `/messages/threads/${threadId}`;
    expect(await stage.refused(two, 'GET', path)).to.equal('404 NOT_FOUND');
    expect(await act(threadId, 'accept', {}, two)).to.equal('404 NOT_FOUND');
    expect(await act(threadId, 'accept', { agent: '1002' }, one)).to.equal('403 INSUFFICIENT_ROLE');
    expect(await stage.refused(two, 'POST', '/messages', { channel: 'webchat', to: chatId, text: 'Mine' })).to.equal(
      '403 INSUFFICIENT_PERMISSIONS',
    );
    await stage.reply(one, chatId, 'How can I help?');
    await page.message('How can I help?');
    expect(await where(chatId)).to.equal('assigned 1001');
    const viewer = (await addMember(database.db, tenant.organizationId, { role: 'viewer' })).token;
    expect(await act(threadId, 'close', undefined, viewer)).to.equal('403 INSUFFICIENT_ROLE');
    expect((await stage.good(viewer, 'GET', path)).thread_id).to.equal(threadId);
  });

  it('go straight to the agent of a widget, and are closed after a day of silence', async () => {
    await agents('1001');
    await database.db.query(`UPDATE widgets SET destination = $2 WHERE id = $1`, [
      tenant.widget.id,
      JSON.stringify({ type: 'agent', target: '1001' }),
    ]);
    const { chatId, page } = await asks();
    expect(await where(chatId)).to.equal('assigned 1001');
    page.send({ type: 'end' });
    await eventually(async () => (await where(chatId)) === 'closed 1001', 'the visitor ends it');
    await page.write('Again');
    await database.db.query(`UPDATE webchats SET active_at = now() - interval '25 hours' WHERE id = $1`, [chatId]);
    for (const task of stage.messaging.tasks) await task.run();
    expect(await where(chatId)).to.equal('closed 1001');
  });

  it('is typed to the visitor', async () => {
    const { threadId, page } = await asks();
    expect(await act(threadId, 'typing')).to.equal('204 undefined');
    await page.first('typing');
  });
});
