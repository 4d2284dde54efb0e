import { expect } from 'chai';
import type { PeriodicTask } from '../../../core/services/runtime/periodic-task.js';
import { ChatFollower } from '../../support/peers/chat/follower.js';
import { eventually } from '../../support/eventually.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { addMember, type TestMember } from '../../support/rows/members.js';
import { ChatStage, type ChatTenant, type OpenedChat } from '../../support/stages/messaging/chat-stage.js';
import { queueParts, type QueueParts } from '../../support/stages/queue-stage.js';

type Chat = OpenedChat & { readonly threadId: string };

describe('agents who follow their chats', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: ChatStage;
  let parts: QueueParts;
  let tenant: ChatTenant;
  let members: TestMember[];
  let offering: PeriodicTask;
  let returning: PeriodicTask;
  const followers: ChatFollower[] = [];
  const pages: OpenedChat[] = [];

  before(async () => {
    database = await testDatabase();
    parts = queueParts(database.db);
    stage = await ChatStage.start(database, { routes: parts.routes });
    const queues = (projectId: string) => parts.coordinator.view(projectId);
    const tasks = stage.messaging.chats.tasks({ queues, chatsPerAgent: 2 });
    [offering, returning] = [tasks[0]!, tasks[1]!];
  });
  beforeEach(async () => {
    tenant = await stage.tenant();
    const { id } = await stage.good(tenant.live, 'POST', '/queues', { name: 'sales' });
    await leadTo({ type: 'queue', target: String(id) });
    members = [];
    for (const agent of ['1001', '1002']) {
      await stage.good(tenant.live, 'POST', '/agents', { agent });
      await stage.good(tenant.live, 'POST', '/queues/agents/login', { agent, queue: 'sales' });
      members.push(await addMember(database.db, tenant.organizationId, { role: 'agent', agent }));
    }
  });
  afterEach(() => {
    for (const follower of followers.splice(0)) follower.leave();
    for (const { page } of pages.splice(0)) page.cutOff();
  });
  after(async () => {
    await parts.coordinator.stop();
    await stage.close();
    await database.close();
  });

  const leadTo = (destination: object): Promise<unknown> =>
    database.db.query(`UPDATE widgets SET destination = $2 WHERE id = $1`, [
      tenant.widget.id,
      JSON.stringify(destination),
    ]);
  const follow = async (key: string): Promise<ChatFollower> => {
    const follower = await ChatFollower.follow(stage.api.url, key);
    followers.push(follower);
    return follower;
  };
  const asks = async (): Promise<Chat> => {
    const chat = await stage.visitor(tenant);
    pages.push(chat);
    await chat.page.write('Hello');
    const { thread_id } = await stage.thread(tenant.live, chat.chatId);
    return { ...chat, threadId: String(thread_id) };
  };
  const where = async ({ chatId }: Chat): Promise<string> => {
    const { agent, chat } = await stage.thread(tenant.live, chatId);
    return `${String((chat as Record<string, unknown>).status)} ${String(agent)}`;
  };
  /** A chat that the first agent has accepted from an offer. */
  const accepted = async (): Promise<Chat> => {
    const chat = await asks();
    await offering.run();
    expect(await where(chat)).to.equal('offered 1001');
    await stage.good(members[0]!.token, 'POST', `/messages/threads/${chat.threadId}/accept`, {});
    return chat;
  };
  /** The visitor sees that nobody is there any more. */
  const seesLeft = ({ page }: Chat): Promise<unknown> =>
    page.until((frame): frame is Extract<typeof frame, { type: 'chat' }> => frame.type === 'chat' && frame.left);
  /** Time passes in which no page of the agent is open. */
  const goesAway = async (agent: string): Promise<void> => {
    const { projectId } = tenant;
    await database.db.query(
      `UPDATE chat_attendance SET seen_at = now() - interval '3 minutes' WHERE project_id = $1 AND agent = $2`,
      [projectId, agent],
    );
    await database.db.query(
      `UPDATE webchats SET assigned_at = now() - interval '10 minutes' WHERE project_id = $1 AND status = 'assigned'`,
      [projectId],
    );
  };

  it('learn what happens in them, and nobody else does', async () => {
    const other = await stage.tenant();
    const [one, two] = [await follow(members[0]!.token), await follow(members[1]!.token)];
    const [owner, sandbox, stranger] = [
      await follow(tenant.live),
      await follow(tenant.sandbox),
      await follow(other.live),
    ];
    const { threadId, page } = await asks();
    await offering.run();
    await one.until(`changed ${threadId}`);
    await one.until(`visitor ${threadId} online`);
    page.send({ type: 'typing' });
    page.send({ type: 'presence', state: 'away' });
    for (const follower of [one, owner]) {
      await follower.until(`typing ${threadId}`);
      await follower.until(`visitor ${threadId} away`);
    }
    await page.write('Are you there?');
    await one.until(`messages ${threadId}`);
    page.cutOff();
    await one.until(`visitor ${threadId} gone`);
    for (const follower of [two, sandbox, stranger]) expect(follower.news).to.deep.equal(['ready']);
    // Who comes later learns where visitors are.
    const later = await follow(members[0]!.token);
    await later.until(`visitor ${threadId} gone`);
    // It is stored nowhere.
    const stored = await stage.events(tenant);
    expect(stored.filter((type) => /typing|presence|visitor/.test(type))).to.deep.equal([]);
  });

  it('lose sight of a chat that they give away', async () => {
    const [one, two] = [await follow(members[0]!.token), await follow(members[1]!.token)];
    const { threadId } = await accepted();
    const path = `/messages/threads/${threadId}`;
    expect(await stage.refused(members[1]!.token, 'PATCH', path, { agent: '1002' })).to.equal('404 NOT_FOUND');
    expect(await stage.refused(members[0]!.token, 'PATCH', path, { agent: '1009' })).to.equal(
      '400 VALIDATION_ERROR agent',
    );
    await stage.good(members[0]!.token, 'PATCH', path, { agent: '1002' });
    await one.until(`gone ${threadId}`);
    await two.until(`changed ${threadId}`);
    await two.until(`visitor ${threadId} online`);
    // Back to the queue, where the one who gave it back is asked last.
    await stage.good(members[1]!.token, 'PATCH', path, { agent: null });
    await two.until(`gone ${threadId}`);
    await offering.run();
    expect((await stage.good(tenant.live, 'GET', path)).agent).to.equal('1001');
  });

  it('propose to talk, and learn the answer', async () => {
    const one = await follow(members[0]!.token);
    const { threadId, page } = await accepted();
    const path = `/messages/threads/${threadId}/call`;
    expect(await stage.refused(members[1]!.token, 'POST', path)).to.equal('404 NOT_FOUND');
    await stage.good(members[0]!.token, 'POST', path);
    expect((await page.first('call')).agent).to.be.a('string');
    await one.until(`call ${threadId} proposed`);
    page.send({ type: 'call', answer: 'accepted' });
    await one.until(`call ${threadId} accepted`);
  });

  it('know what they have not read', async () => {
    const { token } = members[0]!;
    const { threadId, page } = await accepted();
    const last = await page.write('Second');
    const thread = () => stage.good(token, 'GET', `/messages/threads/${threadId}`);
    expect((await thread()).unread).to.equal(2);
    expect(await stage.refused(members[1]!.token, 'POST', `/messages/${last}/read`)).to.equal('404 NOT_FOUND');
    await stage.good(token, 'POST', `/messages/${last}/read`);
    expect((await thread()).unread).to.equal(0);
    const list = async (query: string): Promise<unknown[]> =>
      (await stage.good(token, 'GET', `/messages/threads?channel=webchat&${query}`)).data as unknown[];
    expect(await list('agent=1001&chat=open')).to.have.length(1);
    expect(await list('agent=1002')).to.have.length(0);
    expect(await list('chat=closed')).to.have.length(0);
    await stage.good(token, 'POST', `/messages/threads/${threadId}/close`);
    expect(await list('chat=open')).to.have.length(0);
    expect(await list('chat=closed')).to.have.length(1);
  });

  it('keep their chats while they are there, and lose them to the queue when they stay away', async () => {
    const one = await follow(members[0]!.token);
    const chat = await accepted();
    await returning.run();
    expect(await where(chat)).to.equal('assigned 1001');
    one.leave();
    await goesAway('1001');
    await returning.run();
    expect(await where(chat)).to.equal('waiting null');
    await seesLeft(chat);
    await offering.run();
    expect(await where(chat)).to.equal('offered 1002');
    await stage.good(members[1]!.token, 'POST', `/messages/threads/${chat.threadId}/accept`, {});
    // The second agent has never had a page, and answers by an integration.
    await goesAway('1002');
    await returning.run();
    expect(await where(chat)).to.equal('assigned 1002');
  });

  it('lose them at once when their session is ended', async () => {
    const one = await follow(members[0]!.token);
    const chat = await accepted();
    await database.db.query(`UPDATE sessions SET revoked_at = now() WHERE id = $1`, [members[0]!.sessionId]);
    await returning.run();
    expect(await where(chat)).to.equal('waiting null');
    await seesLeft(chat);
    await one.untilOver();
  });

  it('keep them in a pause, and lose those of a queue from which they sign out', async () => {
    const [offered, given] = [await accepted(), await asks()];
    await stage.good(tenant.live, 'PATCH', `/messages/threads/${given.threadId}`, { agent: '1001' });
    await stage.good(tenant.live, 'POST', '/queues/agents/pause', { agent: '1001' });
    await returning.run();
    expect(await where(offered)).to.equal('assigned 1001');
    await stage.good(tenant.live, 'POST', '/queues/agents/logout', { agent: '1001', queue: 'sales' });
    await returning.run();
    expect(await where(offered)).to.equal('waiting null');
    // This one was given to the agent, and not to the queue.
    expect(await where(given)).to.equal('assigned 1001');
  });

  it('keep a chat without a queue, and the visitor learns that they are away', async () => {
    await leadTo({ type: 'agent', target: '1001' });
    const one = await follow(members[0]!.token);
    const chat = await asks();
    one.leave();
    await goesAway('1001');
    await returning.run();
    await returning.run();
    expect(await where(chat)).to.equal('assigned 1001');
    await seesLeft(chat);
    const before = chat.page.frames.length;
    await follow(members[0]!.token);
    await returning.run();
    const isBack = (): boolean =>
      chat.page.frames
        .slice(before)
        .some((frame) => frame.type === 'chat' && !frame.left && frame.status === 'assigned');
    await eventually(isBack, 'the visitor sees that the agent is back');
    const events = (await stage.events(tenant)).filter((type) => type.startsWith('chat.'));
    expect(events).to.deep.equal(['chat.assigned']);
  });
});
