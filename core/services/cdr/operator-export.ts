import type { Queryable } from '../../data/database.js';
import { insertAuditRows } from '../../data/repositories/accounts/audit.js';
import type { ProjectRow } from '../../data/rows.js';
import type { Clock } from '../../ports/clock.js';
import { operatorAudit, type AskedBy } from '../access/operator-audit.js';
import type { CdrExport, CdrExportOptions, CdrPeriod } from './export.js';

export interface OperatorCdrOptions {
  readonly db: Queryable;
  readonly exports: CdrExport;
  readonly clock: Clock;
}

/** A project whose records the operator exports. */
type OfProject = Pick<ProjectRow, 'id' | 'organization_id'>;

/** Exports a project's call detail records for the operator. */
export class OperatorCdr {
  constructor(private readonly options: OperatorCdrOptions) {}

  /**
   * As {@link CdrExport.csv}. An unmasked export by a command is audited before it yields anything.
   * @throws DatabaseUnavailable
   */
  async *csv(
    project: OfProject,
    period: CdrPeriod,
    options: CdrExportOptions,
    by: AskedBy = 'command',
  ): AsyncGenerator<string> {
    if (options.unmasked === true && by === 'command') await this.#audit(project, period);
    yield* this.options.exports.csv([project.id], period, options);
  }

  async #audit({ id, organization_id }: OfProject, { from, before }: CdrPeriod): Promise<void> {
    const { db, clock } = this.options;
    const details = { unmasked: true, from: from.toISOString(), before: before.toISOString() };
    const row = operatorAudit(organization_id, '/v1/cdr', 'hatif cdr export --unmasked', details, clock.now());
    await insertAuditRows(db, [{ ...row, project_id: id }]);
  }
}
