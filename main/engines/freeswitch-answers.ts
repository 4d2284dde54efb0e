import { timingSafeEqual } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { AskingEngine, FreeswitchOptions } from '../../api/routes/platform/freeswitch.js';
import { DatabaseUnavailable } from '../../core/data/errors.js';
import type { EngineWithLease } from '../../core/data/repositories/engines/engines.js';
import type { TrunkRow } from '../../core/data/rows.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import { isWebAor } from '../../core/model/web-calling.js';
import type { Softphone, Trunk } from '../../core/ports/engine/peers.js';
import type { LegEnds } from '../../core/ports/leg-ends.js';
import type { Logger } from '../../core/ports/logger.js';
import type { SipEdge } from '../../core/ports/sip/edge.js';
import { engineSecret } from '../../core/services/engines/manage.js';
import { cachedFor } from '../../core/services/health/cached-for.js';
import {
  peersOf,
  peerTrunk,
  softphoneOf,
  trunkOf,
  type Peer,
} from '../../core/services/engine-ownership/provisioned.js';
import { parseEndedLeg } from '../../engine/freeswitch/ended-leg.js';
import { freeswitchXml } from '../../engine/freeswitch/xml.js';
import type { Stores } from '../wiring/stores.js';

export interface FreeswitchAnswersOptions {
  readonly stores: Pick<Stores, 'directory' | 'engines' | 'trunks'>;
  readonly cipher: Cipher;
  /** The interval at which trunks are probed. */
  readonly trunkProbeSeconds: number;
  /** Whether softphones may use TLS only. */
  readonly phonesNeedTls: boolean;
  /** By FreeSWITCH's names, in order of preference. */
  readonly codecs: readonly string[];
  /** The owner of an engine finds the ends here whose events it missed. */
  readonly legEnds: LegEnds;
  /** The way in for phones and carriers. */
  readonly edge: Pick<SipEdge, 'address' | 'softphone' | 'trunk'>;
  readonly log: Logger;
}

/**
 * How long the list of engines is cached: a phone that registers causes two requests, and many legs may end at once.
 */
const CACHED_MS = 500;
/** The name of the SIP edge among those whose calls are let in. */
const EDGE = 'hatif-edge';

/**
 * Answers requests of any FreeSWITCH of the installation from the tables, or from the values last read while the
 * database is unavailable.
 * @returns identifies the engine that sent a request
 */
export function freeswitchAnswers(options: FreeswitchAnswersOptions): FreeswitchOptions['identify'] {
  const { stores, cipher, trunkProbeSeconds: probeSeconds, phonesNeedTls, codecs, legEnds, edge, log } = options;
  const engines = lastKnown(CACHED_MS, () => stores.engines.list());
  // Not cached: requested right after a change.
  const tables = lastKnown(0, () => Promise.all([stores.trunks.enabled(), stores.engines.list()]));
  const trunksFor = async (engineId: string): Promise<readonly Trunk[]> => {
    const [trunks, rows] = await tables();
    const peers = await Promise.all(peersOf(engineId, rows).map((peer) => addressesOf(peer, log)));
    const edges = edge.address === null ? [] : await addressesOf({ engineId: EDGE, ...edge.address }, log);
    return [
      ...trunks.map((row: TrunkRow) => edge.trunk(trunkOf(row, cipher))),
      ...peers.flat().map(peerTrunk),
      // Its calls are let in like those of a trunk; their mark names the caller.
      ...edges.map((one) => ({ ...peerTrunk(one), isPeer: false })),
    ];
  };
  const softphoneNamed = async (aor: string): Promise<Softphone | undefined> => {
    const isBrowser = isWebAor(aor);
    const row = await (isBrowser ? stores.directory.browser(aor) : stores.directory.agentByAor(aor));
    return row === null ? undefined : edge.softphone({ ...softphoneOf(row, cipher), ...(isBrowser && { isBrowser }) });
  };
  // While the database is unavailable, no engine counts as owned.
  const owned = cachedFor(CACHED_MS, async () => {
    const rows = await stores.engines.list().catch(() => []);
    return new Set(rows.filter(({ leased, status }) => leased && status === 'up').map(({ name }) => name));
  });
  const asking = ({ id, name }: EngineWithLease): AskingEngine => ({
    async answer(question) {
      // FreeSWITCH also asks for the configuration of each conference that a leg enters, which is in its own file.
      const isOfLists = question.get('key_value') === 'acl.conf';
      const isOfTrunks = isOfLists || question.get('purpose') === 'gateways';
      const isOfPhones = question.get('section') === 'directory' && !isOfTrunks;
      const softphone = isOfPhones ? await softphoneNamed(question.get('user') ?? '') : undefined;
      const trunks = isOfTrunks ? await trunksFor(id) : [];
      return freeswitchXml(question, {
        softphone: () => softphone,
        trunks: () => trunks,
        probeSeconds,
        phonesNeedTls,
        codecs,
      });
    },
    async ended(json) {
      if (!(await owned()).has(name)) return false;
      const [legId, detail] = parseEndedLeg(json) ?? [];
      if (legId === undefined || !detail) return true;
      try {
        await legEnds.put(legId, detail);
        return true;
      } catch (error) {
        log.warn({ err: error, engine: name }, 'the end of a leg cannot be kept; FreeSWITCH keeps it');
        return false;
      }
    },
  });
  return async (name, secret) => {
    if (!isSame(secret, engineSecret(cipher, name))) return null;
    const row = (await engines()).find((one) => one.name === name && one.kind === 'freeswitch');
    return row ? asking(row) : null;
  };
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** FreeSWITCH's network lists accept only addresses. */
async function addressesOf(peer: Peer, log: Logger): Promise<readonly Peer[]> {
  if (isIP(peer.host) !== 0) return [peer];
  try {
    const found = await lookup(peer.host, { all: true });
    return found.map(({ address: host }) => ({ ...peer, host }));
  } catch (error) {
    log.warn({ err: error, host: peer.host }, 'the host name of an engine has no address; its calls are not accepted');
    return [];
  }
}

/** Caches a reading for `cachedMs`, and for as long as the database is unavailable. */
function lastKnown<T>(cachedMs: number, read: () => Promise<T>): () => Promise<T> {
  let known: { readonly value: T; readonly readMs: number } | null = null;
  return async () => {
    if (known && performance.now() - known.readMs < cachedMs) return known.value;
    try {
      known = { value: await read(), readMs: performance.now() };
      return known.value;
    } catch (error) {
      if (known && error instanceof DatabaseUnavailable) return known.value;
      throw error;
    }
  };
}
