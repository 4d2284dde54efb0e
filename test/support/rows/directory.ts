import type { Database } from '../../../core/data/database.js';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import { Callflows } from '../../../core/data/repositories/calls/callflows.js';
import { FraudDefaultsTable, HighRiskPrefixes } from '../../../core/data/repositories/calls/fraud-defaults.js';
import { Registrations } from '../../../core/data/repositories/engines/registrations.js';
import { TrunkRates } from '../../../core/data/repositories/engines/trunk-rates.js';
import { TrunkRoutes } from '../../../core/data/repositories/engines/trunk-routes.js';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import { BlockedCallers } from '../../../core/data/repositories/numbers/blocked-callers.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { VirtualNumbers } from '../../../core/data/repositories/numbers/virtual-numbers.js';
import { WebSessions } from '../../../core/data/repositories/web-calling/sessions.js';
import { Queues } from '../../../core/data/repositories/queues/queues.js';
import { CachedDirectory } from '../../../core/services/routing/directory.js';

/** The routing directory on a database. */
export function directoryOn(db: Database): CachedDirectory {
  return new CachedDirectory(
    new Numbers(db),
    new Agents(db),
    { trunks: new Trunks(db), routes: new TrunkRoutes(db), rates: new TrunkRates(db) },
    new Projects(db),
    new Registrations(db),
    new Queues(db),
    new VirtualNumbers(db),
    new Callflows(db),
    new BlockedCallers(db),
    { fraudDefaults: new FraudDefaultsTable(db), highRiskPrefixes: new HighRiskPrefixes(db) },
    new WebSessions(db),
  );
}
