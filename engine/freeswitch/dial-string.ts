import { isIPv6 } from 'node:net';
import type { CallerId } from '../../core/model/call/caller-id.js';
import type { ForwardCase } from '../../core/model/call/forwarding.js';
import { TRUNK_HEADER } from '../../core/model/edge-mark.js';
import { hostPort } from '../../core/model/host-port.js';
import { srtpOf, type SipSecurity, type SrtpMode } from '../../core/model/sip-security.js';
import { EngineError, type Diverted, type Identity, type LegEndpoint } from '../../core/ports/engine.js';
import type { Trunk } from '../../core/ports/engine/peers.js';
import { identityHeaders } from '../common/identity-headers.js';
import { isWebAor, RESUMED_HEADER } from '../../core/model/web-calling.js';
import { routeVariables } from './browsers/routes.js';
import { BROWSER_MEDIA } from './codecs.js';
import { PROFILE } from './leg-id.js';

const HOST = /^[0-9A-Za-z._-]{1,253}$/;
const AOR = /^[0-9A-Za-z._-]{1,64}$/;
/** Valid user parts of a dialled number: no character with a meaning in a dial string or in a SIP URI. */
const NUMBER = /^[0-9A-Za-z+*#._-]{1,64}$/;
const E164 = /^\+\d{1,15}$/;
/** Excludes the characters that separate variables, legs and applications in a dial string. */
const SIP_URI = /^sips?:[^\s@<>"'&,/\\|[\]{}$!^:]+@[^\s@<>"'&,/\\|{}$!^]+$|^sips?:[^\s@<>"'&,/\\|{}$!^]+$/i;
/** A phone's registered contact, as `sofia_contact` prints it. */
const CONTACT = /^sofia\/[^\s"'&,\\|{}$!^]+$/;

/** Calls `sofia_contact`: resolves with the softphone's contacts, or `error/user_not_registered`. */
export type ContactOf = (aor: string) => Promise<string>;

/**
 * Returns the dial string of an endpoint (sofia: `sofia/profile/user@host`), and the variables that it needs.
 * @param isBehindEdge whether a softphone is registered at the SIP edge
 * @throws EngineError `rejected` for a target that is unreachable, or with characters that FreeSWITCH could interpret
 */
export async function dialString(
  endpoint: LegEndpoint,
  trunkOf: (trunkId: string) => Trunk | undefined,
  contactOf: ContactOf,
  security: SipSecurity,
  isBehindEdge: (aor: string) => boolean = () => false,
): Promise<{ readonly target: string; readonly variables: Readonly<Record<string, string>> }> {
  switch (endpoint.type) {
    case 'softphone': {
      const [contact = ''] = (await contactOf(checked(endpoint.aor, AOR))).split(',');
      if (contact.startsWith('error/'))
        throw new EngineError('rejected', `The softphone is not registered: ${contact}`);
      if (isWebAor(endpoint.aor)) {
        // Behind the SIP edge, the edge knows where the browser is.
        const route = isBehindEdge(endpoint.aor) ? {} : routeVariables(endpoint.aor, contact);
        return { target: checked(contact, CONTACT), variables: { ...toBrowser(endpoint), ...route } };
      }
      // The SIP edge passes the call on over TLS, if phones need that.
      const isSecure = /;transport=tls(?:;|$)/i.test(contact) || isBehindEdge(endpoint.aor);
      return { target: checked(contact, CONTACT), variables: encryption(isSecure ? security.phones : 'off') };
    }
    case 'trunk': {
      const trunk = trunkOf(endpoint.trunkId);
      if (!trunk) throw new EngineError('rejected', `No such trunk: ${endpoint.trunkId}`);
      const number = checked(endpoint.number, NUMBER).replaceAll('#', '%23');
      const host = isIPv6(trunk.host) ? `[${trunk.host}]` : checked(trunk.host, HOST);
      const address = `${number}@${host}:${trunk.port}`;
      return {
        target: `sofia/${PROFILE}/${exitTarget(number, trunk) ?? `${address};transport=${trunk.transport}`}`,
        variables: {
          ...exitVariables(address, trunk),
          ...credentialsOf(trunk),
          ...encryption(srtpOf(trunk, security)),
          ...diversionOf(endpoint.diversion, host),
        },
      };
    }
    case 'sip':
      return { target: `sofia/${PROFILE}/${checked(endpoint.uri, SIP_URI)}`, variables: {} };
    case 'inside':
      // The far half comes in like a call of a carrier, to the same limits. The halves must not bow out when both are in bridges.
      return {
        target: `loopback/${checked(endpoint.number, E164)}/${PROFILE}/XML`,
        variables: { loopback_bowout: 'false', loopback_bowout_on_execute: 'false' },
      };
  }
}

/** ICE and DTLS-SRTP (RFC 8827), also where the SIP edge passes the call on to the WebSocket. */
function toBrowser({ resumedSeconds }: Extract<LegEndpoint, { type: 'softphone' }>): Record<string, string> {
  const resumed = resumedSeconds === undefined ? {} : { [`sip_h_${RESUMED_HEADER}`]: String(resumedSeconds) };
  return { ...BROWSER_MEDIA, media_webrtc: 'true', ...resumed };
}

/** The SIP edge over UDP, as the host that is called; null if the trunk is called without the edge. */
function exitTarget(number: string, { exit }: Trunk): string | null {
  return exit === undefined ? null : `${number}@${hostPort(exit)};transport=udp`;
}

/**
 * Sends an INVITE with the trunk's address to the SIP edge. FreeSWITCH takes the transport from the host that is called,
 * so this is the edge: a trunk over TLS would need a TLS port of FreeSWITCH.
 */
function exitVariables(address: string, { exit, transport }: Trunk): Record<string, string> {
  if (exit === undefined) return {};
  return {
    sip_invite_req_uri: `sip:${address};transport=${transport}`,
    sip_invite_to_uri: `sip:${address}`,
    sip_route_uri: `sip:${hostPort(exit)};transport=udp`,
    [`sip_h_${TRUNK_HEADER}`]: exit.mark,
  };
}

/** The reasons of RFC 5806. */
const REASONS: Readonly<Record<ForwardCase, string>> = {
  always: 'unconditional',
  busy: 'user-busy',
  no_answer: 'no-answer',
  unregistered: 'unavailable',
};

/** Sends a Diversion header (RFC 5806). @throws EngineError `rejected` */
function diversionOf(diversion: Diverted | undefined, host: string): Record<string, string> {
  if (!diversion) return {};
  return { sip_h_Diversion: `<sip:${checked(diversion.number, E164)}@${host}>;reason=${REASONS[diversion.case]}` };
}

/** Encryption of the audio of an outgoing leg (SDES); without the variable, FreeSWITCH offers none. */
function encryption(mode: SrtpMode): Record<string, string> {
  return mode === 'off' ? {} : { rtp_secure_media_outbound: mode === 'required' ? 'mandatory' : 'optional' };
}

function credentialsOf({ credentials }: Trunk): Record<string, string> {
  if (!credentials) return {};
  return { sip_auth_username: credentials.username, sip_auth_password: credentials.password };
}

/** Variables of a leg to a trunk: how digits are sent, and what the carrier gets to know about the caller. */
export function trunkVariables(trunk: Trunk, identity: Identity | undefined): Record<string, string> {
  const { assertsCaller = true, dtmfMode = 'auto' } = trunk;
  const dtmf = DTMF[dtmfMode];
  const headers = identity ? Object.entries(identityHeaders(identity, trunk)) : [];
  // With the type `pid`, FreeSWITCH writes the headers of RFC 3325 and RFC 3323 by itself.
  const isOwn = assertsCaller && identity?.asserted == null && identity?.isPrivate !== true;
  return {
    sip_cid_type: isOwn ? 'pid' : 'none',
    ...(dtmf !== null && { dtmf_type: dtmf }),
    ...Object.fromEntries(headers.map(([name, value]) => [`sip_h_${name}`, value])),
  };
}

/** FreeSWITCH sends no tones to a leg that offers events, so there is no value for `inband`. */
const DTMF = { auto: null, rfc4733: 'rfc2833', info: 'info', inband: null } as const;

/**
 * Checks that FreeSWITCH can send digits as the trunk wants them.
 * @throws EngineError `unsupported`
 */
export function checkDtmf({ dtmfMode }: Trunk): void {
  if (dtmfMode === 'inband')
    throw new EngineError('unsupported', 'FreeSWITCH does not send digits to a trunk as tones');
}

/**
 * Checks that FreeSWITCH can use the credentials unchanged: sofia cuts them off at a colon, and a carrier would refuse
 * altered credentials without saying why.
 * @throws EngineError `rejected`
 */
export function checkCredentials({ credentials }: Trunk): void {
  for (const value of Object.values(credentials ?? {})) {
    if (plain(value) !== value || value.includes(':')) {
      throw new EngineError('rejected', "A trunk's credentials for FreeSWITCH must not contain : ~ { } ' or backslash");
    }
  }
}

function checked(target: string, pattern: RegExp): string {
  if (!pattern.test(target)) throw new EngineError('rejected', 'The target contains characters that cannot be dialled');
  return target;
}

/** A withheld number is sent as `anonymous@anonymous.invalid` (RFC 3323 §4.1). */
export function callerIdVariables(callerId: CallerId): Record<string, string> {
  if (callerId.number === null) {
    return {
      origination_caller_id_number: 'anonymous',
      origination_caller_id_name: 'Anonymous',
      origination_privacy: 'hide_name:hide_number',
      sip_invite_domain: 'anonymous.invalid',
    };
  }
  return {
    origination_caller_id_number: callerId.number,
    origination_caller_id_name: printable(callerId.name ?? '') || callerId.number,
  };
}

/** Returns a display name without characters that would end its quotes or its SIP header. */
function printable(name: string): string {
  return name.replace(/[\p{Cc}"\\<>]/gu, ' ').trim();
}

/**
 * Formats variables for the front of a dial string. The separator is a character that no value may contain, so that a
 * comma in a password or name does not start another variable.
 */
export function variableList(variables: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(variables).map(([name, value]) => `${name}='${plain(value)}'`);
  return `{^^~${pairs.join('~')}}`;
}

/** Removes the characters that the dial string parser interprets. */
function plain(value: string): string {
  return value.replace(/[~{}'\\\p{Cc}]/gu, ' ').trim();
}
