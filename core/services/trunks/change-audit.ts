import type { AuditRow } from '../../data/rows.js';
import { operatorAudit, type AskedBy } from '../access/operator-audit.js';

/** Who changes trunks, their routes or rates: an operator, or the settings of a process that starts. */
export type ChangedBy = AskedBy | 'settings';

/** A change by a command. */
interface TrunkCommand {
  /** After `hatif trunks`. */
  readonly command: string;
  /** What it changes, after `/v1/admin`. */
  readonly path: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What the audit log gets of a change, in its transaction: one row if a command makes it. */
export function auditOf(by: ChangedBy, { command, path, details }: TrunkCommand, at: Date): readonly AuditRow[] {
  return by === 'command' ? [operatorAudit(null, `/v1/admin${path}`, `hatif trunks ${command}`, details, at)] : [];
}
