import type { Softphone, Trunk } from '../../../core/ports/engine.js';
import { printable } from './text.js';

/** The endpoint of the configuration that any SIP address is dialled through. */
export const SIP_ENDPOINT = 'hatif-direct';
const TRUNK_PREFIX = 'hatif-trunk-';
/** Names that softphones cannot have. */
export const RESERVED_PREFIX = 'hatif-';

export function trunkEndpoint(trunkId: string): string {
  return `${TRUNK_PREFIX}${trunkId}`;
}

/** The trunk behind an endpoint's name, or null for another endpoint. */
export function trunkOfEndpoint(endpoint: string): string | null {
  return endpoint.startsWith(TRUNK_PREFIX) ? endpoint.slice(TRUNK_PREFIX.length) : null;
}

/** One object of Asterisk's dynamic configuration (ARI `/asterisk/config/dynamic/res_pjsip/{type}/{id}`). */
export interface PjsipObject {
  readonly type: 'auth' | 'aor' | 'endpoint' | 'identify';
  readonly id: string;
  /** Attributes in order; one may stand more than once. */
  readonly fields: readonly (readonly [attribute: string, value: string])[];
}

/** RFC 4028: a call that nobody refreshes ends. */
export interface SessionTimers {
  /** How long a call lasts without a refresh; it is refreshed after half the time. */
  readonly expiresSeconds: number;
  /** The other side may not ask for less; the RFC allows no less than 90. */
  readonly minSeconds: number;
}

export interface EndpointDefaults {
  /** In order of preference. */
  readonly codecs: readonly string[];
  readonly rtpTimeoutSeconds: number;
  /** A held phone sends nothing: longer than a call may last. */
  readonly rtpTimeoutOnHoldSeconds: number;
  readonly sessionTimers: SessionTimers;
}

/** What both kinds of endpoint share: media through Asterisk, answers to where the packets came from (RFC 3581). */
function common(defaults: EndpointDefaults): (readonly [string, string])[] {
  return [
    ['disallow', 'all'],
    ['allow', defaults.codecs.join(',')],
    ['direct_media', 'no'],
    ['rtp_symmetric', 'yes'],
    ['force_rport', 'yes'],
    ['rewrite_contact', 'yes'],
    ['dtmf_mode', 'auto_info'],
    ['max_audio_streams', '1'],
    ['max_video_streams', '0'],
    ['allow_subscribe', 'no'],
    ['send_connected_line', 'no'],
    ['trust_connected_line', 'no'],
    ['rtp_timeout', String(defaults.rtpTimeoutSeconds)],
    ['rtp_timeout_hold', String(defaults.rtpTimeoutOnHoldSeconds)],
    ['timers', 'yes'],
    ['timers_sess_expires', String(defaults.sessionTimers.expiresSeconds)],
    ['timers_min_se', String(defaults.sessionTimers.minSeconds)],
  ];
}

/** The objects of a softphone in the order in which they must be pushed. */
export function softphoneObjects(softphone: Softphone, defaults: EndpointDefaults): readonly PjsipObject[] {
  const { aor } = softphone;
  return [
    {
      type: 'auth',
      id: aor,
      fields: [
        ['auth_type', 'userpass'],
        ['username', aor],
        ['password', softphone.password],
      ],
    },
    {
      type: 'aor',
      id: aor,
      fields: [
        ['max_contacts', String(softphone.maxContacts)],
        // A phone that came back with another address takes the place of its old self.
        ['remove_existing', 'yes'],
        ['qualify_frequency', '30'],
        ['qualify_timeout', '3'],
        ['minimum_expiration', '60'],
        ['default_expiration', '300'],
        ['maximum_expiration', '3600'],
      ],
    },
    {
      type: 'endpoint',
      id: aor,
      fields: [
        ['context', 'hatif-agent'],
        ['identify_by', 'username'],
        ['auth', aor],
        ['aors', aor],
        ['callerid', `"${printable(softphone.displayName)}" <${aor}>`],
        ...common(defaults),
      ],
    },
  ];
}

/**
 * Who asks whether SIP is answered, with a password that nobody knows: the question is answered by a challenge, and is not noted as a
 * stranger's attempt.
 */
export function healthObjects(password: string): readonly PjsipObject[] {
  const id = `${RESERVED_PREFIX}health`;
  return [
    {
      type: 'auth',
      id,
      fields: [
        ['auth_type', 'userpass'],
        ['username', id],
        ['password', password],
      ],
    },
    {
      type: 'endpoint',
      id,
      fields: [
        ['context', 'hatif-nowhere'],
        ['identify_by', 'username'],
        ['auth', id],
        ['disallow', 'all'],
        ['allow', 'alaw'],
        ['allow_subscribe', 'no'],
      ],
    },
  ];
}

/** The objects of a trunk in the order in which they must be pushed. */
export function trunkObjects(trunk: Trunk, defaults: EndpointDefaults): readonly PjsipObject[] {
  const id = trunkEndpoint(trunk.trunkId);
  const objects: PjsipObject[] = [];
  if (trunk.credentials) {
    objects.push({
      type: 'auth',
      id,
      fields: [
        ['auth_type', 'userpass'],
        ['username', trunk.credentials.username],
        ['password', trunk.credentials.password],
      ],
    });
  }
  const host = trunk.host.includes(':') ? `[${trunk.host}]` : trunk.host;
  const transport = trunk.transport === 'udp' ? '' : `;transport=${trunk.transport}`;
  objects.push(
    { type: 'aor', id, fields: [['contact', `sip:${host}:${trunk.port}${transport}`]] },
    {
      type: 'endpoint',
      id,
      fields: [
        ['context', trunk.isPeer === true ? 'hatif-peer' : 'hatif-trunk'],
        // A carrier has no agent's rights.
        ['allow_transfer', 'no'],
        ['identify_by', 'ip'],
        ['aors', id],
        ...(trunk.credentials ? ([['outbound_auth', id]] as const) : []),
        ['trust_id_inbound', 'yes'],
        // Left out, it would become a caller called "unknown" when the endpoint is pushed a second time.
        ['callerid', ''],
        ['send_pai', 'yes'],
        // A phone's hold button reaches the engine in which its call lives.
        ...(trunk.isPeer === true ? ([['moh_passthrough', 'yes']] as const) : []),
        ...common(defaults),
      ],
    },
  );
  if (trunk.inboundAddresses.length > 0) {
    objects.push({
      type: 'identify',
      id,
      fields: [['endpoint', id], ...trunk.inboundAddresses.map((address) => ['match', address] as const)],
    });
  }
  return objects;
}
