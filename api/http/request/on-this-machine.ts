import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../../core/model/cache-size.js';

/** Headers by which proxies say that they forward a request. */
const FORWARDED = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const;

/**
 * Whether a request comes from a browser or program on this machine, so that its sender may see and do what only the
 * operator may. `TRUST_PROXY` has no influence: an address that a header names proves nothing here. False
 *
 * - for every other machine;
 * - for a request that a proxy on this machine forwards, which is recognized by its headers or by `PUBLIC_URL`;
 * - for a page of another site whose name was made to resolve to this machine (DNS rebinding): its `Host` is that name.
 */
export function isOnThisMachine(req: Request, publicUrl: string): boolean {
  return isFromThisMachine(req) && isLoopbackHost(`http://${req.headers.host ?? ''}`) && isLoopbackHost(publicUrl);
}

/** Whether a request comes from this machine, and no proxy forwards it. */
export function isFromThisMachine(req: Request): boolean {
  return isLoopback(req.socket.remoteAddress ?? '') && FORWARDED.every((name) => req.headers[name] === undefined);
}

function isLoopbackHost(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
}

/** By address: most requests come from few, and to parse one takes longer than most of a request's checks. */
const loopback = new LRUCache<string, boolean>(atMost(1_000));

/** Also true for an IPv4 address as dual-stack sockets show it, `::ffff:127.0.0.1`. */
function isLoopback(address: string): boolean {
  const known = loopback.get(address);
  if (known !== undefined) return known;
  const is = ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
  loopback.set(address, is);
  return is;
}
