import type { CallRow } from '../../../core/data/rows.js';
import { eventually } from '../../support/eventually.js';
import { callRow, insertRows } from '../../support/rows/rows.js';
import type { Samples } from '../sample.js';
import { RINGS } from '../simulated-phones.js';
import type { Members, Tenant } from '../tenant.js';
import { agentOf, newAgent, queueOf } from './queues.js';

/** An ended call. */
export async function newEndedCall(tenant: Tenant, changes: Partial<CallRow> = {}): Promise<CallRow> {
  const at = new Date();
  const call = callRow(tenant.ground, {
    status: 'ended',
    answered_at: at,
    ended_at: at,
    customer_number: tenant.number(),
    metadata: { order: tenant.word('order') },
    ...changes,
  });
  await insertRows(tenant.world.db, 'calls', [call]);
  tenant.secret(call.id);
  return call;
}

export const endedCallOf = (tenant: Tenant): Promise<CallRow> => tenant.once('ended call', () => newEndedCall(tenant));

/** A live call that connects its customer with the tenant's agent. @returns its ID */
export async function newLiveCall(tenant: Tenant): Promise<string> {
  const agent = await agentOf(tenant);
  const placed = await tenant.ask('POST', '/v1/calls', {
    to: tenant.number(),
    connect: { type: 'agent', target: agent },
    metadata: { order: tenant.word('order') },
  });
  const id = String(placed.call_id);
  let last: Members = {};
  await eventually(
    async () => {
      last = await tenant.ask('GET', `/v1/calls/${id}`);
      const legs = last.legs as readonly { readonly status: string }[];
      return legs.filter(({ status }) => status === 'answered').length === 2;
    },
    () => `both parties of the call: ${JSON.stringify(last)}`,
    5_000,
  );
  return id;
}

export const liveCallOf = (tenant: Tenant): Promise<string> => tenant.once('live call', () => newLiveCall(tenant));

const onLiveCall =
  (body?: object) =>
  async (tenant: Tenant): Promise<{ params: { call_id: string }; body?: object }> => ({
    params: { call_id: await liveCallOf(tenant) },
    ...(body && { body }),
  });

/** A callback of the tenant's queue, which has no agents. */
async function newCallback(tenant: Tenant): Promise<string> {
  const queue_id = await queueOf(tenant);
  return String((await tenant.ask('POST', '/v1/callback', { to: tenant.number(RINGS), queue_id })).callback_id);
}

/** An attended transfer of a live call to another agent. */
async function newTransfer(tenant: Tenant): Promise<{ call_id: string; transfer_id: string }> {
  const [call_id, target] = [await newLiveCall(tenant), await newAgent(tenant)];
  const json = { type: 'attended', to: { type: 'agent', target } };
  const { transfer_id } = await tenant.ask('POST', `/v1/calls/${call_id}/transfer`, json);
  await eventually(async () => {
    const { data } = await tenant.ask('GET', `/v1/calls/${call_id}/transfers`);
    return (data as readonly { readonly status: string }[]).some(({ status }) => status === 'consulting');
  }, 'the target of the transfer answers');
  return { call_id, transfer_id: String(transfer_id) };
}

export const calls: Samples = {
  placeCall: async (tenant) => ({
    body: { to: tenant.number(), connect: { type: 'queue', target: await queueOf(tenant) } },
  }),
  listCalls: async (tenant) => {
    await endedCallOf(tenant);
    return {};
  },
  getCall: async (tenant) => ({ params: { call_id: (await endedCallOf(tenant)).id } }),
  getCallTimeline: async (tenant) => ({ params: { call_id: (await endedCallOf(tenant)).id } }),
  exportCallDetailRecords: async (tenant) => {
    await endedCallOf(tenant);
    const to = new Date(Date.now() + 60_000);
    return { query: { from: new Date(to.getTime() - 86_400_000).toISOString(), to: to.toISOString() } };
  },

  placeCallback: async (tenant) => ({ body: { to: tenant.number(), queue_id: await queueOf(tenant) } }),
  listCallbacks: async (tenant) => {
    await tenant.once('callback', () => newCallback(tenant));
    return {};
  },
  getCallback: async (tenant) => ({
    params: { callback_id: await tenant.once('callback', () => newCallback(tenant)) },
  }),
  cancelCallback: async (tenant) => ({ params: { callback_id: await newCallback(tenant) } }),

  hangupCall: async (tenant) => ({ params: { call_id: await newLiveCall(tenant) } }),
  holdCall: onLiveCall(),
  unholdCall: onLiveCall(),
  muteCall: onLiveCall(),
  unmuteCall: onLiveCall(),
  sendDtmf: onLiveCall({ digits: '12' }),
  playIntoCall: onLiveCall({ text: 'Hello', language: 'en', loop: 10 }),
  stopPlaying: onLiveCall(),
  startRecording: onLiveCall(),
  pauseRecording: onLiveCall(),
  resumeRecording: onLiveCall(),
  stopRecording: onLiveCall(),
  monitorCall: async (tenant) => ({
    params: { call_id: await liveCallOf(tenant) },
    body: { agent: await tenant.once('supervisor', () => newAgent(tenant)), mode: 'listen' },
    names: ['body.agent'],
  }),
  stopMonitoring: onLiveCall(),

  transferCall: async (tenant) => ({
    params: { call_id: await newLiveCall(tenant) },
    body: { type: 'blind', to: { type: 'agent', target: await newAgent(tenant) } },
    names: ['body.to.target'],
  }),
  listTransfers: async (tenant) => ({
    params: { call_id: (await tenant.once('transfer', () => newTransfer(tenant))).call_id },
  }),
  completeTransfer: async (tenant) => ({ params: await newTransfer(tenant) }),
  cancelTransfer: async (tenant) => ({ params: await newTransfer(tenant) }),
};
