import { sqlMigration } from './migration.js';

/** How many calls a project may have at once, and the hosts that SIP addresses may name: none at first. */
export const callLimits = sqlMigration(
  '0060-call-limits',
  `
  ALTER TABLE projects ADD COLUMN max_calls integer NOT NULL DEFAULT 50 CHECK (max_calls > 0);
  CREATE TABLE sip_targets (address text PRIMARY KEY, created_at timestamptz NOT NULL);
  `,
  `
  DROP TABLE sip_targets;
  ALTER TABLE projects DROP COLUMN max_calls;
  `,
);
