import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RedisChatSignals } from '../../../adapters/channels/webchat/redis-signals.js';
import type { ChatSignals } from '../../../core/ports/messaging/chat-signals.js';
import { quiet } from '../../support/logger.js';
import { ChatFollower } from '../../support/peers/chat/follower.js';
import { LocalChatSignals } from '../../support/peers/chat/local-signals.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { testRedis, type TestRedis } from '../../support/platform/redis.js';
import { ChatStage } from '../../support/stages/messaging/chat-stage.js';

describe('chats in several processes', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let redis: TestRedis;
  const connections: Redis[] = [];
  const stages: ChatStage[] = [];

  before(async () => {
    database = await testDatabase();
    redis = await testRedis();
  });
  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.close();
    for (const connection of connections.splice(0)) connection.disconnect();
  });
  after(async () => {
    await database.close();
    await redis.close();
  });

  const start = async (options: Parameters<typeof ChatStage.start>[1]): Promise<ChatStage> => {
    const stage = await ChatStage.start(database, options);
    stages.push(stage);
    return stage;
  };
  const overRedis = (): ChatSignals => {
    const [publisher, subscriber] = [new Redis(redis.url), new Redis(redis.url)];
    connections.push(publisher, subscriber);
    return new RedisChatSignals(publisher, subscriber, quiet);
  };

  it('bring a message that one process takes to a page that another one has', async () => {
    // Without the look, only the signal can bring it.
    const api = await start({ signals: overRedis(), submits: false });
    const jobs = await start({ signals: overRedis() });
    const pages = await start({ signals: overRedis(), submits: false, lookMs: 3_600_000 });
    const tenant = await api.tenant();
    const { chatId, page } = await pages.visitor(tenant);
    await page.write('Hello');
    await api.reply(tenant.live, chatId, 'From elsewhere');
    await page.message('From elsewhere');
    const { thread_id } = await api.thread(tenant.live, chatId);
    expect((await jobs.good(tenant.live, 'GET', `/messages/threads/${String(thread_id)}`)).with).to.equal(chatId);
    await api.good(tenant.live, 'POST', `/messages/threads/${String(thread_id)}/typing`);
    await page.first('typing');
    page.cutOff();
  });

  it('find messages whose signal was lost', async () => {
    const api = await start({ signals: new LocalChatSignals() });
    const pages = await start({ signals: new LocalChatSignals(), submits: false, lookMs: 50 });
    const tenant = await api.tenant();
    const { chatId, page } = await pages.visitor(tenant);
    await page.write('Hello');
    // The page learns of its conversation with the next look at it.
    await api.reply(tenant.live, chatId, 'Without a signal');
    await page.message('Without a signal');
    page.cutOff();
  });

  it('know where a visitor is who has pages at several of them', async () => {
    const api = await start({ signals: overRedis(), submits: false });
    const [first, second] = [
      await start({ signals: overRedis(), submits: false }),
      await start({ signals: overRedis(), submits: false }),
    ];
    const tenant = await api.tenant();
    const { chatId, token, page } = await first.visitor(tenant);
    await page.write('Hello');
    const threadId = String((await api.thread(tenant.live, chatId)).thread_id);
    const follower = await ChatFollower.follow(api.api.url, tenant.live);
    await follower.until(`visitor ${threadId} online`);
    const other = await second.page(tenant.widget, token);
    other.send({ type: 'presence', state: 'away' });
    await other.write('From another tab');
    await first.sockets.close();
    await follower.until(`visitor ${threadId} away`);
    other.cutOff();
    await follower.until(`visitor ${threadId} gone`);
    follower.leave();
  });

  it('lose nothing when the process of a page dies', async () => {
    const first = await start({ signals: new LocalChatSignals() });
    const tenant = await first.tenant();
    const { chatId, token, page } = await first.visitor(tenant);
    await page.write('Before', 'kept-by-the-page-1');
    const second = await start({ signals: new LocalChatSignals() });
    await first.sockets.close();
    expect(await page.untilClosed()).to.equal(1012);
    const id = await second.reply(tenant.live, chatId, 'In between');
    const back = await second.page(tenant.widget, token);
    // The page repeats what it has no answer for.
    await back.write('Before', 'kept-by-the-page-1');
    await second.reply(tenant.live, chatId, 'After');
    await back.message('After');
    const texts = [...new Map(back.messages.map((message) => [message.id, message.text])).values()];
    expect(texts).to.deep.equal(['Before', 'In between', 'After']);
    expect(back.messages.some((message) => message.id === id)).to.equal(true);
    back.cutOff();
  });
});
