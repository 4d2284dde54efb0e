import { sqlMigration } from './migration.js';

/** The table in `core/model/engine-kinds.ts` alone lists the kinds of engines, so that a new kind needs no migration. */
export const engineKinds = sqlMigration(
  '0054-engine-kinds',
  `ALTER TABLE engines DROP CONSTRAINT engines_kind_check;`,
  `ALTER TABLE engines ADD CONSTRAINT engines_kind_check CHECK (kind IN ('asterisk', 'freeswitch', 'simulator'));`,
);
