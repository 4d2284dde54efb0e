import { createHash } from 'node:crypto';
import { inboundAddress } from '../../core/model/inbound-address.js';
import { arrivesDirectly, type Softphone, type Trunk } from '../../core/ports/engine/peers.js';
import { browserCodecs, BROWSER_MEDIA } from './codecs.js';

/** A request of FreeSWITCH (mod_xml_curl): the form fields of its POST. */
export interface XmlRequest {
  get(field: string): string | null;
}

/** The data for the responses. */
export interface XmlSource {
  softphone(aor: string): Softphone | undefined;
  trunks(): readonly Trunk[];
  /** The interval at which trunks are probed. */
  readonly probeSeconds: number;
  /** Whether softphones may use TLS only. */
  readonly phonesNeedTls: boolean;
  /** FreeSWITCH's names of the codecs, in order of preference. */
  readonly codecs: readonly string[];
}

/** An address that no host has (RFC 5737). Only the application's response lists it, which distinguishes the response from FreeSWITCH's own file. */
export const ANSWERED_ADDRESS = '192.0.2.1';
export const ANSWERED_LIST = 'hatif-answered';

const NOT_FOUND = inDocument('result', ['<result status="not found"/>']);

/**
 * Answers a request of FreeSWITCH: a softphone's account or the gateways to probe (section `directory`), or the addresses
 * that may call without a password (`acl.conf` of section `configuration`). FreeSWITCH uses its own configuration for
 * everything else.
 */
export function freeswitchXml(request: XmlRequest, source: XmlSource): string {
  switch (request.get('section')) {
    case 'directory':
      return request.get('purpose') === 'gateways' ? gateways(source) : directory(request, source);
    case 'configuration':
      return request.get('key_value') === 'acl.conf' ? networkLists(source.trunks()) : NOT_FOUND;
    default:
      return NOT_FOUND;
  }
}

/**
 * The account exists only for requests over a transport that it may use: a browser's over WebSocket, a phone's over TLS, if
 * phones need it. A registration or call by another one is refused, and so is every MESSAGE.
 */
function directory(request: XmlRequest, source: XmlSource): string {
  // FreeSWITCH would pass a message of the account on by itself: to any softphone, and to any host.
  if (request.get('sip_auth_method') === 'MESSAGE') return NOT_FOUND;
  const softphone = source.softphone(request.get('user') ?? '');
  // A softphone behind the SIP edge registers there only.
  if (!softphone || softphone.edge !== undefined) return NOT_FOUND;
  const via = request.get('sip_via_protocol');
  // Other lookups of an account, of which nobody outside is the cause, have no transport.
  if (via !== null && !mayUse(softphone, via, source)) return NOT_FOUND;
  return inDocument('directory', [
    `<domain name="${escaped(request.get('domain') ?? 'hatif')}">`,
    `<user id="${escaped(softphone.aor)}">`,
    `<params><param name="password" value="${escaped(softphone.password)}"/></params>`,
    '<variables>',
    variable('user_context', 'hatif'),
    // A phone that registers from a new address replaces its old contact.
    variable('sip-allow-multiple-registrations', String(softphone.maxContacts > 1)),
    ...(softphone.isBrowser === true ? browserVariables(source) : []),
    '</variables>',
    '</user>',
    '</domain>',
  ]);
}

function mayUse({ isBrowser = false }: Softphone, via: string, { phonesNeedTls }: XmlSource): boolean {
  const isWebSocket = /^wss?$/i.test(via);
  return isBrowser ? isWebSocket : !isWebSocket && (!phonesNeedTls || via === 'tls');
}

/** Of the calls of a browser: FreeSWITCH's preferences are those of telephones. */
function browserVariables({ codecs }: XmlSource): readonly string[] {
  const variables = { ...BROWSER_MEDIA, absolute_codec_string: browserCodecs(codecs).join(',') };
  return Object.entries(variables).map(([name, value]) => variable(name, value));
}

/** The name of the gateway through which FreeSWITCH probes the trunk. */
export function gatewayOf(trunkId: string): string {
  return `hatif-trunk-${trunkId}`;
}

/** The name of the gateway by which FreeSWITCH registers at the trunk. A gateway that has changed has another name. */
export function lineOf({ trunkId, host, port, transport, credentials }: Trunk): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([host, port, transport, credentials]))
    .digest('hex');
  return `hatif-line-${trunkId}-${hash.slice(0, 12)}`;
}

/** A gateway that registers, for the carrier's calls to the registered address. */
function line(trunk: Trunk): readonly string[] {
  const { host, port, transport, credentials } = trunk;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return [
    `<gateway name="${escaped(lineOf(trunk))}">`,
    parameter('register', 'true'),
    parameter('proxy', address),
    parameter('realm', host),
    parameter('register-transport', transport),
    parameter('username', credentials?.username ?? ''),
    parameter('password', credentials?.password ?? ''),
    parameter('extension', credentials?.username ?? ''),
    parameter('extension-in-contact', 'true'),
    parameter('expire-seconds', '600'),
    parameter('retry-seconds', '30'),
    '</gateway>',
  ];
}

/** Gateways that only send OPTIONS, and gateways that only register: calls do not use them. */
function gateways(source: XmlSource): string {
  const probed = source.trunks().filter(({ isProbed }) => isProbed === true);
  const registering = source.trunks().filter(({ registers }) => registers === true);
  return inDocument('directory', [
    '<domain name="hatif">',
    '<user id="hatif-trunks">',
    '<gateways>',
    ...probed.flatMap(({ trunkId, host, port, transport }) => [
      `<gateway name="${escaped(gatewayOf(trunkId))}">`,
      parameter('register', 'false'),
      parameter('proxy', `${host.includes(':') ? `[${host}]` : host}:${port}`),
      parameter('register-transport', transport),
      parameter('ping', String(source.probeSeconds)),
      '</gateway>',
    ]),
    ...registering.flatMap(line),
    '</gateways>',
    '</user>',
    '</domain>',
  ]);
}

/** Calls from other engines of the installation take another route than calls from carriers. */
function networkLists(trunks: readonly Trunk[]): string {
  return inDocument('configuration', [
    '<configuration name="acl.conf">',
    '<network-lists>',
    ...networkList(
      'hatif-peers',
      trunks.filter(({ isPeer }) => isPeer === true),
    ),
    ...networkList(
      'hatif-trunks',
      trunks.filter(({ isPeer }) => isPeer !== true),
    ),
    ...listOf(ANSWERED_LIST, [`<node type="allow" cidr="${ANSWERED_ADDRESS}/32"/>`]),
    '</network-lists>',
    '</configuration>',
  ]);
}

function networkList(name: string, trunks: readonly Trunk[]): readonly string[] {
  const nodes = trunks
    .flatMap((trunk) => (arrivesDirectly(trunk) ? trunk.inboundAddresses : []))
    .map(inboundAddress)
    .map(({ cidr, port }) => {
      const only = port === null ? '' : ` port="${escaped(port)}"`;
      return `<node type="allow" cidr="${escaped(cidr)}"${only}/>`;
    });
  return listOf(name, nodes);
}

function listOf(name: string, nodes: readonly string[]): readonly string[] {
  return [`<list name="${name}" default="deny">`, ...nodes, '</list>'];
}

function parameter(name: string, value: string): string {
  return `<param name="${name}" value="${escaped(value)}"/>`;
}

function variable(name: string, value: string): string {
  return `<variable name="${name}" value="${escaped(value)}"/>`;
}

/** FreeSWITCH reads the document line by line and limits the length of a line. */
function inDocument(section: string, content: readonly string[]): string {
  const open = ['<?xml version="1.0"?>', '<document type="freeswitch/xml">', `<section name="${section}">`];
  return [...open, ...content, '</section>', '</document>', ''].join('\n');
}

/** FreeSWITCH expands `$${…}` in its input, and XML does not allow control characters. */
function escaped(text: string): string {
  return text
    .replace(/\p{Cc}/gu, ' ')
    .replaceAll('$${', '$ ${')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
