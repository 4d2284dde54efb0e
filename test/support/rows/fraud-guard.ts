import type { Database } from '../../../core/data/database.js';
import { FraudGuardTable } from '../../../core/data/repositories/calls/fraud-guard.js';
import type { Credit } from '../../../core/services/billing/credit.js';
import { FraudGuard } from '../../../core/services/dialling/fraud-guard.js';
import type { Clock } from '../../../core/ports/clock.js';

/** The guard against toll fraud on a database. */
export function fraudGuardOn(db: Database, credit: Pick<Credit, 'priceOf'>, clock: Clock): FraudGuard {
  const observer = { blocked: () => undefined };
  return new FraudGuard({ db, table: new FraudGuardTable(db), credit, clock, observer, wake: () => undefined });
}
