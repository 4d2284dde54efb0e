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
};
