import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { UrlProblem } from '../../core/ports/outbound-http.js';
import { classifyAddress, literalAddress } from './address.js';

export interface GuardOptions {
  /** Allow plain http and https to this machine; for development only. */
  readonly allowLoopback: boolean;
  /** Name resolution; default: the system's. */
  readonly lookup?: typeof lookup;
}

/** A connection that the guard refused. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
  readonly code = 'HATIF_FORBIDDEN_ADDRESS';
}

const MAX_URL_LENGTH = 2048;

/** Checks a URL as far as possible before its name is resolved. */
export function problemOfUrl(text: string, options: GuardOptions): UrlProblem | null {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return 'malformed';
  const url = new URL(text);
  if (url.username || url.password || url.hash) return 'malformed';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'not_https';
  const literal = literalAddress(url.hostname);
  if (url.protocol === 'http:' && !(options.allowLoopback && namesLoopback(url.hostname, literal))) return 'not_https';
  return literal === null || isAllowed(literal, url.protocol, options) ? null : 'forbidden_address';
}

/**
 * undici's connector behind the guard. An IP address is checked before connecting. A name is resolved here, each of its
 * addresses is checked, and the socket connects to exactly those, so nothing can change between check and use. A name
 * with any forbidden address is refused.
 */
export function guardedConnector(options: GuardOptions, connectTimeoutMs: number): buildConnector.connector {
  const connectors = new Map<string, buildConnector.connector>();
  for (const protocol of ['http:', 'https:']) {
    const lookup = guardedLookup(protocol, options);
    connectors.set(protocol, buildConnector({ timeout: connectTimeoutMs, lookup, autoSelectFamily: true }));
  }
  return (target, callback) => {
    const literal = literalAddress(target.hostname);
    const connect = connectors.get(target.protocol);
    if (!connect || (literal !== null && !isAllowed(literal, target.protocol, options))) {
      callback(new ForbiddenAddressError('the address is not public'), null);
      return;
    }
    connect(target, callback);
  };
}

function guardedLookup(protocol: string, options: GuardOptions): LookupFunction {
  const resolve = options.lookup ?? lookup;
  return (hostname, wanted, callback) => {
    resolve(hostname, { ...wanted, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) {
        callback(error, []);
      } else if (!addresses.every(({ address }) => isAllowed(address, protocol, options))) {
        callback(new ForbiddenAddressError('the name has an address that is not public'), []);
      } else if (wanted.all === true) {
        callback(null, addresses);
      } else {
        const [first] = addresses;
        callback(null, first?.address ?? '', first?.family);
      }
    });
  };
}

function isAllowed(address: string, protocol: string, options: GuardOptions): boolean {
  const kind = classifyAddress(address);
  if (kind === 'loopback') return options.allowLoopback;
  return kind === 'public' && protocol === 'https:';
}

function namesLoopback(hostname: string, literal: string | null): boolean {
  if (literal !== null) return classifyAddress(literal) === 'loopback';
  return /^(?:.+\.)?localhost\.?$/i.test(hostname);
}
