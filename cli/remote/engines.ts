import type { EngineRow, SipLockoutRow, SipNetworkRow, SipRefusalRow } from '../../core/data/rows.js';
import { reader, type Wire } from '../../core/model/wire.js';
import { ENGINE_IN_USE, type EngineView } from '../../core/services/engines/manage.js';
import type { SipEdgeView } from '../../core/services/sip-guards/manage.js';
import { ApiRefusal } from '../common/failure.js';
import type { Platform } from '../common/platform.js';
import { segment, type AdminClient } from './client.js';
import { found } from './numbers.js';

const readEngine = reader<EngineView>({ lease_expires_at: true, seen_at: true, removed_at: true });
const readLockout = reader<SipLockoutRow>({ locked_at: true, locked_until: true });
const readNetwork = reader<SipNetworkRow>({ created_at: true });
const readRefusal = reader<SipRefusalRow>({ hour: true, last_at: true });

/** An engine as the API shows it: `owner` only while it has one. */
type ListedEngine = Omit<Wire<EngineView>, 'owner' | 'removed_at'> & {
  readonly sip: string | null;
  readonly owner: string | null;
  readonly last_owner: string | null;
};

/** Engines, and the SIP edge. */
export function remoteEngines(client: AdminClient): Pick<Platform, 'engines' | 'sipGuards'> {
  const path = (name: string, what = ''): string => `/engines/${segment(name)}${what}`;
  return {
    engines: {
      add: async ({ maxCalls, wsUrl, ...engine }) => {
        const { secret: _, ...added } = await client.send<ListedEngine & { readonly secret: unknown }>(
          'POST',
          '/engines',
          { ...engine, ws_url: wsUrl, max_calls: maxCalls },
        );
        const { leased: _leased, live_calls: _calls, takes_calls: _takes, ...row } = engineFrom(added);
        return row satisfies Omit<EngineRow, 'password'>;
      },
      list: async () => (await client.get<{ data: ListedEngine[] }>('/engines')).data.map(engineFrom),
      secretOf: async (name) => (await client.get<{ secret: string | null }>(path(name, '/secret'))).secret,
      drain: (name) => found(client.send('POST', path(name, '/drain'))),
      resume: (name) => found(client.send('POST', path(name, '/resume'))),
      remove: async (name) => {
        try {
          return (await found(client.send('DELETE', path(name)))) ? 'removed' : 'unknown';
        } catch (error) {
          const use = (['busy', 'in settings'] as const).find(
            (each) => error instanceof ApiRefusal && error.message.includes(ENGINE_IN_USE[each].en),
          );
          if (use === undefined) throw error;
          return use;
        }
      },
    },
    sipGuards: remoteSipGuards(client),
  };
}

function remoteSipGuards(client: AdminClient): Platform['sipGuards'] {
  const list = async <T>(path: string): Promise<T[]> => (await client.get<{ data: T[] }>(path)).data;
  return {
    edge: () => client.get<SipEdgeView>('/sip'),
    blocked: async () => (await list<Wire<SipLockoutRow>>('/sip/lockouts')).map(readLockout),
    release: (subject) => found(client.send('DELETE', `/sip/lockouts/${segment(subject)}`)),
    refusals: async () => (await list<Wire<SipRefusalRow>>('/sip/refusals')).map(readRefusal),
    networks: async () => (await list<Wire<SipNetworkRow>>('/sip/networks')).map(readNetwork),
    put: async (network, rule, note) =>
      readNetwork(await client.send('POST', '/sip/networks', { network, rule, ...(note !== null && { note }) })),
    remove: (network) => found(client.send('DELETE', `/sip/networks/${segment(network)}`)),
  };
}

function engineFrom({ sip: _, last_owner, ...engine }: ListedEngine): EngineView {
  return readEngine({ ...engine, owner: last_owner, removed_at: null });
}
