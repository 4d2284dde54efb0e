import type { Database } from '../../database.js';
import type { AllowedCallerRow } from '../../rows.js';
import { CallerList } from './caller-list.js';

/** The lists of callers who are never blocked: of agents, projects and the installation. */
export class AllowedCallers extends CallerList<AllowedCallerRow> {
  constructor(db: Database) {
    super(db, 'allowed_callers');
  }
}
