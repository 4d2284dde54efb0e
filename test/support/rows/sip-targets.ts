import type { Database } from '../../../core/data/database.js';
import { Engines } from '../../../core/data/repositories/engines/engines.js';
import { SipTargetTable } from '../../../core/data/repositories/engines/sip-targets.js';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import type { Clock } from '../../../core/ports/clock.js';
import { SipTargets } from '../../../core/services/dialling/sip-targets.js';

/** The hosts that SIP addresses may name. Only names that end in `.example` have an address, a public one. */
export function sipTargetsOn(db: Database, clock: Clock): SipTargets {
  return new SipTargets({
    table: new SipTargetTable(db),
    trunks: () => new Trunks(db).list(),
    engines: () => new Engines(db).list(),
    resolve: (host) =>
      host.endsWith('.example') ? Promise.resolve(['93.184.216.34']) : Promise.reject(new Error('unknown host')),
    clock,
  });
}

/** Allows calls to SIP addresses at this host of a test, which an operator could not allow. */
export async function allowSipTarget(db: Database, address: string): Promise<void> {
  await new SipTargetTable(db).add({ address, created_at: new Date() });
}
