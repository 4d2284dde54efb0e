import { sqlMigration } from './migration.js';

/** A member with the role `agent` lists the calls of one agent. */
export const agentsCalls = sqlMigration(
  '0085-agents-calls',
  `
  CREATE INDEX calls_project_agent ON calls (project_id, agent, created_at DESC, id DESC) WHERE agent IS NOT NULL;
  `,
  `DROP INDEX calls_project_agent;`,
);
