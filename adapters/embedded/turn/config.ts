import type { TurnOptions } from '../system/types.js';

/**
 * Special-purpose networks (RFC 6890): browsers have no business behind the server. coturn refuses the loopback by
 * itself, and multicast with `no-multicast-peers`.
 */
export const REFUSED_NETWORKS = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
  // coturn would take an unspecified address as the beginning of every family; it refuses that one by itself.
  ['::1', '::1'],
  ['::ffff:0:0', '::ffff:ffff:ffff'],
  ['64:ff9b::', '64:ff9b::ffff:ffff'],
  ['100::', '100::ffff:ffff:ffff:ffff'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
] as const;

/** Allocations at once: of one user, and of all. */
const [USER_QUOTA, TOTAL_QUOTA] = [12, 1200];

const isWildcard = (address: string): boolean => address === '0.0.0.0' || address === '::';

/** The text of coturn's turnserver.conf. @param dir its own folder @throws Error for an address that would break a line */
export function turnConfig(options: TurnOptions, secret: string, dir: string): string {
  const { bind, port, externalAddress, relay, peers } = options;
  for (const value of [bind, externalAddress ?? '', ...peers]) {
    if (!/^[\w.:-]*$/.test(value)) throw new Error(`"${value}" is not an address`);
  }
  return [
    ...(isWildcard(bind) ? [] : [`listening-ip=${bind}`, `relay-ip=${bind}`]),
    `listening-port=${port}`,
    ...(externalAddress === undefined ? [] : [`external-ip=${externalAddress}`]),
    `min-port=${relay.from}`,
    `max-port=${relay.to}`,
    'realm=hatif',
    'fingerprint',
    // Credentials are made by the platform, for a time (draft-uberti-behave-turn-rest).
    'use-auth-secret',
    `static-auth-secret=${secret}`,
    'stale-nonce=600',
    `user-quota=${USER_QUOTA}`,
    `total-quota=${TOTAL_QUOTA}`,
    // TLS ends at a proxy, or at a TURN server of the operator.
    ...['no-tls', 'no-dtls', 'no-cli', 'no-multicast-peers', 'no-tcp-relay', 'no-software-attribute'],
    ...REFUSED_NETWORKS.map(([from, to]) => `denied-peer-ip=${from}-${to}`),
    // Allowed ones come first for coturn, wherever they are in the file.
    ...[...new Set(peers)].map((peer) => `allowed-peer-ip=${peer}`),
    ...['log-file=stdout', 'simple-log'],
    `pidfile=${dir}/turnserver.pid`,
    `userdb=${dir}/turndb`,
    '',
  ].join('\n');
}
