import { lookup } from 'node:dns/promises';
import type { Clock } from '../../core/ports/clock.js';
import { SipTargets } from '../../core/services/dialling/sip-targets.js';
import type { Stores } from './stores.js';

export function openSipTargets({ sipTargets: table, trunks, engines }: Stores, clock: Clock): SipTargets {
  return new SipTargets({
    table,
    trunks: () => trunks.list(),
    engines: () => engines.list(),
    resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
    clock,
  });
}
