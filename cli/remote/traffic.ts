import type { DeliveryView } from '../../core/data/repositories/webhooks/webhook-deliveries.js';
import type { RefusedCallsSum } from '../../core/data/repositories/calls/refused-calls.js';
import type { TroubledEndpoint } from '../../core/data/repositories/engines/overview-rows.js';
import type { CallObject } from '../../core/model/objects/call.js';
import type { AnyRecordingObject } from '../../core/model/objects/recording.js';
import { reader, type Wire } from '../../core/model/wire.js';
import { assertListLimit } from '../../core/services/access/list-limit.js';
import type { ActionResult } from '../../core/services/calls/control.js';
import type { TimelineObject } from '../../core/services/calls/read.js';
import type { InstallationStatus } from '../../core/services/overview/status.js';
import type { EndpointView } from '../../core/services/webhooks/endpoints.js';
import type { Platform } from '../common/platform.js';
import { segment, type AdminClient } from './client.js';

const readRefused = reader<RefusedCallsSum>({ first_at: true, last_at: true });
const readTroubled = reader<TroubledEndpoint>({ failing_since: true });
const readDelivery = reader<DeliveryView>({
  ...{ next_attempt_at: true, locked_until: true, created_at: true, delivered_at: true },
});
const readEndpoint = reader<EndpointView>({
  ...{ previous_secret_expires_at: true, failing_since: true, created_at: true },
});

/** What happens: calls and their records, recordings, webhooks, refusals. */
export function remoteTraffic(
  client: AdminClient,
): Pick<Platform, 'status' | 'calls' | 'cdr' | 'recordings' | 'webhooks' | 'refusedCalls'> {
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
  };
}
