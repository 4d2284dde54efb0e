import { PAGE } from '../../support/api.js';
import { VisitorPage } from '../../support/peers/chat/visitor.js';
import type { Asked, Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';
import { agentOf } from './queues.js';

const headers = { origin: PAGE };

/** The public key of a widget with a chat. */
const chatWidgetOf = (tenant: Tenant): Promise<string> =>
  tenant.once('chat widget', async () => {
    const { key } = await tenant.ask('POST', '/v1/widgets', {
      ...{ name: tenant.word('chat widget'), allowed_origins: [PAGE], captcha: false, chat: true },
    });
    return String(key);
  });

interface Chat {
  readonly chatId: string;
  readonly key: string;
  readonly token: string;
  readonly threadId: string;
}

/** A new chat in which the visitor has written. */
async function newChat(tenant: Tenant): Promise<Chat> {
  const { world } = tenant;
  const key = await chatWidgetOf(tenant);
  const body = { name: tenant.secret(`${tenant.name} visitor`) };
  const begun = await tenant.ask('POST', `/v1/widget/chats?key=${key}`, body, { headers, key: '' });
  const token = tenant.secret(String(begun.token));
  const page = await VisitorPage.open(world.url, key, token);
  await page.write(tenant.secret(`${tenant.name}: متى تفتحون؟`));
  page.cutOff();
  const { data } = await tenant.ask('GET', `/v1/messages/threads?with=${String(begun.chat_id)}`);
  const [thread] = data as { thread_id: string }[];
  if (!thread) throw new Error('the visitor’s message begins a conversation');
  return { chatId: String(begun.chat_id), key, token, threadId: thread.thread_id };
}

const threadOf = async (tenant: Tenant): Promise<Asked> => {
  const { threadId: thread_id } = await tenant.once('chat', () => newChat(tenant));
  return { params: { thread_id } };
};

/** A form with a picture. */
const picture = (tenant: Tenant) => (): FormData => {
  const form = new FormData();
  form.set('file', new Blob([Buffer.from('89504e470d0a1a0a', 'hex')]), `${tenant.name}.png`);
  return form;
};

/** A file that a visitor has sent. */
async function sentFile(tenant: Tenant): Promise<Chat & { readonly fileId: string }> {
  const chat = await newChat(tenant);
  const query = new URLSearchParams({ key: chat.key, token: chat.token, id: 'file-of-page' });
  const raw = picture(tenant)();
  const path = `/v1/widget/chats/${chat.chatId}/files?${query.toString()}`;
  const answer = await tenant.request('POST', path, { raw, headers, key: '' });
  tenant.learn(answer);
  return { ...chat, fileId: String(answer.body?.file_id) };
}

/** A chat that is offered to an agent. */
async function offered(tenant: Tenant): Promise<Asked> {
  const [{ threadId: thread_id }, agent] = [await newChat(tenant), await agentOf(tenant)];
  const { db } = tenant.world;
  await db.query(`UPDATE message_threads SET agent = $2 WHERE id = $1`, [thread_id, agent]);
  await db.query(
    `UPDATE webchats SET status = 'offered', offered_until = now() + interval '1 hour' WHERE thread_id = $1`,
    [thread_id],
  );
  return { params: { thread_id }, body: { agent }, names: ['body.agent'] };
}

export const chats: Samples = {
  acceptChat: offered,
  declineChat: offered,
  closeChat: async (tenant) => ({ params: { thread_id: (await newChat(tenant)).threadId } }),
  typeInChat: threadOf,
  proposeCall: threadOf,
  followChats: () => Promise.resolve({}),
  getThreadTranscript: threadOf,

  beginWidgetChat: async (tenant) => ({
    query: { key: await chatWidgetOf(tenant) },
    headers,
    body: { name: tenant.word('visitor'), language: 'ar' },
  }),
  sendWidgetChatFile: async (tenant) => {
    const { chatId: chat_id, key, token } = await tenant.once('chat', () => newChat(tenant));
    return { params: { chat_id }, query: { key, token, id: 'picture-1' }, headers, form: picture(tenant) };
  },
  getWidgetChatFile: async (tenant) => {
    const { chatId: chat_id, key, token, fileId } = await tenant.once('sent chat file', () => sentFile(tenant));
    return { query: { key, token }, headers, params: { chat_id, file_id: fileId } };
  },
  getWidgetChatTranscript: async (tenant) => {
    const { chatId: chat_id, key, token } = await tenant.once('chat', () => newChat(tenant));
    return { params: { chat_id }, query: { key, token }, headers };
  },
};
