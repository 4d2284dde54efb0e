import { invalidField } from './errors/index.js';

/** A host and port (`hostport` of RFC 3261 §25.1). */
export interface HostPort {
  /** A host name, an IPv4 address, or an IPv6 address without its brackets. */
  readonly host: string;
  readonly port: number;
}

const SIP_PORT = 5060;

/** As in an address: an IPv6 address in brackets. */
export function hostPort({ host, port }: HostPort): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * @throws HatifError VALIDATION_ERROR unless the text is `host` or `host:port`, with an IPv6
 * address in brackets
 */
export function parseSipAddress(text: string): HostPort {
  return parseHostPort(text, 'sip', SIP_PORT);
}

/**
 * @param field named in the error
 * @throws HatifError like {@link parseSipAddress}
 */
export function parseHostPort(text: string, field: string, defaultPort: number): HostPort {
  const [, host = '', port] = /^(\[[\da-f:]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const number = port === undefined ? defaultPort : Number(port);
  if (host === '' || number < 1 || number > 65_535) {
    throw invalidField(field, {
      en: 'must be host or host:port',
      ar: 'يجب أن يكون مضيفًا أو مضيفًا مع منفذ (`host:port`)',
    });
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: number };
}
