import type { AgentRegistration } from '../../core/data/repositories/engines/registrations.js';
import type { QueueRow, WidgetRow } from '../../core/data/rows.js';
import type { CallForwarding } from '../../core/model/call/forwarding.js';
import type { FraudLimits } from '../../core/model/fraud/limits.js';
import { fromSar, reader, type InSar, type Wire } from '../../core/model/wire.js';
import type { AgentView, AgentWithPassword } from '../../core/services/agents/agents.js';
import type { MemberObject, QueueStatsObject, WaitingObject } from '../../core/services/queues/read.js';
import type { FlowName, Platform } from '../common/platform.js';
import { segment, type AdminClient } from './client.js';

/** Limits against toll fraud as JSON carries them. */
export type LimitsInSar = InSar<FraudLimits, 'spend_per_hour'>;

export function limitsFrom(json: LimitsInSar): FraudLimits {
  return fromSar<FraudLimits, 'spend_per_hour'>(json, 'spend_per_hour');
}

/** An agent as the API shows it. */
export type ListedAgent = Omit<Wire<AgentView>, 'fraud_limits'> & {
  readonly fraud_limits: LimitsInSar | null;
  readonly registrations: readonly Wire<Pick<AgentRegistration, 'engine' | 'since'>>[];
};

const readTimes = reader<AgentView>({ created_at: true });
const readQueue = reader<QueueRow>({ created_at: true, removed_at: true });
const readWidget = reader<WidgetRow>({ created_at: true, revoked_at: true });

/** The agent without what only the API adds. */
export function readAgent({ registrations: _, fraud_limits, ...agent }: ListedAgent): AgentView {
  return readTimes({ ...agent, fraud_limits: fraud_limits && limitsFrom(fraud_limits) });
}

interface WholeQueue {
  readonly stats: QueueStatsObject;
  readonly agents: MemberObject[];
  readonly callers: WaitingObject[];
}

/** Agents, queues, call flows and widgets of projects. */
export function remoteAgents(
  client: AdminClient,
): Pick<Platform, 'agents' | 'forwarding' | 'registrations' | 'queues' | 'callflows' | 'widgets'> {
  const agentsOf = (projectId: string): string => `/projects/${segment(projectId)}/agents`;
  const withPassword = ({
    sip_password,
    ...agent
  }: ListedAgent & { readonly sip_password: string }): AgentWithPassword => ({
    agent: readAgent(agent),
    sipPassword: sip_password,
  });
  const wholeQueue = (projectId: string, queueId: string): Promise<WholeQueue> =>
    client.get<WholeQueue>(`/projects/${segment(projectId)}/queues/${segment(queueId)}`);
  return {
    agents: {
      add: async ({ id }, agent, display_name) =>
        withPassword(
          await client.send('POST', agentsOf(id), { agent, ...(display_name !== undefined && { display_name }) }),
        ),
      list: async (projectId) => (await client.all<ListedAgent>(agentsOf(projectId))).map(readAgent),
      setCallingOut: async ({ id }, extension, change) => {
        const changed = await client.send<ListedAgent>('PATCH', `${agentsOf(id)}/${segment(extension)}`, change);
        if (change.caller_id_number == null) return change;
        return { ...change, caller_id_number: changed.caller_id_number };
      },
      setRecordCalls: async (projectId, extension, record_calls) => {
        await client.send('PATCH', `${agentsOf(projectId)}/${segment(extension)}`, { record_calls });
      },
      renewPassword: async (projectId, extension) =>
        withPassword(await client.send('POST', `${agentsOf(projectId)}/${segment(extension)}/password`)),
    },
    forwarding: {
      change: async (projectId, extension, change) => {
        const path = `${agentsOf(projectId)}/${segment(extension)}/forwarding`;
        const { agent: _, ...forwarding } = await client.send<CallForwarding & { readonly agent: string }>(
          'PATCH',
          path,
          change,
        );
        return { forwarding };
      },
    },
    registrations: {
      ofProject: async (projectId) =>
        (await client.all<ListedAgent>(agentsOf(projectId))).flatMap(({ aor, registrations }) =>
          registrations.map(({ engine, since }) => ({ aor, engine, since: since === null ? null : new Date(since) })),
        ),
    },
    queues: {
      list: async (projectId) => {
        const { data } = await client.get<{ data: Wire<QueueRow>[] }>(`/projects/${segment(projectId)}/queues`);
        return data.map(readQueue);
      },
      stats: async ({ projectId }, queueId) => (await wholeQueue(projectId, queueId)).stats,
      members: async (projectId, queue = '') => (await wholeQueue(projectId, queue)).agents,
      waiting: async ({ projectId }, queueId) => (await wholeQueue(projectId, queueId)).callers,
    },
    callflows: {
      list: async (projectId) =>
        (await client.get<{ data: FlowName[] }>(`/projects/${segment(projectId)}/callflows`)).data,
    },
    widgets: {
      create: async ({ projectId, sandbox }, settings) =>
        readWidget(await client.send('POST', `/projects/${segment(projectId)}/widgets`, { ...settings, sandbox })),
      list: async ({ projectId }) =>
        (await client.all<Wire<WidgetRow>>(`/projects/${segment(projectId)}/widgets`)).map(readWidget),
      revoke: async ({ projectId }, id) =>
        readWidget(await client.send('DELETE', `/projects/${segment(projectId)}/widgets/${segment(id)}`)),
    },
  };
}
