import type { Database } from '../../../core/data/database.js';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import { FraudDefaultsTable } from '../../../core/data/repositories/calls/fraud-defaults.js';
import { FraudGuardTable } from '../../../core/data/repositories/calls/fraud-guard.js';
import type { Credit } from '../../../core/services/billing/credit.js';
import { FraudGuard } from '../../../core/services/dialling/fraud-guard.js';
import { ManageFraud } from '../../../core/services/dialling/manage-fraud.js';
import { ManageFraudDefaults } from '../../../core/services/dialling/manage-fraud-defaults.js';
import type { CachedDirectory } from '../../../core/services/routing/directory.js';
import type { Clock } from '../../../core/ports/clock.js';

/** The guard against toll fraud on a database. */
export function fraudGuardOn(db: Database, credit: Pick<Credit, 'priceOf'>, clock: Clock): FraudGuard {
  const observer = { blocked: () => undefined };
  return new FraudGuard({ db, table: new FraudGuardTable(db), credit, clock, observer, wake: () => undefined });
}

/** The management of limits; the directory sees each change at once. */
export function fraudManagementOn(
  db: Database,
  directory: Pick<CachedDirectory, 'invalidate'>,
  clock: Clock,
): { readonly fraud: ManageFraud; readonly defaults: ManageFraudDefaults } {
  const announce = (): Promise<void> => {
    directory.invalidate();
    return Promise.resolve();
  };
  const defaults = new ManageFraudDefaults({ db, table: new FraudDefaultsTable(db), announce, clock });
  const fraud = new ManageFraud({
    ...{ db, table: new FraudGuardTable(db), projects: new Projects(db), agents: new Agents(db), defaults },
    ...{ announce, wake: () => undefined, clock },
  });
  return { fraud, defaults };
}
