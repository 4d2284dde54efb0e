import { PAGE } from '../../support/api.js';
import type { Asked, Samples } from '../sample.js';
import type { Members, Tenant } from '../tenant.js';
import { agentOf, queueOf } from './queues.js';
import { OTHER_SANDBOX_NUMBER, SANDBOX_NUMBER } from './verification.js';

export async function newWidget(tenant: Tenant): Promise<string> {
  return String((await tenant.ask('POST', '/v1/widgets', { name: tenant.word('widget') })).id);
}

const widgetOf = (tenant: Tenant): Promise<string> => tenant.once('widget', () => newWidget(tenant));
const onWidget = async (tenant: Tenant) => ({ params: { id: await widgetOf(tenant) } });

/** The public key of a widget whose callbacks the simulator plays. */
export const widgetKeyOf = (tenant: Tenant, otp = true): Promise<string> =>
  tenant.once(`widget key ${String(otp)}`, async () => {
    const destination = { type: 'agent', target: await agentOf(tenant) };
    const json = { name: tenant.word('widget'), allowed_origins: [PAGE], captcha: false, otp, destination };
    return String((await tenant.ask('POST', '/v1/widgets', json, { key: tenant.keys.sandbox })).key);
  });

const headers = { origin: PAGE };

const visit = async (tenant: Tenant): Promise<Asked> => ({ query: { key: await widgetKeyOf(tenant) }, headers });

/** Sends a visitor's request, which must succeed. */
async function send(tenant: Tenant, key: string, path: string, body: object): Promise<Members> {
  return tenant.ask('POST', `${path}?key=${key}`, body, { headers, key: '' });
}

/** A code that a visitor got. Nobody else may enter it. */
async function newCode(tenant: Tenant): Promise<{ id: string; code: string }> {
  const { otp_id } = await send(tenant, await widgetKeyOf(tenant), '/v1/widget/otp', { to: SANDBOX_NUMBER });
  return { id: String(otp_id), code: '000000' };
}

export const widgets: Samples = {
  createWidget: async (tenant) => ({
    body: { name: tenant.word('widget'), destination: { type: 'queue', target: await queueOf(tenant) } },
  }),
  listWidgets: async (tenant) => {
    await widgetOf(tenant);
    return {};
  },
  getWidget: onWidget,
  changeWidget: async (tenant) => ({
    ...(await onWidget(tenant)),
    body: { destination: { type: 'queue', target: await queueOf(tenant) } },
  }),
  revokeWidget: async (tenant) => ({ params: { id: await newWidget(tenant) } }),

  getWidgetSettings: visit,
  getWidgetChallenge: visit,
  sendWidgetCode: async (tenant) => ({ ...(await visit(tenant)), body: { to: OTHER_SANDBOX_NUMBER } }),
  requestWidgetCallback: async (tenant) => ({
    ...(await visit(tenant)),
    body: { to: SANDBOX_NUMBER, otp: await tenant.once('code', () => newCode(tenant)) },
  }),
  beginWidgetCall: async (tenant) => {
    const { origin } = headers;
    const made = await tenant.ask('POST', '/v1/widgets', {
      ...{ name: tenant.word('browser widget'), allowed_origins: [origin], captcha: false, browser_calls: true },
      destination: { type: 'agent', target: await agentOf(tenant) },
    });
    return { query: { key: String(made.key) }, headers, body: {} };
  },
  followWidgetCallback: async (tenant) => {
    const key = await widgetKeyOf(tenant, false);
    const made = await send(tenant, key, '/v1/widget/callbacks', { to: SANDBOX_NUMBER });
    const token = tenant.secret(String(made.status_token));
    return { params: { callback_id: String(made.callback_id) }, query: { key, token }, headers };
  },
};
