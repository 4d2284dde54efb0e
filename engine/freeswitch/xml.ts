import type { Softphone, Trunk } from '../../core/ports/engine.js';
import { inboundAddress } from './arrival.js';

/** What FreeSWITCH asks (mod_xml_curl): the form fields of its POST. */
export interface XmlRequest {
  get(field: string): string | null;
}

/** What is to be told. */
export interface XmlSource {
  softphone(aor: string): Softphone | undefined;
  trunks(): readonly Trunk[];
}

const NOT_FOUND = inDocument('result', ['<result status="not found"/>']);

/**
 * The answer to a question of FreeSWITCH: a softphone's account (section `directory`), or from where calls may come in without a password (`acl.conf`
 * of section `configuration`). Everything else it finds in its own configuration.
 */
export function freeswitchXml(request: XmlRequest, source: XmlSource): string {
  switch (request.get('section')) {
    case 'directory':
      return directory(request, source);
    case 'configuration':
      return request.get('key_value') === 'acl.conf' ? networkLists(source.trunks()) : NOT_FOUND;
    default:
      return NOT_FOUND;
  }
}

function directory(request: XmlRequest, source: XmlSource): string {
  const softphone = source.softphone(request.get('user') ?? '');
  if (!softphone) return NOT_FOUND;
  return inDocument('directory', [
    `<domain name="${escaped(request.get('domain') ?? 'hatif')}">`,
    `<user id="${escaped(softphone.aor)}">`,
    `<params><param name="password" value="${escaped(softphone.password)}"/></params>`,
    '<variables>',
    variable('user_context', 'hatif'),
    // A phone that came back with another address takes the place of its old self.
    variable('sip-allow-multiple-registrations', String(softphone.maxContacts > 1)),
    '</variables>',
    '</user>',
    '</domain>',
  ]);
}

/** What engines of the installation send goes another way than what carriers send. */
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
    '</network-lists>',
    '</configuration>',
  ]);
}

function networkList(name: string, trunks: readonly Trunk[]): readonly string[] {
  const nodes = trunks
    .flatMap((trunk) => trunk.inboundAddresses)
    .map(inboundAddress)
    .map(({ cidr, port }) => {
      const only = port === null ? '' : ` port="${escaped(port)}"`;
      return `<node type="allow" cidr="${escaped(cidr)}"${only}/>`;
    });
  return [`<list name="${name}" default="deny">`, ...nodes, '</list>'];
}

function variable(name: string, value: string): string {
  return `<variable name="${name}" value="${escaped(value)}"/>`;
}

/** FreeSWITCH reads it line by line, and each line up to a limit. */
function inDocument(section: string, content: readonly string[]): string {
  const open = ['<?xml version="1.0"?>', '<document type="freeswitch/xml">', `<section name="${section}">`];
  return [...open, ...content, '</section>', '</document>', ''].join('\n');
}

/** FreeSWITCH expands `$${…}` in what it is given, and XML knows no control characters. */
function escaped(text: string): string {
  return text
    .replace(/\p{Cc}/gu, ' ')
    .replaceAll('$${', '$ ${')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
