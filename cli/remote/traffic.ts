import type { DeliveryView } from '../../core/data/repositories/webhooks/webhook-deliveries.js';
import type { RefusedCallsSum } from '../../core/data/repositories/calls/refused-calls.js';
import type { TroubledEndpoint } from '../../core/data/repositories/engines/overview-rows.js';
import type { BlockedCallerRow, FraudBlockRow } from '../../core/data/rows.js';
import type { FraudLimits, ProjectFraudLimits } from '../../core/model/fraud/limits.js';
import type { CallObject } from '../../core/model/objects/call.js';
import { atMostOf, type FraudBlockObject } from '../../core/model/objects/fraud-block.js';
import type { AnyRecordingObject } from '../../core/model/objects/recording.js';
import { inSar, reader, type Wire } from '../../core/model/wire.js';
import { assertListLimit } from '../../core/services/access/list-limit.js';
import type { ActionResult } from '../../core/services/calls/control.js';
import type { TimelineObject } from '../../core/services/calls/read.js';
import type { InstallationStatus } from '../../core/services/overview/status.js';
import type { EndpointView } from '../../core/services/webhooks/endpoints.js';
import type { Platform } from '../common/platform.js';
import { limitsFrom, type LimitsInSar } from './agents.js';
import { segment, type AdminClient } from './client.js';

const readRefused = reader<RefusedCallsSum>({ first_at: true, last_at: true });
const readTroubled = reader<TroubledEndpoint>({ failing_since: true });
const readBlocked = reader<BlockedCallerRow>({ created_at: true });
const readBlock = reader<FraudBlockRow>({ blocked_at: true, released_at: true });
const readDelivery = reader<DeliveryView>({
  ...{ next_attempt_at: true, locked_until: true, created_at: true, delivered_at: true },
});
const readEndpoint = reader<EndpointView>({
  ...{ previous_secret_expires_at: true, failing_since: true, created_at: true },
});

/** A block as the API shows it. */
type ListedBlock = FraudBlockObject & Pick<FraudBlockRow, 'organization_id' | 'project_id' | 'released_by_key'>;

/** What happens: calls and their records, recordings, webhooks, refusals. */
export function remoteTraffic(
  client: AdminClient,
): Pick<
  Platform,
  'status' | 'calls' | 'cdr' | 'recordings' | 'webhooks' | 'refusedCalls' | 'blockedCallers' | 'fraud'
> {
  const of = (projectId: string, what: string): string => `/projects/${segment(projectId)}/${what}`;
  return {
    status: {
      read: async () => {
        const status = await client.get<Wire<InstallationStatus>>('/status');
        const { refused, webhooks } = status;
        return {
          ...(status as unknown as InstallationStatus),
          refused: refused.map(readRefused),
          webhooks: { ...webhooks, troubled: webhooks.troubled.map(readTroubled) },
        };
      },
    },
    calls: {
      list: async ({ id }, { live, status }, limit) => {
        assertListLimit(limit);
        return client.upTo<CallObject>(of(id, 'calls'), limit, { live, status });
      },
      get: ({ id }, callId) => client.get<CallObject>(of(id, `calls/${segment(callId)}`)),
      timeline: async ({ id }, callId) => {
        const { data } = await client.get<{ data: TimelineObject[] }>(of(id, `calls/${segment(callId)}/timeline`));
        return data;
      },
      hangup: ({ id }, callId) => client.send<ActionResult>('POST', of(id, `calls/${segment(callId)}/hangup`)),
    },
    cdr: {
      csv: ({ id }, { from, before }, { unmasked = false }) =>
        client.lines(of(id, 'cdr'), {
          from: from.toISOString(),
          to: new Date(before.getTime() - 1).toISOString(),
          unmasked,
        }),
    },
    recordings: {
      list: (projectId, callId, limit) =>
        client.upTo<AnyRecordingObject>(of(projectId, 'recordings'), limit, { call_id: callId }),
      setLegalHold: (projectId, id, hold) =>
        client.send<AnyRecordingObject>(
          'POST',
          of(projectId, `recordings/${segment(id)}/${hold ? 'hold' : 'release'}`),
        ),
      delete: async (projectId, id) =>
        (await client.send<{ audio_gone: boolean }>('DELETE', of(projectId, `recordings/${segment(id)}`))).audio_gone,
      setPolicy: async (projectId, policy) => {
        await client.send('PATCH', `/projects/${segment(projectId)}`, policy);
      },
    },
    webhooks: {
      list: async ({ id }) =>
        (await client.get<{ data: Wire<EndpointView>[] }>(of(id, 'webhooks'))).data.map(readEndpoint),
      deliveriesOf: async ({ id }, endpoint, status, limit) => {
        assertListLimit(limit);
        const path = of(id, `webhooks/${segment(endpoint)}/deliveries`);
        return (await client.upTo<Wire<DeliveryView>>(path, limit, { status })).map(readDelivery);
      },
      redeliver: async ({ id }, endpoint, delivery) => {
        const path = of(id, `webhooks/${segment(endpoint)}/deliveries/${segment(delivery)}/redeliver`);
        return readDelivery(await client.send<Wire<DeliveryView>>('POST', path));
      },
    },
    refusedCalls: {
      list: async (hours, limit) => {
        const { data } = await client.get<{ data: Wire<RefusedCallsSum>[] }>('/refused-calls', { hours, limit });
        return data.map(readRefused);
      },
    },
    blockedCallers: {
      add: async ({ projectId: project_id }, entry, note) => {
        const { added, ...row } = await client.send<Wire<BlockedCallerRow> & { readonly added: boolean }>(
          'POST',
          '/blocked-callers',
          { project_id, ...entry, note },
        );
        return { row: readBlocked(row), isNew: added };
      },
      all: async ({ projectId: project_id }) =>
        (await client.all<Wire<BlockedCallerRow>>('/blocked-callers', { project_id })).map(readBlocked),
      remove: async ({ projectId: project_id }, id) => {
        const query = project_id === null ? '' : `?project_id=${segment(project_id)}`;
        await client.send('DELETE', `/blocked-callers/${segment(id)}${query}`);
      },
    },
    fraud: remoteFraud(client),
  };
}

interface LimitsOfProject {
  readonly project: LimitsInSar;
  readonly agents: LimitsInSar;
  readonly overrides: readonly { readonly agent: string; readonly limits: LimitsInSar }[];
}

function remoteFraud(client: AdminClient): Platform['fraud'] {
  const limitsPath = (projectId: string): string => `/projects/${segment(projectId)}/fraud-limits`;
  const agentPath = (projectId: string, agent: string): string => `${limitsPath(projectId)}/${segment(agent)}`;
  const written = (limits: FraudLimits): LimitsInSar => inSar<FraudLimits, 'spend_per_hour'>(limits, 'spend_per_hour');
  const limitsOf = (projectId: string): Promise<LimitsOfProject> => client.get<LimitsOfProject>(limitsPath(projectId));
  const blockFrom = ({ limit, reason: _, reason_ar: _arabic, ...block }: ListedBlock): FraudBlockRow =>
    readBlock({ ...block, at_most: atMostOf(block.rule, limit) });
  return {
    read: async (projectId): Promise<ProjectFraudLimits> => {
      const { project, agents } = await limitsOf(projectId);
      return { project: limitsFrom(project), agents: limitsFrom(agents) };
    },
    overrides: async (projectId) =>
      (await limitsOf(projectId)).overrides.map(({ agent, limits }) => ({ agent, fraud_limits: limitsFrom(limits) })),
    ofAgent: async (projectId, agent) => {
      const { own, effective } = await client.get<{ own: LimitsInSar; effective: LimitsInSar }>(
        agentPath(projectId, agent),
      );
      return { own: limitsFrom(own), effective: limitsFrom(effective) };
    },
    set: async (projectId, { project, agents }) => {
      await client.send('PUT', limitsPath(projectId), { project: written(project), agents: written(agents) });
    },
    setOfAgent: async (projectId, agent, limits) => {
      await client.send('PUT', agentPath(projectId, agent), written(limits));
    },
    blocks: async (projectId, inForce, _before, limit) => {
      const path = `/projects/${segment(projectId)}/fraud-blocks`;
      return (await client.upTo<ListedBlock>(path, limit, { in_force: inForce })).map(blockFrom);
    },
    release: async (projectId, id) =>
      blockFrom(await client.send('POST', `/projects/${segment(projectId)}/fraud-blocks/${segment(id)}/release`)),
  };
}
