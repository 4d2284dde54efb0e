import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { TurnOptions } from '../../adapters/embedded/index.js';
import type { Settings } from '../../config/settings.js';

const LOOPBACK = /^(127\.|::1$|localhost$)/;
const isWildcard = (address: string): boolean => address === '0.0.0.0' || address === '::';

/** Whether this process runs a TURN server: on request, or beside an embedded Asterisk that is reached from outside. */
export function hasOwnTurn(settings: Settings): boolean {
  const { TURN_EMBEDDED: wanted, TURN_SERVERS: others, SIP_BIND: bind } = settings;
  const hasAsterisk = settings.ASTERISK_ENABLED && settings.ASTERISK_ARI_URL === undefined;
  return wanted ?? (hasAsterisk && others.length === 0 && !LOOPBACK.test(bind));
}

/**
 * The settings of the embedded TURN server. Media of the embedded Asterisk is at the addresses of this machine, that of
 * other engines at those of the settings.
 */
export function turnOptions(settings: Settings): TurnOptions {
  const { SIP_BIND: bind, SIP_EXTERNAL_ADDRESS: externalAddress, TURN_SECRET: secret } = settings;
  // On the loopback, browsers of this machine reach its other addresses, too.
  const listensOn = LOOPBACK.test(bind) ? (ownAddresses()[0] ?? bind) : bind;
  return {
    bind: listensOn,
    port: settings.TURN_PORT,
    relay: { from: settings.TURN_RELAY_PORT_FROM, to: settings.TURN_RELAY_PORT_TO },
    peers: [...ownAddresses(), ...(isPeer(externalAddress) ? [externalAddress] : []), ...settings.TURN_PEERS],
    ...(isPeer(externalAddress) && { externalAddress }),
    ...(secret !== undefined && { secret }),
  };
}

/** Where browsers reach it. */
export function turnUrl(settings: Settings, port: number): string {
  const { SIP_EXTERNAL_ADDRESS: external } = settings;
  const { bind } = turnOptions(settings);
  const host = external ?? (isWildcard(bind) ? (ownAddresses()[0] ?? '127.0.0.1') : bind);
  return `turn:${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** coturn takes addresses, no names. */
function isPeer(address: string | undefined): address is string {
  return address !== undefined && /^[\d.]+$|:/.test(address);
}

/** The addresses of this machine that others reach, IPv4 first. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const usable = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  return usable.sort((a, b) => a.family.localeCompare(b.family)).map(({ address }) => address);
}
