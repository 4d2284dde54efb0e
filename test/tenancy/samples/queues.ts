import type { Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';
import { audioOf } from './flows.js';

/** An agent whose softphone is registered. @returns the extension */
export async function newAgent(tenant: Tenant): Promise<string> {
  const agent = tenant.word('agent');
  const made = await tenant.ask('POST', '/v1/agents', { agent, display_name: tenant.word('name') });
  tenant.secret(String(made.sip_username));
  tenant.secret(String(made.sip_password));
  await tenant.world.provisioned();
  return agent;
}

export const agentOf = (tenant: Tenant): Promise<string> => tenant.once('agent', () => newAgent(tenant));

/** @returns the ID of a queue without agents */
export async function newQueue(tenant: Tenant): Promise<string> {
  return String((await tenant.ask('POST', '/v1/queues', { name: tenant.word('queue') })).id);
}

export const queueOf = (tenant: Tenant): Promise<string> => tenant.once('queue', () => newQueue(tenant));

/** An agent who may sign in to a queue: not the one who takes calls. */
async function membership(tenant: Tenant): Promise<{ agent: string; queue: string }> {
  return {
    agent: await tenant.once('member', () => newAgent(tenant)),
    queue: await tenant.once('member queue', () => newQueue(tenant)),
  };
}

async function signedIn(tenant: Tenant): Promise<{ agent: string; queue: string }> {
  const member = await membership(tenant);
  await tenant.once('sign-in', () => tenant.ask('POST', '/v1/queues/agents/login', member));
  return member;
}

const onAgent = async (tenant: Tenant) => ({ params: { agent: await agentOf(tenant) } });
const listedCaller = (tenant: Tenant) => ({ kind: 'exact', number: tenant.number(), note: tenant.word('note') });

/** A new entry of a list of the agent. */
async function onEntry(tenant: Tenant, list: 'blocked-callers' | 'allowed-callers') {
  const agent = await agentOf(tenant);
  const { id } = await tenant.ask('POST', `/v1/agents/${agent}/${list}`, listedCaller(tenant));
  return { params: { agent, id: String(id) } };
}
const onQueue = async (tenant: Tenant) => ({ params: { id: await queueOf(tenant) } });

export const queues: Samples = {
  createAgent: (tenant) => ({ body: { agent: tenant.word('agent') } }),
  listAgents: async (tenant) => {
    await agentOf(tenant);
    return {};
  },
  searchColleagues: async (tenant) => ({ query: { search: await agentOf(tenant) } }),
  getAgent: onAgent,
  changeAgent: async (tenant) => ({ ...(await onAgent(tenant)), body: { priority: 4 } }),
  getAgentForwarding: onAgent,
  changeAgentForwarding: async (tenant) => ({
    ...(await onAgent(tenant)),
    body: { no_answer: { type: 'number', target: '+966501234567' }, no_answer_seconds: 15 },
  }),
  blockCallerForAgent: async (tenant) => ({ ...(await onAgent(tenant)), body: listedCaller(tenant) }),
  listBlockedCallersOfAgent: async (tenant) => {
    await onEntry(tenant, 'blocked-callers');
    return onAgent(tenant);
  },
  unblockCallerForAgent: (tenant) => onEntry(tenant, 'blocked-callers'),
  allowCallerForAgent: async (tenant) => ({ ...(await onAgent(tenant)), body: listedCaller(tenant) }),
  listAllowedCallersOfAgent: async (tenant) => {
    await onEntry(tenant, 'allowed-callers');
    return onAgent(tenant);
  },
  removeAllowedCallerOfAgent: (tenant) => onEntry(tenant, 'allowed-callers'),
  getAgentStats: onAgent,
  getAgentQueues: async (tenant) => ({ params: { agent: (await signedIn(tenant)).agent } }),
  followAgentQueues: onAgent,
  renewSipPassword: onAgent,
  deleteAgent: async (tenant) => ({ params: { agent: await newAgent(tenant) } }),

  createQueue: async (tenant) => ({
    body: {
      name: tenant.word('queue'),
      music: await audioOf(tenant),
      overflow: { type: 'queue', target: await queueOf(tenant) },
    },
  }),
  listQueues: async (tenant) => {
    await queueOf(tenant);
    return {};
  },
  getQueue: onQueue,
  changeQueue: async (tenant) => ({ ...(await onQueue(tenant)), body: { music: await audioOf(tenant) } }),
  deleteQueue: async (tenant) => ({ params: { id: await newQueue(tenant) } }),
  getQueueStats: onQueue,
  listWaitingCallers: onQueue,

  loginAgent: async (tenant) => ({ body: await membership(tenant), names: ['body.agent'] }),
  logoutAgent: async (tenant) => ({ body: await signedIn(tenant), names: ['body.agent'] }),
  pauseAgent: async (tenant) => ({ body: { agent: (await signedIn(tenant)).agent }, names: ['body.agent'] }),
  unpauseAgent: async (tenant) => ({ body: { agent: (await signedIn(tenant)).agent }, names: ['body.agent'] }),
  listQueueMembers: async (tenant) => ({ query: { queue: (await signedIn(tenant)).queue } }),
};
