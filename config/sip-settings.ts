import { resolve } from 'node:path';
import { z } from 'zod';
import {
  codeOfFeature,
  count,
  flag,
  hostAndPort,
  hostName,
  ipAddress,
  list,
  listOf,
  matching,
  network,
  oneOf,
  port,
  someOf,
  text,
} from './setting-values.js';

export const CODECS = ['alaw', 'ulaw', 'opus', 'g722'] as const;

/** What concerns phones, carriers and the SIP edge. */
export const SIP_SETTINGS = {
  SIP_BIND: ipAddress.default('127.0.0.1'),
  SIP_PORT: port.default(5060),
  /** The address that phones and carriers use, if it differs from SIP_BIND (NAT). */
  SIP_EXTERNAL_ADDRESS: hostName.optional(),
  SIP_LOCAL_NETWORKS: listOf(network).default([]),
  /** PEM files: with both, SIP over TLS is on. They are read again when they change. */
  SIP_TLS_CERT: text.transform((path) => resolve(path)).optional(),
  SIP_TLS_KEY: text.transform((path) => resolve(path)).optional(),
  SIP_TLS_PORT: port.default(5061),
  /** `drachtio`: phones and carriers reach the SIP edge on drachtio-server, which passes calls on to the engines. */
  SIP_EDGE: oneOf('direct', 'drachtio').default('direct'),
  /** `host:port` at which engines reach the edge over UDP; needed with SIP_EDGE=drachtio. */
  SIP_EDGE_ADDRESS: hostAndPort.optional(),
  /** Where phones and carriers reach drachtio-server over UDP and TCP; over TLS it is SIP_TLS_PORT. */
  SIP_EDGE_PORT: port.default(5060),
  /** `host:port` at which drachtio-server takes the WebSockets of browsers from the API, and only from it; unset: none. */
  SIP_EDGE_WS: hostAndPort.optional(),
  /** Where phones reach drachtio-server over secure WebSockets; unset: not at all. */
  SIP_WSS_PORT: port.optional(),
  /** A file of countries of addresses (MMDB) for rules of the edge; the data of a package if unset. */
  SIP_COUNTRY_FILE: text.transform((path) => resolve(path)).optional(),
  /** Where drachtio-server accepts applications, and the secret of its configuration. */
  DRACHTIO_HOST: hostName.default('127.0.0.1'),
  DRACHTIO_PORT: port.default(9022),
  DRACHTIO_SECRET: text.optional(),
  /** The folder in which processes of the role sip keep drachtio-server's certificate up to date (`agent.pem`). */
  DRACHTIO_TLS_DIR: text.transform((path) => resolve(path)).optional(),
  /** Algorithms that the edge offers to phones, the preferred one first. Older phones know MD5 only. */
  SIP_DIGESTS: someOf('SHA-256', 'MD5').default(['MD5']),
  /** Asterisk speaks exactly this version, FreeSWITCH newer ones, too. */
  SIP_TLS_MIN_VERSION: oneOf('1.2', '1.3').default('1.2'),
  /** A PEM file of the authorities from which certificates of carriers must come; the public ones if unset. */
  SIP_TLS_CA_FILE: text.transform((path) => resolve(path)).optional(),
  /** With `tls`, softphones register and call over TLS only. */
  SIP_PHONE_TRANSPORT: oneOf('any', 'tls').default('any'),
  /** Encryption of the audio (SRTP): of softphones, and of trunks whose transport is TLS. */
  SIP_PHONE_SRTP: oneOf('off', 'offered', 'required').default('off'),
  SIP_TRUNK_SRTP: oneOf('off', 'offered', 'required').default('off'),
  RTP_PORT_FROM: port.default(10000),
  RTP_PORT_TO: port.default(19999),
  CODECS: someOf(...CODECS).default([...CODECS]),
  /** Session timers (RFC 4028): the refresh interval, and the shortest one that the other side may ask for. */
  SIP_SESSION_EXPIRES_SECONDS: count(90, 86_400).default(1_800),
  SIP_SESSION_MIN_SECONDS: count(90, 86_400).default(90),
  /**
   * `host` or `host:port` of a Homer that receives copies of SIP messages and RTCP reports (HEP 3); none are sent if
   * unset.
   */
  HEP_ADDRESS: hostAndPort.optional(),
  /** Identifies the engine among those that send to the same Homer. */
  HEP_CAPTURE_ID: count(1, 4_294_967_295).default(1),
  HEP_PASSWORD: text.optional(),
  /** Calls that the embedded engine accepts at the same time; further ones get 503. */
  MAX_CALLS: count(1, 100_000).default(1000),
  /** New calls per second that it accepts; further ones get 503. The engine kind's default if unset. */
  MAX_CALLS_PER_SECOND: count(1, 10_000).optional(),
  /** Music for held calls; Asterisk's own if unset. */
  HOLD_MUSIC_DIR: text.transform((path) => resolve(path)).optional(),
  /** Numbers that softphones may always call through the default trunk; they bypass every limit. */
  EMERGENCY_NUMBERS: list
    .pipe(z.array(matching(/^\d{2,6}$/, 'must be numbers of 2 to 6 digits')).min(1, 'must name at least one number'))
    .default(['911', '997', '998', '999']),
  /** What softphones dial for a service, instead of the usual codes: `do_not_disturb=*76,cancel_do_not_disturb=*77`. */
  FEATURE_CODES: listOf(codeOfFeature).default([]),
  /** Accepts attended transfers by softphones (REFER with Replaces). */
  SOFTPHONE_ATTENDED_TRANSFER: flag.default(false),
  /** Default trunk for calls to numbers outside the platform: sip:host[:port][;transport=udp|tcp|tls]. */
  SIP_TRUNK_URI: matching(/^sips?:[^\s]+$/, 'must be a SIP address such as sip:carrier.example:5060').optional(),
  SIP_TRUNK_USERNAME: text.optional(),
  SIP_TRUNK_PASSWORD: text.optional(),
  /** The interval at which engines probe trunks with OPTIONS. */
  TRUNK_PROBE_SECONDS: count(5, 3_600).default(30),
};
