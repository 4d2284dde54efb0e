import type { Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';

/** An approved SMS template. @returns its name */
const templateOf = (tenant: Tenant): Promise<string> =>
  tenant.once('broadcast template', async () => {
    const name = tenant.word('template');
    const content = { category: 'UTILITY', body: 'مرحبًا {{1}}، فرعنا في {{2}} مفتوح.', variables: ['ريم', 'جدة'] };
    await tenant.ask('POST', '/v1/messages/templates', { channel: 'sms', name, language: 'ar', ...content });
    await tenant.world.db.query(`UPDATE message_templates SET status = 'approved' WHERE name = $1`, [name]);
    return name;
  });

const groupOf = (tenant: Tenant): Promise<string> =>
  tenant.once('broadcast group', async () =>
    String((await tenant.ask('POST', '/v1/contact-groups', { name: tenant.word('group') })).id),
  );

/** A broadcast to a group, for tomorrow. */
async function toGroup(tenant: Tenant): Promise<object> {
  return {
    ...{ name: tenant.word('broadcast'), channel: 'sms', group_id: await groupOf(tenant), rate_per_minute: 600 },
    template: {
      ...{ name: await templateOf(tenant), language: 'ar' },
      variables: [
        { field: 'name', default: 'عميلنا' },
        { field: 'custom.city', default: 'الرياض' },
      ],
    },
    scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    metadata: { campaign: 'branch' },
  };
}

const newDraft = async (tenant: Tenant, json: object): Promise<string> =>
  String((await tenant.ask('POST', '/v1/broadcasts', json)).id);

/** A draft that gets its recipients from a file. */
async function newFileDraft(tenant: Tenant): Promise<string> {
  return newDraft(tenant, { ...(await toGroup(tenant)), group_id: undefined });
}

const fileOf = (tenant: Tenant) => (): FormData => {
  const form = new FormData();
  const text = `phone,name_ar,custom.city\n${tenant.number()},ريم,جدة\n12,x,y\n`;
  form.set('file', new Blob([text], { type: 'text/csv' }), 'people.csv');
  return form;
};

/** A draft whose recipients are uploaded. */
const broadcastOf = (tenant: Tenant): Promise<string> =>
  tenant.once('broadcast', async () => {
    const id = await newFileDraft(tenant);
    tenant.learn(await tenant.request('POST', `/v1/broadcasts/${id}/recipients`, { raw: fileOf(tenant)() }));
    return id;
  });

/** A broadcast with a status that it has only for a moment by itself. */
async function inStatus(tenant: Tenant, status: string) {
  const id = await newDraft(tenant, await toGroup(tenant));
  await tenant.world.db.query(`UPDATE broadcasts SET status = $2 WHERE id = $1`, [id, status]);
  return { params: { id } };
}

const onBroadcast = async (tenant: Tenant) => ({ params: { id: await broadcastOf(tenant) } });

export const broadcasts: Samples = {
  createBroadcast: async (tenant) => ({ body: await toGroup(tenant) }),
  listBroadcasts: async (tenant) => {
    await broadcastOf(tenant);
    return {};
  },
  getBroadcast: onBroadcast,
  uploadBroadcastRecipients: async (tenant) => ({
    params: { id: await newFileDraft(tenant) },
    form: fileOf(tenant),
  }),
  startBroadcast: async (tenant) => ({ params: { id: await newDraft(tenant, await toGroup(tenant)) } }),
  pauseBroadcast: (tenant) => inStatus(tenant, 'running'),
  resumeBroadcast: (tenant) => inStatus(tenant, 'paused'),
  cancelBroadcast: async (tenant) => ({ params: { id: await newDraft(tenant, await toGroup(tenant)) } }),
  retryBroadcast: (tenant) => inStatus(tenant, 'completed'),
  listBroadcastRecipients: onBroadcast,
  listBroadcastLinks: onBroadcast,
  exportBroadcastReport: onBroadcast,
};
