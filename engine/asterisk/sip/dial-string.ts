import type { CallerId } from '../../../core/model/call/caller-id.js';
import type { ForwardCase } from '../../../core/model/call/forwarding.js';
import { TRUNK_HEADER } from '../../../core/model/edge-mark.js';
import { RESUMED_HEADER } from '../../../core/model/web-calling.js';
import { EngineError, type Identity, type LegEndpoint } from '../../../core/ports/engine.js';
import type { Trunk } from '../../../core/ports/engine/peers.js';
import { identityHeaders } from '../../common/identity-headers.js';
import { SIP_ENDPOINT, trunkEndpoint } from './pjsip-objects.js';
import { printable } from './text.js';

/** The dialplan context of calls inside. */
export const INSIDE_CONTEXT = 'hatif-inside';

const AOR = /^[0-9A-Za-z._-]{1,64}$/;
/** Valid user parts of a dialled number: no character with a meaning in PJSIP's dial string or in a SIP URI. */
const NUMBER = /^[0-9A-Za-z+*#._-]{1,64}$/;
const SIP_URI = /^sips?:[^\s@<>"&,/\\]+@[^\s@<>"&,/\\]+$|^sips?:[^\s@<>"&,/\\]+$/i;

/**
 * Returns the dial string of an endpoint (chan_pjsip: `endpoint`, `number@endpoint`, `endpoint/uri`).
 * @throws EngineError `rejected` for a target with characters that Asterisk could interpret
 */
export function dialString(endpoint: LegEndpoint): string {
  switch (endpoint.type) {
    case 'softphone':
      return `PJSIP/${checked(endpoint.aor, AOR)}`;
    case 'trunk':
      return `PJSIP/${checked(endpoint.number, NUMBER).replaceAll('#', '%23')}@${trunkEndpoint(endpoint.trunkId)}`;
    case 'sip':
      return `PJSIP/${SIP_ENDPOINT}/${checked(endpoint.uri, SIP_URI)}`;
    case 'inside':
      // `/n`: the legs stay, although both halves are in bridges.
      return `Local/${checked(endpoint.number, NUMBER)}@${INSIDE_CONTEXT}/n`;
  }
}

function checked(target: string, pattern: RegExp): string {
  if (!pattern.test(target)) throw new EngineError('rejected', 'The target contains characters that cannot be dialled');
  return target;
}

/**
 * Returns the channel variables that make chan_pjsip put the caller id into From (it uses the *connected* line of an
 * outbound channel). A withheld number is sent as `anonymous@anonymous.invalid` (RFC 3323 §4.1).
 */
export function callerIdVariables(callerId: CallerId): Record<string, string> {
  if (callerId.number === null) {
    return { 'CONNECTEDLINE(num,i)': 'anonymous', 'CONNECTEDLINE(pres,i)': 'prohib' };
  }
  return {
    'CONNECTEDLINE(num,i)': callerId.number,
    'CONNECTEDLINE(name,i)': printable(callerId.name ?? ''),
    'CONNECTEDLINE(pres,i)': 'allowed',
  };
}

/** Returns the channel variables that add headers about the caller to the INVITE. */
export function identityVariables(identity: Identity, trunk: Trunk): Record<string, string> {
  const headers = Object.entries(identityHeaders(identity, trunk));
  return Object.fromEntries(headers.map(([name, value]) => [`PJSIP_HEADER(add,${name})`, value]));
}

/** Returns the channel variables from which the SIP edge reads the trunk that is called through it. */
export function exitVariables({ exit }: Trunk): Record<string, string> {
  return exit === undefined ? {} : { [`PJSIP_HEADER(add,${TRUNK_HEADER})`]: exit.mark };
}

/** Returns the channel variables from which a browser reads which call comes back. */
export function resumedVariables(endpoint: LegEndpoint): Record<string, string> {
  if (endpoint.type !== 'softphone' || endpoint.resumedSeconds === undefined) return {};
  return { [`PJSIP_HEADER(add,${RESUMED_HEADER})`]: String(endpoint.resumedSeconds) };
}

/** Asterisk's names of the reasons. */
const REASONS: Readonly<Record<ForwardCase, string>> = {
  always: 'cfu',
  busy: 'cfb',
  no_answer: 'cfnr',
  unregistered: 'unavailable',
};

/** Returns the channel variables that make chan_pjsip send a Diversion header (RFC 5806). */
export function diversionVariables(endpoint: LegEndpoint): Record<string, string> {
  if (endpoint.type !== 'trunk' || !endpoint.diversion) return {};
  return {
    'REDIRECTING(from-num,i)': endpoint.diversion.number,
    'REDIRECTING(reason,i)': REASONS[endpoint.diversion.case],
    'REDIRECTING(count,i)': '1',
  };
}
