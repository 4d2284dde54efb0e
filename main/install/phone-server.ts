import type { Settings } from '../../config/settings.js';
import { servesSipTls, usesAcme } from '../../config/tls.js';
import type { PhoneServer } from '../../core/model/sip-security.js';
import type { Parts } from './parts.js';

/** Where softphones register, and how: if they need TLS, at a host of the certificate as far as the settings name it. */
export function phoneServer(settings: Settings, { sip }: Pick<Parts, 'sip'>): PhoneServer {
  if (settings.SIP_PHONE_TRANSPORT !== 'tls') return { ...sip, transport: 'udp' };
  return { ...tlsServer(settings, { sip }), transport: 'tls' };
}

/** Where engines take SIP over TLS. */
export function tlsServer(settings: Settings, { sip }: Pick<Parts, 'sip'>): Parts['sip'] {
  const named = usesAcme(settings, 'sip') ? settings.ACME_DOMAINS[0] : settings.SIP_EXTERNAL_ADDRESS;
  return { host: named ?? sip.host, port: settings.SIP_TLS_PORT };
}

/** The port of SIP over TLS; null without it. */
export function tlsPort(settings: Settings): number | null {
  return servesSipTls(settings) ? settings.SIP_TLS_PORT : null;
}
