import { eventually } from '../../support/eventually.js';
import type { Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';
import { newAgent } from './queues.js';
import { newNumber } from './numbers.js';

const written = (tenant: Tenant) => ({ url: tenant.world.receiver.url(`/${tenant.word('path')}`), events: ['*'] });

async function newWebhook(tenant: Tenant): Promise<string> {
  const made = await tenant.ask('POST', '/v1/webhooks', written(tenant));
  tenant.secret(String(made.secret));
  return String(made.id);
}

const webhookOf = (tenant: Tenant): Promise<string> => tenant.once('webhook', () => newWebhook(tenant));
const onWebhook = async (tenant: Tenant) => ({ params: { webhook_id: await webhookOf(tenant) } });

/** A delivery to the tenant's endpoint: of a number that it ordered. */
export async function newDelivery(tenant: Tenant): Promise<{ webhook_id: string; delivery_id: string }> {
  const webhook_id = await webhookOf(tenant);
  await newNumber(tenant);
  const delivery_id = await eventually(async () => {
    const { data } = await tenant.ask('GET', `/v1/webhooks/${webhook_id}/deliveries`);
    return (data as readonly { readonly id: string }[])[0]?.id;
  }, 'a delivery');
  return { webhook_id, delivery_id };
}

const deliveryOf = (tenant: Tenant) => tenant.once('delivery', () => newDelivery(tenant));

/** @returns the ID of an event of the tenant */
async function eventBefore(tenant: Tenant): Promise<string> {
  await newNumber(tenant);
  const { data } = await tenant.ask('GET', '/v1/events');
  const events = data as readonly { readonly id: string }[];
  return events.at(-1)?.id ?? '';
}

export const webhooks: Samples = {
  createWebhook: (tenant) => ({ body: written(tenant) }),
  listWebhooks: async (tenant) => {
    await webhookOf(tenant);
    return {};
  },
  getProjectSigningSecret: () => ({}),
  getWebhook: onWebhook,
  updateWebhook: async (tenant) => ({ ...(await onWebhook(tenant)), body: { description: tenant.word('text') } }),
  testWebhook: onWebhook,
  rotateWebhookSecret: onWebhook,
  deleteWebhook: async (tenant) => ({ params: { webhook_id: await newWebhook(tenant) } }),

  listWebhookDeliveries: async (tenant) => {
    const { webhook_id } = await deliveryOf(tenant);
    return { params: { webhook_id } };
  },
  redeliverWebhook: async (tenant) => ({ params: { ...(await deliveryOf(tenant)) } }),
  replayWebhooks: async (tenant) => ({
    ...(await onWebhook(tenant)),
    body: { from: new Date(Date.now() - 60_000).toISOString() },
  }),

  listEvents: async (tenant) => {
    await newAgent(tenant);
    await eventBefore(tenant);
    return {};
  },
  streamEvents: async (tenant) => ({ query: { after: await eventBefore(tenant) } }),
};
