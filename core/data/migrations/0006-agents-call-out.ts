import { sqlMigration } from './migration.js';

/** Which agents may call outside numbers, and with which caller id. */
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
