import { lookup } from 'node:dns/promises';
import { ipCountries } from '../../adapters/sip/ip-countries.js';
import { optionsProbe } from '../../adapters/sip/options-probe.js';
import { SoftphoneTextTable } from '../../core/data/repositories/messaging/softphone-texts.js';
import { parseSipAddress } from '../../core/model/host-port.js';
import { LIVE_KINDS, type EngineKind } from '../../core/model/engine-kinds.js';
import { isWebAor } from '../../core/model/web-calling.js';
import { SIP_EDGE_COMMANDS } from '../../core/ports/command-bus.js';
import { within } from '../../core/ports/clock.js';
import type { Closers } from '../../core/services/runtime/closers.js';
import { textRow } from '../../core/services/messaging/softphone-texts/take-texts.js';
import { LockoutReports } from '../../core/services/sip-guards/report.js';
import type { EdgeServer } from '../../sip/server.js';
import { sipSecurity } from '../install/engine-settings.js';
import type { Infrastructure } from '../wiring/infrastructure.js';
import type { Stores } from '../wiring/stores.js';

/** How long a start waits for drachtio-server. */
const CONNECTS_WITHIN_MS = 5_000;
/** New calls per second that an engine takes, if the settings do not say. */
const RATES: Readonly<Record<EngineKind, number>> = { asterisk: 150, freeswitch: 60, simulator: 1_000 };

/** Starts the role `sip`, which serves the SIP edge. It has nothing to do while phones reach the engines directly. */
export async function startSipRole(infrastructure: Infrastructure, closers: Closers): Promise<EdgeServer | null> {
  const { settings, stores, bus, cipher, sipMemory: memory, metrics, clock, log } = infrastructure;
  const { SIP_EDGE, SIP_EDGE_ADDRESS: address } = settings;
  const { DRACHTIO_HOST: host, DRACHTIO_PORT: port, DRACHTIO_SECRET: secret } = settings;
  if (SIP_EDGE === 'direct' || secret === undefined || address === undefined) return null;
  // Loaded only where it is used.
  const edge = await import('../../sip/server.js');
  const texts = new SoftphoneTextTable(stores.db);
  const reports = new LockoutReports({ ...stores, clock });
  const server = new edge.EdgeServer({
    drachtio: { host, port, secret, sipPort: settings.SIP_EDGE_PORT },
    relay: parseSipAddress(address),
    externalHost: settings.SIP_EXTERNAL_ADDRESS ?? null,
    localNetworks: settings.SIP_LOCAL_NETWORKS,
    algorithms: settings.SIP_DIGESTS,
    security: sipSecurity(settings),
    emergency: new Set(settings.EMERGENCY_NUMBERS),
    accountByAor: (aor) => (isWebAor(aor) ? stores.directory.browser(aor) : stores.directory.agentByAor(aor)),
    watched: (aor, name) => watchedSoftphone(stores, aor, name),
    contacts: stores.sipContacts,
    subscriptions: stores.sipSubscriptions,
    messagesOf: (aors) => waitingMessages(stores, aors),
    takeText: (text) => texts.add(textRow(text, clock.now())),
    lockouts: stores.sipLockouts,
    networks: stores.sipNetworks,
    refusals: stores.sipRefusals,
    countries: ipCountries(settings.SIP_COUNTRY_FILE),
    engines: () => stores.engines.offers(LIVE_KINDS),
    trunks: () => stores.trunks.list(),
    resolve: async (name) => (await lookup(name, { all: true })).map(({ address: found }) => found),
    trunkProbeSeconds: settings.TRUNK_PROBE_SECONDS,
    ratePerSecond: (kind) => settings.MAX_CALLS_PER_SECOND ?? RATES[kind],
    reportToAgent: (lockout) => reports.report(lockout),
    observer: {
      lockout: ({ kind, reason }) => metrics.sipLockout(kind, reason),
      refused: (reason) => metrics.sipRefused(reason),
      delayed: () => metrics.sipDelayed(),
    },
    ...{ cipher, memory, clock, log: log.child({ role: 'sip' }) },
    probe: optionsProbe,
  });
  closers.addTolerant(() => server.stop());
  await server.start();
  closers.addTolerant(await bus.serve(SIP_EDGE_COMMANDS, (command) => server.texts.command(command)));
  // A phone that registers as soon as the platform is up must be accepted.
  await within(CONNECTS_WITHIN_MS, server.connected()).catch(() => {
    log.warn({ host, port }, 'drachtio-server cannot be reached; the SIP edge serves as soon as it can');
  });
  return server;
}

/** The softphone of a colleague, by extension or by its own name; null for those of other projects. */
async function watchedSoftphone({ directory }: Stores, aor: string, name: string): Promise<string | null> {
  if (name === aor) return aor;
  const watcher = await directory.agentByAor(aor);
  if (!watcher) return null;
  const colleague = await directory.agentByExtension(watcher.project_id, name);
  if (colleague) return colleague.aor;
  const named = await directory.agentByAor(name);
  return named?.project_id === watcher.project_id ? named.aor : null;
}

/** As `fresh/heard`; without softphones that have no voicemail. */
async function waitingMessages({ voicemails }: Stores, aors: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const counts = await voicemails.countsOf(aors);
  return new Map([...counts].map(([aor, { fresh, heard }]) => [aor, `${fresh}/${heard}`]));
}
