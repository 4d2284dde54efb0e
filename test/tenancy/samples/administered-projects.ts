import { DEFAULT_THEME } from '../../../core/services/widgets/manage.js';
import type { Asked, Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';
import { administer } from './administer.js';
import { newFraudBlock } from './billing.js';
import { endedCallOf, newLiveCall } from './calls.js';
import { newNumber } from './numbers.js';
import { agentOf, newAgent, queueOf } from './queues.js';
import { newRecording } from './recordings.js';
import { newDelivery } from './webhooks.js';
import { newWidget } from './widgets.js';

const DAY_MS = 86_400_000;

/** A request about the tenant's project. */
const onProject = ({ ground }: Tenant, params: Readonly<Record<string, string>> = {}, body?: unknown): Asked => ({
  params: { project_id: ground.projectId, ...params },
  ...(body !== undefined && { body }),
});
const path = ({ ground }: Tenant, rest: string): string => `/projects/${ground.projectId}${rest}`;

const newKey = (tenant: Tenant) => ({ name: tenant.word('key'), kind: 'live' });
const onNewKey = async (tenant: Tenant): Promise<Asked> => {
  const { id } = await administer(tenant, 'POST', path(tenant, '/keys'), newKey(tenant));
  return onProject(tenant, { key_id: String(id) });
};

const onAgent = async (tenant: Tenant, body?: unknown): Promise<Asked> =>
  onProject(tenant, { agent: await agentOf(tenant) }, body);
const onNumber = async (tenant: Tenant, body?: unknown): Promise<Asked> =>
  onProject(tenant, { number: (await newNumber(tenant)).e164 }, body);
const onRecording = async (tenant: Tenant): Promise<Asked> =>
  onProject(tenant, { recording_id: (await newRecording(tenant)).recording_id });
const onCall = async (tenant: Tenant): Promise<Asked> => onProject(tenant, { call_id: (await endedCallOf(tenant)).id });

export const administeredProjects: Samples = {
  listAdministeredProjects: () => ({}),
  createAdministeredProject: (tenant) => ({
    body: { name: tenant.word('project'), organization_id: tenant.ground.organizationId },
  }),
  changeAdministeredProject: (tenant) => onProject(tenant, {}, { recording_retention_days: 90 }),

  listKeysOfProject: (tenant) => onProject(tenant),
  createKeyOfProject: (tenant) => onProject(tenant, {}, newKey(tenant)),
  revokeKeyOfProject: onNewKey,

  listAgentsOfProject: async (tenant) => {
    await agentOf(tenant);
    return onProject(tenant);
  },
  createAgentOfProject: (tenant) => onProject(tenant, {}, { agent: tenant.word('agent') }),
  changeAgentOfProject: (tenant) => onAgent(tenant, { may_call_out: true, destination_classes: ['national'] }),
  changeForwardingOfProject: (tenant) => onAgent(tenant, { do_not_disturb: false }),
  renewAgentPassword: async (tenant) => onProject(tenant, { agent: await newAgent(tenant) }),
  removeAgentOfProject: async (tenant) => onProject(tenant, { agent: await newAgent(tenant) }),

  listQueuesOfProject: async (tenant) => {
    await queueOf(tenant);
    return onProject(tenant);
  },
  getQueueOfProject: async (tenant) => onProject(tenant, { queue_id: await queueOf(tenant) }),
  listCallflowsOfProject: (tenant) => onProject(tenant),
  listWidgetsOfProject: async (tenant) => {
    await newWidget(tenant);
    return onProject(tenant);
  },
  createWidgetOfProject: (tenant) => {
    const reach = { allowed_origins: ['https://shop.example'], countries: ['+966'] };
    return onProject(tenant, {}, { name: tenant.word('widget'), ...reach, theme: DEFAULT_THEME });
  },
  revokeWidgetOfProject: async (tenant) => onProject(tenant, { widget_id: await newWidget(tenant) }),

  listNumbersOfProject: async (tenant) => {
    await newNumber(tenant);
    return onProject(tenant);
  },
  addNumberToProject: (tenant) => onProject(tenant, {}, { number: tenant.number(), binding: { type: 'echo' } }),
  bindNumberOfProject: (tenant) => onNumber(tenant, { binding: { type: 'voicemail' } }),
  removeNumberOfProject: (tenant) => onNumber(tenant),
  setDefaultDestinationOfProject: (tenant) => onProject(tenant, {}, { destination: { type: 'echo' } }),
  setVoicemailPin: (tenant) => onNumber(tenant, { pin: '4711' }),

  listCallsOfProject: async (tenant) => {
    await endedCallOf(tenant);
    return onProject(tenant);
  },
  getCallOfProject: onCall,
  getCallTimelineOfProject: onCall,
  hangUpCallOfProject: async (tenant) => onProject(tenant, { call_id: await newLiveCall(tenant) }),
  exportCallDetailRecordsOfProject: async (tenant) => {
    await endedCallOf(tenant);
    const to = new Date(Date.now() + 60_000);
    const query = { from: new Date(to.getTime() - DAY_MS).toISOString(), to: to.toISOString() };
    return { ...onProject(tenant), query };
  },

  listRecordingsOfProject: async (tenant) => {
    await newRecording(tenant);
    return onProject(tenant);
  },
  holdRecordingOfProject: onRecording,
  releaseRecordingOfProject: onRecording,
  deleteRecordingOfProject: onRecording,

  listWebhooksOfProject: async (tenant) => {
    await newDelivery(tenant);
    return onProject(tenant);
  },
  listWebhookDeliveriesOfProject: async (tenant) => {
    const { webhook_id } = await newDelivery(tenant);
    return onProject(tenant, { webhook_id });
  },
  redeliverWebhookOfProject: async (tenant) => onProject(tenant, { ...(await newDelivery(tenant)) }),

  getFraudLimitsOfProject: (tenant) => onProject(tenant),
  setFraudLimitsOfProject: (tenant) =>
    onProject(tenant, {}, { project: { spend_per_hour_sar: 10_000 }, agents: { calls_per_hour: 600 } }),
  getFraudLimitsOfAgent: (tenant) => onAgent(tenant),
  setFraudLimitsOfAgent: (tenant) => onAgent(tenant, { calls_per_hour: 600 }),
  listFraudBlocksOfProject: async (tenant) => {
    await newFraudBlock(tenant);
    return onProject(tenant);
  },
  releaseFraudBlockOfProject: async (tenant) => onProject(tenant, { block_id: await newFraudBlock(tenant) }),

  getBillingOfProject: (tenant) => onProject(tenant),
  setSpendCapsOfProject: (tenant) => onProject(tenant, {}, { day_sar: 1_000_000, month_sar: null }),
  allocateToProject: async (tenant) => {
    const json = { amount_sar: 10, reference: tenant.word('transfer') };
    await administer(tenant, 'POST', `/organizations/${tenant.ground.organizationId}/top-ups`, json);
    return onProject(tenant, {}, { amount_sar: 5 });
  },
};
