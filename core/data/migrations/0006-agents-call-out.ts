import { sqlMigration } from './migration.js';

/** Which agents may call numbers outside of the platform, and as whom. */
export const agentsCallOut = sqlMigration(
  '0006-agents-call-out',
  `
  ALTER TABLE agents
    ADD COLUMN may_call_out boolean NOT NULL DEFAULT true,
    ADD COLUMN caller_id_number text;
  `,
  `
  ALTER TABLE agents DROP COLUMN caller_id_number, DROP COLUMN may_call_out;
  `,
);
