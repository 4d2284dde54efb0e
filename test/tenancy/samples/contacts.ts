import { systemClock } from '../../../core/ports/clock.js';
import { ContactImportTask } from '../../../core/services/contacts/import/task.js';
import { quiet } from '../../support/logger.js';
import type { Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';

const newContact = async (tenant: Tenant): Promise<string> =>
  String((await tenant.ask('POST', '/v1/contacts', { phone: tenant.number(), name_en: tenant.word('contact') })).id);

const newGroup = async (tenant: Tenant): Promise<string> =>
  String((await tenant.ask('POST', '/v1/contact-groups', { name: tenant.word('group') })).id);

const contactOf = (tenant: Tenant): Promise<string> => tenant.once('contact', () => newContact(tenant));

/** A group whose member is the contact of the tenant. */
const groupOf = (tenant: Tenant): Promise<string> =>
  tenant.once('contact group', async () => {
    const id = await newGroup(tenant);
    await tenant.ask('POST', `/v1/contact-groups/${id}/members`, { contact_ids: [await contactOf(tenant)] });
    return id;
  });

const onContact = async (tenant: Tenant) => ({ params: { id: await contactOf(tenant) } });
const onGroup = async (tenant: Tenant) => ({ params: { id: await groupOf(tenant) } });

const fileOf = (text: string) => (): FormData => {
  const form = new FormData();
  form.set('file', new Blob([text], { type: 'text/csv' }), 'customers.csv');
  return form;
};

/** An import whose second line has an error. */
const importOf = (tenant: Tenant): Promise<string> =>
  tenant.once('contact import', async () => {
    const raw = fileOf(`phone,name_en\n${tenant.number()},${tenant.word('contact')}\n12,x\n`)();
    const answer = await tenant.request('POST', '/v1/contacts/import', { raw });
    tenant.learn(answer);
    const id = String(answer.body?.id);
    await new ContactImportTask({ db: tenant.world.db, clock: systemClock, log: quiet }).run();
    return id;
  });
const onImport = async (tenant: Tenant) => ({ params: { id: await importOf(tenant) } });

export const contacts: Samples = {
  importContacts: (tenant) => ({
    form: fileOf(`phone,name_ar,tags,custom.orders:number\n${tenant.number()},ريم العتيبي,vip;new,3\n`),
  }),
  listContactImports: async (tenant) => {
    await importOf(tenant);
    return {};
  },
  getContactImport: onImport,
  listContactImportErrors: onImport,

  createContact: (tenant) => ({
    body: {
      phone: tenant.number(),
      email: `${tenant.word('reem')}@example.com`,
      name_en: 'Reem Al-Otaibi',
      name_ar: 'ريم العتيبي',
      tags: ['vip'],
      custom_fields: { city: 'Riyadh', orders: 3 },
    },
  }),
  listContacts: async (tenant) => {
    await contactOf(tenant);
    return {};
  },
  getContact: onContact,
  changeContact: async (tenant) => ({
    ...(await onContact(tenant)),
    body: { tags: ['vip', 'riyadh'], custom_fields: { orders: 4 } },
  }),
  deleteContact: async (tenant) => ({ params: { id: await newContact(tenant) } }),

  listConsents: onContact,
  recordConsent: async (tenant) => ({
    ...(await onContact(tenant)),
    body: { status: 'opted_in', channels: ['sms'], source: 'web_form', proof: 'form 12' },
  }),
  listConsentChanges: async (tenant) => {
    const id = await contactOf(tenant);
    await tenant.ask('POST', `/v1/contacts/${id}/consents`, { status: 'opted_in', proof: tenant.word('form') });
    return { params: { id } };
  },

  createContactGroup: async (tenant) => ({
    body: {
      name: tenant.word('group'),
      rules: {
        match: 'all',
        conditions: [
          { field: 'tag', op: 'has', value: 'vip' },
          { field: 'group', op: 'not_in', value: await groupOf(tenant) },
          { field: 'consent', op: 'not_opted_out', channel: 'sms', class: 'promotional' },
        ],
      },
    },
  }),
  listContactGroups: async (tenant) => {
    await groupOf(tenant);
    return {};
  },
  getContactGroup: onGroup,
  changeContactGroup: async (tenant) => ({ ...(await onGroup(tenant)), body: { name: tenant.word('group') } }),
  deleteContactGroup: async (tenant) => ({ params: { id: await newGroup(tenant) } }),
  listContactGroupMembers: onGroup,
  addContactGroupMembers: async (tenant) => ({
    params: { id: await newGroup(tenant) },
    body: { contact_ids: [await contactOf(tenant)] },
  }),
  removeContactGroupMember: async (tenant) => {
    const [id, contact] = [await newGroup(tenant), await contactOf(tenant)];
    await tenant.ask('POST', `/v1/contact-groups/${id}/members`, { contact_ids: [contact] });
    return { params: { id, contact_id: contact } };
  },
};
