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

export const webCalling: Samples = {
  createWebCallingSession: async (tenant) => ({ body: await bodyOf(tenant) }),
  listWebCallingSessions: async (tenant) => {
    await onSession(tenant);
    return {};
  },
  getWebCallingSession: onSession,
  refreshWebCallingSession: async (tenant) => ({ ...(await onSession(tenant)), body: {} }),
  revokeWebCallingSession: async (tenant) => ({ params: { session_id: (await newSession(tenant)).id } }),
  sendWebCallingFeedback: async (tenant) => {
    const { token } = await newSession(tenant);
    const answer = await tenant.ask('POST', '/v1/web-calling/connect', { token });
    const { username, password } = answer.sip as { username: string; password: string };
    tenant.secret(password);
    return { body: { username, password, score: 4, issue: 'echo', seconds_since_start: 30, mos: 4.1 } };
  },
  connectWebCalling: async (tenant) => ({ body: { token: (await newSession(tenant)).token } }),
};
