import { EDGE_HEADER } from '../../../core/model/edge-mark.js';
import { srtpOf, type SipSecurity, type SrtpMode } from '../../../core/model/sip-security.js';
import { arrivesDirectly, type EdgeWay, type Softphone, type Trunk } from '../../../core/ports/engine/peers.js';
import { printable } from './text.js';

/** The configured endpoint through which any SIP URI is dialled. */
export const SIP_ENDPOINT = 'hatif-direct';
const TRUNK_PREFIX = 'hatif-trunk-';
const PROBE_PREFIX = 'hatif-probe-';
const EDGE_PREFIX = 'hatif-edge-';
/** A name prefix that softphones must not use. */
export const RESERVED_PREFIX = 'hatif-';

export function trunkEndpoint(trunkId: string): string {
  return `${TRUNK_PREFIX}${trunkId}`;
}

/** Returns the trunk of an endpoint, or null for other endpoints. */
export function trunkOfEndpoint(endpoint: string): string | null {
  return endpoint.startsWith(TRUNK_PREFIX) ? endpoint.slice(TRUNK_PREFIX.length) : null;
}

/** One object of Asterisk's dynamic configuration (ARI `/asterisk/config/dynamic/res_pjsip/{type}/{id}`). */
export interface PjsipObject {
  readonly type: 'auth' | 'aor' | 'endpoint' | 'identify' | 'registration';
  readonly id: string;
  /** Attributes in order; the same attribute may occur several times. */
  readonly fields: readonly (readonly [attribute: string, value: string])[];
}

/** Session timers (RFC 4028): a call that is not refreshed ends. */
export interface SessionTimers {
  /** How long a call lasts without a refresh; it is refreshed at half this time. */
  readonly expiresSeconds: number;
  /** The minimum that the remote side may request; the RFC allows no less than 90. */
  readonly minSeconds: number;
}

export interface EndpointDefaults {
  /** In order of preference. */
  readonly codecs: readonly string[];
  readonly rtpTimeoutSeconds: number;
  /** A held phone sends no RTP, so this exceeds the maximum call duration. */
  readonly rtpTimeoutOnHoldSeconds: number;
  readonly sessionTimers: SessionTimers;
  /** The interval at which trunks are probed. */
  readonly trunkProbeSeconds: number;
  readonly security: SipSecurity;
}

/** Carriers shorten it if they want to hear more often. */
const REGISTRATION_SECONDS = 600;
const REGISTRATION_RETRY_SECONDS = 30;

/** How long a trunk may take to answer a probe. */
export const PROBE_TIMEOUT_SECONDS = 3;

/** A context without extensions. */
const NO_CONTEXT = 'hatif-nowhere';

/** Of RFC 4733 events and INFO requests, what the other side offers. */
const ANY_DTMF = 'auto_info';

/** Fields of both kinds of endpoint: media through Asterisk, and responses to the source address (RFC 3581). */
function common(defaults: EndpointDefaults, dtmfMode = ANY_DTMF): (readonly [string, string])[] {
  return [
    ['disallow', 'all'],
    ['allow', defaults.codecs.join(',')],
    ['direct_media', 'no'],
    ['rtp_symmetric', 'yes'],
    ['force_rport', 'yes'],
    ['rewrite_contact', 'yes'],
    ['dtmf_mode', dtmfMode],
    ['max_audio_streams', '1'],
    ['max_video_streams', '0'],
    ['allow_subscribe', 'no'],
    // Texts never enter the dialplan of calls.
    ['message_context', NO_CONTEXT],
    ['send_connected_line', 'no'],
    ['trust_connected_line', 'no'],
    ['rtp_timeout', String(defaults.rtpTimeoutSeconds)],
    ['rtp_timeout_hold', String(defaults.rtpTimeoutOnHoldSeconds)],
    ['timers', 'yes'],
    ['timers_sess_expires', String(defaults.sessionTimers.expiresSeconds)],
    ['timers_min_se', String(defaults.sessionTimers.minSeconds)],
  ];
}

/**
 * Encryption of the audio; `offered` puts the keys into a plain offer (RTP/AVP). Asterisk keeps what an earlier push set,
 * so that every field is always pushed.
 */
function encryption(mode: SrtpMode): (readonly [string, string])[] {
  return [
    ['media_encryption', mode === 'off' ? 'no' : 'sdes'],
    ['media_encryption_optimistic', mode === 'offered' ? 'yes' : 'no'],
  ];
}

/** The transport of the configuration (pjsip.conf) that speaks TLS. */
const TLS_TRANSPORT = 'tls';

/**
 * Returns the objects of a softphone, in the order in which to push them. If it needs TLS, Asterisk sends it nothing by
 * another transport: a phone that registered without TLS stays unreachable, and its calls are refused (`hatif-tls-agent`).
 */
export function softphoneObjects(softphone: Softphone, defaults: EndpointDefaults): readonly PjsipObject[] {
  const { aor, edge, isBrowser } = softphone;
  if (edge === undefined) return registeredHere(softphone, defaults);
  // Asterisk never forgets the contact of an AOR that it has, so that a phone that registers at Asterisk needs another.
  const atEdge = `${EDGE_PREFIX}${aor}`;
  const identity: PjsipObject['fields'] = [...BY_MARK, ['aors', atEdge]];
  return [
    // The edge rings the phone wherever it is registered.
    { type: 'aor', id: atEdge, fields: [['contact', `sip:${aor}@${hostIn(edge.host)}:${edge.port}`]] },
    isBrowser === true
      ? browserEndpoint(softphone, defaults, identity)
      : softphoneEndpoint(softphone, defaults, [['context', 'hatif-agent'], ...identity]),
    { type: 'identify', id: aor, fields: [['endpoint', aor], markOf(edge)] },
  ];
}

/**
 * Of phones that call through the edge, which sees to TLS, and calls engines over UDP in their own network. Asterisk keeps
 * what is not mentioned of an object that it has.
 */
const BY_MARK: PjsipObject['fields'] = [
  ['identify_by', 'header'],
  ['transport', ''],
  ['auth', ''],
];

/** The edge's calls are known by their mark, and by nothing else. */
function markOf({ mark }: EdgeWay): readonly [string, string] {
  return ['match_header', `${EDGE_HEADER}: ${mark}`];
}

function registeredHere(softphone: Softphone, defaults: EndpointDefaults): readonly PjsipObject[] {
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
        // A phone that registers from a new address replaces its old contact.
        ['remove_existing', 'yes'],
        ['qualify_frequency', '30'],
        ['qualify_timeout', '3'],
        ['minimum_expiration', '60'],
        ['default_expiration', '300'],
        ['maximum_expiration', '3600'],
      ],
    },
    softphone.isBrowser === true
      ? browserEndpoint(softphone, defaults, [
          ['transport', WS_TRANSPORT],
          ['identify_by', 'username'],
          ['auth', aor],
          ['aors', aor],
        ])
      : phoneEndpoint(softphone, defaults),
  ];
}

function phoneEndpoint(softphone: Softphone, defaults: EndpointDefaults): PjsipObject {
  const { phonesNeedTls } = defaults.security;
  return softphoneEndpoint(softphone, defaults, [
    ['context', phonesNeedTls ? 'hatif-tls-agent' : 'hatif-agent'],
    ['transport', phonesNeedTls ? TLS_TRANSPORT : ''],
    ['identify_by', 'username'],
    ['auth', softphone.aor],
    ['aors', softphone.aor],
  ]);
}

/** The transport of the configuration (pjsip.conf) that speaks SIP over WebSocket. */
const WS_TRANSPORT = 'ws';
/** What browsers can (RFC 7874), the preferred one first. */
const BROWSER_CODECS = ['opus', 'ulaw', 'alaw'];

/** A browser. `webrtc` switches on ICE, DTLS-SRTP with a certificate that Asterisk makes, AVPF and RTCP multiplexing. */
function browserEndpoint(
  { aor, displayName }: Softphone,
  defaults: EndpointDefaults,
  identity: PjsipObject['fields'],
): PjsipObject {
  const codecs = BROWSER_CODECS.filter((name) => defaults.codecs.includes(name));
  return {
    type: 'endpoint',
    id: aor,
    fields: [
      ['context', 'hatif-agent'],
      ...identity,
      ['callerid', `"${printable(displayName)}" <${aor}>`],
      ...common({ ...defaults, codecs: codecs.length === 0 ? ['ulaw'] : codecs }, 'rfc4733'),
      ['webrtc', 'yes'],
    ],
  };
}

function softphoneEndpoint(
  { aor, displayName }: Softphone,
  defaults: EndpointDefaults,
  identity: PjsipObject['fields'],
): PjsipObject {
  return {
    type: 'endpoint',
    id: aor,
    fields: [
      ...identity,
      ['callerid', `"${printable(displayName)}" <${aor}>`],
      ...common(defaults),
      ...encryption(defaults.security.phones),
    ],
  };
}

/**
 * The endpoint of the SIP health check, with a random password: Asterisk answers its request with a challenge instead of
 * logging it as an unauthorized attempt.
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
        ['context', NO_CONTEXT],
        ['identify_by', 'username'],
        ['auth', id],
        ['disallow', 'all'],
        ['allow', 'alaw'],
        ['allow_subscribe', 'no'],
      ],
    },
  ];
}

/** The endpoint whose state shows whether the trunk answers probes. */
export function probeEndpoint(trunkId: string): string {
  return `${PROBE_PREFIX}${trunkId}`;
}

/**
 * Returns the objects that probe a trunk. They are apart from those of its calls, because Asterisk does not dial an
 * endpoint whose contact does not answer probes, and some carriers never answer them.
 */
export function probeObjects(trunk: Trunk, { trunkProbeSeconds }: EndpointDefaults): readonly PjsipObject[] {
  const id = probeEndpoint(trunk.trunkId);
  return [
    {
      type: 'aor',
      id,
      fields: [
        ['contact', contactOf(trunk)],
        ['qualify_frequency', String(trunkProbeSeconds)],
        ['qualify_timeout', String(PROBE_TIMEOUT_SECONDS)],
      ],
    },
    {
      type: 'endpoint',
      id,
      fields: [
        ['context', NO_CONTEXT],
        // Nothing identifies a caller as this endpoint.
        ['identify_by', 'ip'],
        ['aors', id],
        ['disallow', 'all'],
        ['allow', 'alaw'],
        ['allow_subscribe', 'no'],
      ],
    },
  ];
}

/** The registration at a trunk that asks for one, after the objects of the trunk. */
export function registrationObject(trunk: Trunk): PjsipObject {
  const id = trunkEndpoint(trunk.trunkId);
  const user = (trunk.credentials?.username ?? '').replaceAll('@', '%40');
  return {
    type: 'registration',
    id,
    fields: [
      ['server_uri', contactOf(trunk)],
      // The account's address of record has no port.
      ['client_uri', `sip:${user}@${hostIn(trunk.host)}`],
      ['contact_user', user],
      ['outbound_auth', id],
      ['expiration', String(REGISTRATION_SECONDS)],
      // A carrier that is away or refuses for a while is asked again for ever.
      ['retry_interval', String(REGISTRATION_RETRY_SECONDS)],
      ['forbidden_retry_interval', String(REGISTRATION_RETRY_SECONDS)],
      ['fatal_retry_interval', String(REGISTRATION_RETRY_SECONDS)],
      ['auth_rejection_permanent', 'no'],
      ['max_retries', '1000000'],
    ],
  };
}

function dtmfModeOf({ dtmfMode = 'auto' }: Trunk): string {
  return dtmfMode === 'auto' ? ANY_DTMF : dtmfMode;
}

function contactOf({ host, port, transport }: Trunk): string {
  const way = transport === 'udp' ? '' : `;transport=${transport}`;
  return `sip:${hostIn(host)}:${port}${way}`;
}

/**
 * The address of a trunk that is called through the edge, over UDP. Asterisk would look for a transport of its own if it
 * were named; the edge adds it, and UDP is here already, so that a digest is over the address that the carrier gets.
 */
function contactThroughEdge({ host, port, transport }: Trunk): string {
  return `sip:${hostIn(host)}:${port}${transport === 'udp' ? ';transport=udp' : ''}`;
}

function hostIn(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Empty for a trunk that Asterisk calls by itself. */
function outboundProxyOf({ exit }: Trunk): string {
  return exit === undefined ? '' : `sip:${hostIn(exit.host)}:${exit.port};lr`;
}

/** Calls of a trunk with encrypted audio must arrive over TLS; behind the edge, the edge sees to that. */
function trunkContext({ isPeer, edge }: Trunk, srtp: SrtpMode): string {
  if (isPeer === true) return 'hatif-peer';
  return srtp === 'off' || edge !== undefined ? 'hatif-trunk' : 'hatif-tls-trunk';
}

/** Returns the objects of a trunk, in the order in which to push them. */
export function trunkObjects(trunk: Trunk, defaults: EndpointDefaults): readonly PjsipObject[] {
  const id = trunkEndpoint(trunk.trunkId);
  const srtp = srtpOf(trunk, defaults.security);
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
  objects.push(
    { type: 'aor', id, fields: [['contact', trunk.exit ? contactThroughEdge(trunk) : contactOf(trunk)]] },
    {
      type: 'endpoint',
      id,
      fields: [
        ['context', trunkContext(trunk, srtp)],
        // Asterisk keeps what is not mentioned of an object that it has, such as the edge of an earlier configuration.
        ['outbound_proxy', outboundProxyOf(trunk)],
        // A carrier must not transfer calls.
        ['allow_transfer', 'no'],
        ['identify_by', [...(trunk.edge ? ['header'] : []), ...(arrivesDirectly(trunk) ? ['ip'] : [])].join(',')],
        ['aors', id],
        ...(trunk.credentials ? ([['outbound_auth', id]] as const) : []),
        ['trust_id_inbound', 'yes'],
        // Without this, the caller would become "unknown" when the endpoint is pushed a second time.
        ['callerid', ''],
        ['send_pai', trunk.assertsCaller === false ? 'no' : 'yes'],
        // Passes a phone's hold to the engine that owns its call.
        ...(trunk.isPeer === true ? ([['moh_passthrough', 'yes']] as const) : []),
        ...common({ ...defaults, codecs: trunk.codecs ?? defaults.codecs }, dtmfModeOf(trunk)),
        ...encryption(srtp),
      ],
    },
  );
  const known = [
    ...(trunk.edge ? [markOf(trunk.edge)] : []),
    ...(arrivesDirectly(trunk) ? trunk.inboundAddresses.map((address) => ['match', address] as const) : []),
  ];
  if (known.length > 0) objects.push({ type: 'identify', id, fields: [['endpoint', id], ...known] });
  return objects;
}
