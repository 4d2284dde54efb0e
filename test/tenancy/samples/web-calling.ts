import type { Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';
import { agentOf } from './queues.js';

const bodyOf = async (tenant: Tenant) => ({
  identity: tenant.word('user'),
  agent: await agentOf(tenant),
  allow: { incoming: true, outgoing: ['agent', 'queue'] },
});

const newSession = async (tenant: Tenant): Promise<{ id: string; token: string }> => {
  const made = await tenant.ask('POST', '/v1/web-calling/sessions', await bodyOf(tenant));
  return { id: String(made.session_id), token: tenant.secret(String(made.token)) };
};

const onSession = async (tenant: Tenant) => ({
  params: { session_id: await tenant.once('web calling session', async () => (await newSession(tenant)).id) },
});

const accountOf = async (tenant: Tenant): Promise<{ username: string; password: string }> => {
  const { token } = await newSession(tenant);
  const answer = await tenant.ask('POST', '/v1/web-calling/connect', { token });
  const { username, password } = answer.sip as { username: string; password: string };
  tenant.secret(password);
  return { username, password };
};

export const webCalling: Samples = {
  createWebCallingSession: async (tenant) => ({ body: await bodyOf(tenant) }),
  listWebCallingSessions: async (tenant) => {
    await onSession(tenant);
    return {};
  },
  getWebCallingSession: onSession,
  refreshWebCallingSession: async (tenant) => ({ ...(await onSession(tenant)), body: {} }),
  revokeWebCallingSession: async (tenant) => ({ params: { session_id: (await newSession(tenant)).id } }),
  sendWebCallingFeedback: async (tenant) => ({
    body: { ...(await accountOf(tenant)), score: 4, issue: 'echo', seconds_since_start: 30, mos: 4.1 },
  }),
  resumeWebCalling: async (tenant) => ({ body: { ...(await accountOf(tenant)), seconds_since_load: 0.8 } }),
  connectWebCalling: async (tenant) => ({ body: { token: (await newSession(tenant)).token } }),
};
