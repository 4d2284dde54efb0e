import type { Database } from '../../data/database.js';
import { insertAuditRows } from '../../data/repositories/accounts/audit.js';
import type { FraudDefaultsTable } from '../../data/repositories/calls/fraud-defaults.js';
import { fraudDefaultsOf, type FraudDefaults } from '../../model/fraud/limits.js';
import type { Clock } from '../../ports/clock.js';
import { operatorAudit, type AskedBy } from '../access/operator-audit.js';

export interface ManageFraudDefaultsOptions {
  readonly db: Database;
  readonly table: Pick<FraudDefaultsTable, 'own' | 'set'>;
  /** Notifies the processes that dial. */
  readonly announce: () => Promise<void>;
  readonly clock: Clock;
}

/**
 * What an organization, or the installation (null), sets against toll fraud for its projects. A block that is in force
 * stays; calls in progress continue.
 */
export class ManageFraudDefaults {
  constructor(private readonly options: ManageFraudDefaultsOptions) {}

  /** What is set there, without the next place. */
  own(organizationId: string | null): Promise<FraudDefaults> {
    return this.options.table.own(organizationId);
  }

  /** What applies to projects that say nothing else. */
  async inForce(organizationId: string | null): Promise<FraudDefaults> {
    const { table } = this.options;
    const installation = await table.own(null);
    return organizationId === null ? installation : fraudDefaultsOf(await table.own(organizationId), installation);
  }

  /** Replaces what is set there. @param by a command for an organization is audited here */
  async set(organizationId: string | null, defaults: FraudDefaults, by: AskedBy = 'request'): Promise<void> {
    const { db, table, announce, clock } = this.options;
    await db.transaction(async (tx) => {
      await table.set(tx, organizationId, defaults);
      if (by === 'request' || organizationId === null) return;
      const path = '/v1/organization/fraud-limits';
      const row = operatorAudit(organizationId, path, 'hatif fraud set-defaults', { ...defaults }, clock.now());
      await insertAuditRows(tx, [row]);
    });
    await announce();
  }
}
