import { sqlMigration } from './migration.js';

/** How many calls a project may have at once. */
export const callLimits = sqlMigration(
  '0060-call-limits',
  `
  ALTER TABLE projects ADD COLUMN max_calls integer NOT NULL DEFAULT 50 CHECK (max_calls > 0);
  `,
  `
  ALTER TABLE projects DROP COLUMN max_calls;
  `,
);
