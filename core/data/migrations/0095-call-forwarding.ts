import { sqlMigration } from './migration.js';

/** Where the calls of agents are forwarded to, and which phones do not ring. */
export const callForwarding = sqlMigration(
  '0095-call-forwarding',
  `ALTER TABLE agents ADD COLUMN forwarding jsonb NOT NULL DEFAULT '{
     "do_not_disturb": false,
     "always": null,
     "busy": null,
     "no_answer": null,
     "no_answer_seconds": 20,
     "unregistered": null
   }';`,
  `ALTER TABLE agents DROP COLUMN forwarding;`,
);
