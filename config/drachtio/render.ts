export interface DrachtioConfig {
  /** Where it accepts applications; with the secret, a program controls every call. */
  readonly admin: { readonly bind: string; readonly port: number; readonly secret: string };
  readonly sip: {
    /** An address of this machine; 0.0.0.0 for all of them. */
    readonly bind: string;
    readonly port: number;
    /** The address that others see, if it differs (NAT), and a network to which that does not apply. */
    readonly external?: string;
    readonly localNetwork?: string;
  };
  /** Where it takes browsers from the API, over WebSockets without TLS. Phones use them over TLS only. */
  readonly browsers?: { readonly host: string; readonly port: number };
  /** SIP over TLS, and over secure WebSockets, with `agent.pem` in the folder: the certificate, its chain and its key. */
  readonly tls?: { readonly port: number; readonly wssPort?: number; readonly folder: string };
  readonly logLevel?: 'error' | 'notice' | 'info' | 'debug';
}

const LOOPBACK = '127.0.0.1';
const EVERYWHERE = '0.0.0.0';
/**
 * drachtio-server takes TLS and secure WebSockets alone only with the scheme `sips`. It would then write that scheme into
 * `Record-Route`, which phones with a contact of scheme `sip` refuse (RFC 3261 §12.1.1). Beside another transport it takes
 * them with `sip`; it passes over this one, which does not exist. It gives the certificate to contacts with the letters `tls`.
 */
const NO_OTHER = 'no-other-tls';

/**
 * Renders `drachtio.conf.xml` for drachtio-server 0.9.
 * @throws Error for a value that the file cannot hold
 */
export function drachtioConfig({ admin, sip, browsers, tls, logLevel = 'notice' }: DrachtioConfig): string {
  if (sip.external !== undefined && sip.bind === EVERYWHERE) {
    throw new Error(
      'with another address outside, drachtio-server needs one address of this machine instead of 0.0.0.0',
    );
  }
  const contacts = [
    contactOf(sip, sip.port, 'udp,tcp'),
    // The relay is reached, and answers, on this machine: its address then reveals nothing.
    ...(sip.bind === EVERYWHERE || sip.bind === LOOPBACK ? [] : [contactOf({ bind: LOOPBACK }, sip.port, 'udp')]),
    ...(browsers ? [contactOf({ bind: browsers.host }, browsers.port, 'ws')] : []),
    ...(tls ? [contactOf(sip, tls.port, `tls,${NO_OTHER}`)] : []),
    ...(tls?.wssPort === undefined ? [] : [contactOf(sip, tls.wssPort, `wss,${NO_OTHER}`)]),
  ];
  const file = tls && `${tls.folder}/agent.pem`;
  return [
    '<drachtio>',
    `  <admin port="${admin.port}" secret="${escaped(admin.secret)}">${escaped(admin.bind)}</admin>`,
    '  <sip>',
    '    <contacts>',
    ...contacts.map((contact) => `      ${contact}`),
    '    </contacts>',
    ...(file === undefined
      ? []
      : [
          '    <!-- The same file: a key, a certificate, and the certificates up to its root. -->',
          '    <tls>',
          `      <key-file>${escaped(file)}</key-file>`,
          `      <cert-file>${escaped(file)}</cert-file>`,
          `      <chain-file>${escaped(file)}</chain-file>`,
          '      <min-tls-version>1.2</min-tls-version>',
          '    </tls>',
        ]),
    '  </sip>',
    '  <cdrs>false</cdrs>',
    '  <logging>',
    '    <console/>',
    // Messages hold passwords' hashes and dialled digits.
    '    <sofia-loglevel>1</sofia-loglevel>',
    `    <loglevel>${logLevel}</loglevel>`,
    '  </logging>',
    '</drachtio>',
    '',
  ].join('\n');
}

function contactOf(
  { bind, external, localNetwork }: Pick<DrachtioConfig['sip'], 'bind' | 'external' | 'localNetwork'>,
  port: number,
  transport: string,
): string {
  const host = bind === EVERYWHERE ? '*' : bind.includes(':') ? `[${bind}]` : bind;
  const attributes = [
    ...(external === undefined ? [] : [` external-ip="${escaped(external)}"`]),
    ...(localNetwork === undefined ? [] : [` local-net="${escaped(localNetwork)}"`]),
  ].join('');
  return `<contact${attributes}>sip:${host}:${port};transport=${transport}</contact>`;
}

function escaped(text: string): string {
  if (/\p{Cc}/u.test(text)) throw new Error('the configuration of drachtio-server cannot hold control characters');
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
