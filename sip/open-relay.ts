import { carrierTransport } from '../core/model/edge-mark.js';
import type { HostPort } from '../core/model/host-port.js';
import type { Clock } from '../core/ports/clock.js';
import type { Logger } from '../core/ports/logger.js';
import { isLoopback, type EdgeDirectory } from './calls/directory.js';
import { Inwards, type OwnRequest } from './relay/inwards.js';
import { Outwards, type OutwardsOptions } from './relay/outwards.js';
import { Relay } from './relay/relay.js';
import { Seal } from './relay/seal.js';
import { Tokens } from './relay/tokens.js';

export interface OpenRelayOptions {
  /** Where engines reach the relay. */
  readonly inside: HostPort;
  /** Where drachtio-server takes SIP over UDP. */
  readonly drachtio: HostPort;
  readonly directory: Pick<EdgeDirectory, 'isEngine' | 'hosts' | 'drachtio' | 'relay' | 'media'>;
  /** The host by which others know the edge; null before it is known. */
  readonly publicHost: () => string | null;
  readonly flowOf: (aor: string, contact: string) => Promise<string | null>;
  readonly isNear: OutwardsOptions['isNear'];
  readonly onOwn: (own: OwnRequest) => Promise<void>;
  /** Keyed hash of the installation's secret, for the purpose `edge`. */
  readonly mac: (text: string) => string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface OpenedRelay {
  readonly relay: Relay;
  readonly tokens: Tokens;
  /** Where drachtio-server reaches it. */
  readonly outside: HostPort;
  /** Whether the relay sends from here. */
  isRelay(source: HostPort): boolean;
}

/** Puts the parts of the relay together. */
export function openRelay(options: OpenRelayOptions): OpenedRelay {
  const { inside, drachtio, directory, publicHost, mac } = options;
  const seal = new Seal(mac);
  const tokens = new Tokens(seal);
  // On one machine, the address that others get to see says nothing.
  const outside = { host: isLoopback(drachtio.host) ? '127.0.0.1' : inside.host, port: inside.port };
  const context = { seal, tokens, inside, outside };
  const inwards = new Inwards(context);
  const outwards = new Outwards({
    ...context,
    drachtio: () => ({ host: directory.drachtio()[0] ?? drachtio.host, port: drachtio.port }),
    transportOf: (mark, to) => carrierTransport(mark, to, mac),
    ...{ flowOf: options.flowOf, isNear: options.isNear },
  });
  const relay = new Relay({
    ...options,
    ...{ outside, inwards, outwards },
    isDrachtio: (host) => directory.drachtio().includes(host),
    isEngine: (source) => directory.isEngine(source),
    hidden: () => ({
      host: publicHost() ?? inside.host,
      inside: [inside.host, ...directory.hosts()],
      media: directory.media(),
    }),
  });
  return {
    ...{ relay, tokens, outside },
    isRelay: ({ host, port }) => port === inside.port && directory.relay().includes(host),
  };
}
