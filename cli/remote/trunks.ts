import type { TrunkAttempt } from '../../core/data/repositories/engines/trunk-calls.js';
import type { TrunkRate } from '../../core/data/repositories/engines/trunk-rates.js';
import type { NamedTrunkRoute } from '../../core/data/repositories/engines/trunk-routes.js';
import { exactSarNumber } from '../../core/model/money.js';
import { fromSar, inSar, reader, type InSar, type Wire } from '../../core/model/wire.js';
import type { TrunkStatistics } from '../../core/services/trunks/figures.js';
import type { TrunkSettings } from '../../core/services/trunks/settings.js';
import type { TrunkView, WatchedTrunk } from '../../core/services/trunks/trunks.js';
import type { Platform } from '../common/platform.js';
import { segment, type AdminClient } from './client.js';
import { found } from './numbers.js';

type ListedTrunk = Wire<WatchedTrunk> & { readonly uri: string };
type ListedRoute = InSar<Wire<NamedTrunkRoute>, 'cost'>;
type ListedRate = InSar<TrunkRate, 'per_minute'>;

const readTrunk = reader<TrunkView>({ created_at: true });
const readRoute = reader<NamedTrunkRoute>({ created_at: true });
const readAttempt = reader<TrunkAttempt>({ created_at: true, ringing_at: true, answered_at: true, ended_at: true });

/** Trunks to the telephone network, the routes to them, what they cost, and the outcome of the calls through them. */
export function remoteTrunks(
  client: AdminClient,
): Pick<Platform, 'trunks' | 'trunkRoutes' | 'trunkRates' | 'trunkFigures'> {
  const path = (name: string, what = ''): string => `/trunks/${segment(name)}${what}`;
  const listed = async (): Promise<readonly WatchedTrunk[]> =>
    (await client.get<{ data: ListedTrunk[] }>('/trunks')).data.map(trunkFrom);
  return {
    trunks: {
      add: async ({ name, uri, ...settings }) =>
        rowOf(trunkFrom(await client.send<ListedTrunk>('POST', '/trunks', { name, ...written({ uri, ...settings }) }))),
      change: async (name, settings) =>
        rowOf(trunkFrom(await client.send<ListedTrunk>('PATCH', path(name), written(settings)))),
      listWatched: listed,
    },
    trunkRoutes: {
      add: async ({ organizationId, ...route }) => {
        const body = { ...inSar(route, 'cost'), organization_id: organizationId };
        return routeFrom(await client.send<ListedRoute>('POST', '/trunk-routes', body));
      },
      list: async () => (await client.get<{ data: ListedRoute[] }>('/trunk-routes')).data.map(routeFrom),
      remove: (id) => found(client.send('DELETE', `/trunk-routes/${segment(id)}`)),
    },
    trunkRates: {
      list: async (name) =>
        (await client.get<{ data: ListedRate[] }>(path(name, '/rates'))).data.map((rate) =>
          fromSar<TrunkRate, 'per_minute'>(rate, 'per_minute'),
        ),
      replace: async (name, rates) => {
        const given = rates.map(({ prefix, per_minute }) => ({ prefix, per_minute_sar: exactSarNumber(per_minute) }));
        await client.send('PUT', path(name, '/rates'), { rates: given });
      },
    },
    trunkFigures: {
      of: async (hours) => (await client.get<{ data: TrunkStatistics[] }>('/trunk-figures', { hours })).data,
      attempts: async (callId) =>
        (await client.get<{ data: Wire<TrunkAttempt>[] }>('/trunk-attempts', { call_id: callId })).data.map(
          readAttempt,
        ),
    },
  };
}

/** The settings as the API names them, without those that are not given. */
function written({ inboundAddresses, foreignNumbers, isDefault, isProbed, ...settings }: TrunkSettings): object {
  const { dtmfMode, callerId, callerIdNumber, assertedIdentity, ...same } = settings;
  const renamed = {
    inbound_addresses: inboundAddresses,
    foreign_numbers: foreignNumbers,
    is_default: isDefault,
    probed: isProbed,
    dtmf_mode: dtmfMode,
    caller_id: callerId,
    caller_id_number: callerIdNumber,
    asserted_identity: assertedIdentity,
  };
  return Object.fromEntries(Object.entries({ ...same, ...renamed }).filter(([, value]) => value !== undefined));
}

function trunkFrom({ uri: _, state, engines, ...trunk }: ListedTrunk): WatchedTrunk {
  return {
    ...readTrunk(trunk),
    state,
    engines: engines.map(({ engine, state: seen, since }) => ({ engine, state: seen, since: new Date(since) })),
  };
}

function routeFrom(route: ListedRoute): NamedTrunkRoute {
  return readRoute(fromSar<Wire<NamedTrunkRoute>, 'cost'>(route, 'cost'));
}

function rowOf({ state: _, engines: _engines, ...row }: WatchedTrunk): TrunkView {
  return row;
}
