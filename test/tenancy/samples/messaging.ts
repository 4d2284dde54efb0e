import type { Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';

const content = (tenant: Tenant) => ({
  category: 'UTILITY',
  body: tenant.secret(`${tenant.name}: طلبك رقم {{1}} في الطريق.`),
  variables: ['4711'],
});

/** A new SMS template. @returns its name */
async function newTemplate(tenant: Tenant): Promise<string> {
  const name = tenant.word('template');
  await tenant.ask('POST', '/v1/messages/templates', { channel: 'sms', name, language: 'ar', ...content(tenant) });
  return name;
}

const templateOf = (tenant: Tenant): Promise<string> => tenant.once('template', () => newTemplate(tenant));

/** A sender that the operator has approved. */
const senderOf = (tenant: Tenant): Promise<string> =>
  tenant.once('sender', async () => {
    const { id, sender } = await newSender(tenant);
    await tenant.world.platform.management.messageSenders.approve(id);
    return sender;
  });

let senders = 0;

async function newSender(tenant: Tenant): Promise<{ readonly id: string; readonly sender: string }> {
  const sender = tenant.secret(`${tenant.name.slice(0, 6).toUpperCase()}${++senders}`);
  const { id } = await tenant.ask('POST', '/v1/messages/senders', { sender });
  return { id: String(id), sender };
}

/** A new SMS that waits for its time. @returns its id and its conversation */
async function newMessage(tenant: Tenant): Promise<{ readonly message_id: string; readonly thread_id: string }> {
  const { message_id, thread_id } = await tenant.ask('POST', '/v1/messages', await message(tenant));
  return { message_id: String(message_id), thread_id: String(thread_id) };
}

async function message(tenant: Tenant): Promise<object> {
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  const text = tenant.secret(`${tenant.name}: طلبك في الطريق.`);
  return { channel: 'sms', to: tenant.number('17'), from: await senderOf(tenant), text, scheduled_at };
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

function pictureForm(name: string): FormData {
  const form = new FormData();
  form.set('file', new Blob([PNG], { type: 'image/png' }), name);
  return form;
}

/** A new file for messages. @returns its id */
async function newFile(tenant: Tenant): Promise<string> {
  const { media_id } = await tenant.ask('POST', '/v1/messages/media', undefined, {
    raw: pictureForm(`${tenant.word('file')}.png`),
  });
  return String(media_id);
}

const fileOf = (tenant: Tenant): Promise<string> => tenant.once('message file', () => newFile(tenant));

/** A message with a tracked link. */
const trackedOf = (tenant: Tenant) =>
  tenant.once('tracked', async () => {
    const body = { ...(await message(tenant)), text: `https://example.com/${tenant.word('order')}`, track_links: true };
    const { message_id } = await tenant.ask('POST', '/v1/messages', body);
    return { message_id: String(message_id) };
  });

const messageOf = (tenant: Tenant) => tenant.once('message', () => newMessage(tenant));
const threadOf = async (tenant: Tenant) => ({ thread_id: (await messageOf(tenant)).thread_id });

const query = { channel: 'sms', language: 'ar' };

export const messaging: Samples = {
  createTemplate: (tenant) => ({
    body: { channel: 'sms', name: tenant.word('template'), language: 'ar', ...content(tenant) },
  }),
  listTemplates: async (tenant) => {
    await templateOf(tenant);
    return { query: { channel: 'sms' } };
  },
  getTemplate: async (tenant) => ({ params: { name: await templateOf(tenant) }, query }),
  replaceTemplate: async (tenant) => ({
    params: { name: await newTemplate(tenant) },
    query,
    body: content(tenant),
  }),
  deleteTemplates: async (tenant) => ({ query: { channel: 'sms', name: await newTemplate(tenant) } }),

  createSender: (tenant) => ({ body: { sender: tenant.secret(`S${tenant.name.slice(0, 6)}${++senders}`) } }),
  listSenders: async (tenant) => {
    await senderOf(tenant);
    return {};
  },
  deleteSender: async (tenant) => ({ params: { sender_id: (await newSender(tenant)).id } }),

  uploadMessageFile: () => ({ form: () => pictureForm('order.png') }),
  listMessageFiles: async (tenant) => {
    await fileOf(tenant);
    return {};
  },
  getMessageFile: async (tenant) => ({ params: { media_id: await fileOf(tenant) } }),
  downloadMessageFile: async (tenant) => ({ params: { media_id: await fileOf(tenant) } }),
  deleteMessageFile: async (tenant) => ({ params: { media_id: await newFile(tenant) } }),

  listMessageLinks: async (tenant) => ({ params: await trackedOf(tenant) }),

  sendMessage: async (tenant) => ({ body: await message(tenant) }),
  listMessages: async (tenant) => {
    await messageOf(tenant);
    return {};
  },
  explainMessage: async (tenant) => ({
    query: { channel: 'sms', to: tenant.number('17'), from: await senderOf(tenant) },
  }),
  getMessage: async (tenant) => ({ params: { message_id: (await messageOf(tenant)).message_id } }),
  cancelMessage: async (tenant) => ({ params: { message_id: (await newMessage(tenant)).message_id } }),
  listThreads: async (tenant) => {
    await messageOf(tenant);
    return {};
  },
  getThread: async (tenant) => ({ params: await threadOf(tenant) }),
  assignThread: async (tenant) => ({ params: await threadOf(tenant), body: { agent: null } }),

  listAdministeredSenders: async (tenant) => {
    await senderOf(tenant);
    return {};
  },
  approveSender: async (tenant) => ({ params: { sender_id: (await newSender(tenant)).id } }),
  rejectSender: async (tenant) => ({
    params: { sender_id: (await newSender(tenant)).id },
    body: { reason: 'The carriers did not register it' },
  }),
};
