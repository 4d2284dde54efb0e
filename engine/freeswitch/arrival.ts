import type { CallerId } from '../../core/model/call/caller-id.js';
import { EDGE_HEADER, isEdgeHeader, namedBy } from '../../core/model/edge-mark.js';
import { arrivesFrom } from '../../core/model/inbound-address.js';
import { isWebAor } from '../../core/model/web-calling.js';
import { arrivesDirectly, type Softphone, type Trunk } from '../../core/ports/engine/peers.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type { EslEvent } from './esl/esl-connection.js';
import { comesFromInside } from './leg-id.js';

export type Source = Extract<LegEvent, { type: 'leg.incoming' }>['source'];
export type SourceOf = (event: EslEvent) => Source | null;

const MOST_HEADERS = 20;
const WITHHELD = new Set(['', 'anonymous', 'unknown', 'unavailable', 'restricted', '0000000000']);

/** The softphones and trunks that this engine knows. */
export interface Known {
  softphone(aor: string): Softphone | undefined;
  trunk(trunkId: string): Trunk | undefined;
  trunks(): Iterable<Trunk>;
}

/**
 * Returns the source of an inbound call: the leg that calls inside, the caller that the SIP edge names, an
 * authenticated softphone, or the trunk with the sender's address; null if unknown.
 */
export function sourceOf(event: EslEvent, known: Known): Source | null {
  if (comesFromInside(event['Channel-Name'] ?? '')) {
    const legId = event.variable_other_loopback_leg_uuid;
    return legId === undefined ? null : { type: 'inside', legId };
  }
  const mark = event[`variable_sip_h_${EDGE_HEADER}`];
  if (mark !== undefined) return markedBy(mark, known);
  const aor = event.variable_sip_auth_username;
  if (aor !== undefined && aor !== '') return { type: 'softphone', aor };
  const [address, port] = [event.variable_sip_network_ip ?? '', event.variable_sip_network_port ?? ''];
  for (const trunk of known.trunks()) {
    if (!arrivesDirectly(trunk)) continue;
    if (trunk.inboundAddresses.some((inbound) => arrivesFrom(inbound, address, port))) {
      return { type: 'trunk', trunkId: trunk.trunkId };
    }
  }
  return null;
}

/** The softphone that says that it calls through the SIP edge; null if none does. */
export function softphoneOfEdge(event: EslEvent): string | null {
  const caller = namedBy(event[`variable_sip_h_${EDGE_HEADER}`] ?? '');
  return caller?.type === 'softphone' ? caller.id : null;
}

/** Whether a browser calls through the SIP edge, so that FreeSWITCH has not asked for its account. */
export function isBrowserOfEdge(event: EslEvent): boolean {
  return isWebAor(softphoneOfEdge(event) ?? '');
}

function markedBy(mark: string, known: Known): Source | null {
  const caller = namedBy(mark);
  if (caller?.type === 'softphone') {
    return known.softphone(caller.id)?.edge?.mark === mark ? { type: 'softphone', aor: caller.id } : null;
  }
  if (caller === null || known.trunk(caller.id)?.edge?.mark !== mark) return null;
  return { type: 'trunk', trunkId: caller.id };
}

const HEADER = /^variable_sip_h_(X-Hatif-.+)$/i;

/** The `X-Hatif-…` headers of a softphone's or browser's INVITE, at most 20; undefined if there is none. */
export function headersOf(event: EslEvent, source: Source): Readonly<Record<string, string>> | undefined {
  if (source.type !== 'softphone') return undefined;
  const headers = Object.entries(event).flatMap(([variable, value]) => {
    const name = HEADER.exec(variable)?.[1];
    return name === undefined || isEdgeHeader(name) ? [] : [[name, value] as const];
  });
  return headers.length === 0 ? undefined : Object.fromEntries(headers.slice(0, MOST_HEADERS));
}

export function callerOf(event: EslEvent, source: Source): CallerId {
  const shown = event['Caller-Caller-ID-Number'] ?? '';
  const number = source.type === 'softphone' ? source.aor : WITHHELD.has(shown.toLowerCase()) ? null : shown;
  const name = event['Caller-Caller-ID-Name'] ?? '';
  // FreeSWITCH uses the number as the name if there is none.
  return { number, name: number === null || name === '' || name === shown ? null : name };
}
