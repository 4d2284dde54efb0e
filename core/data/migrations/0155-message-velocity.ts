import { sqlMigration } from './migration.js';

/** How many messages a project has accepted in each minute of the last hour, while a limit applies. */
export const messageVelocity = sqlMigration(
  '0155-message-velocity',
  `
  CREATE TABLE message_minutes (
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    minute timestamptz(3) NOT NULL,
    count integer NOT NULL CHECK (count > 0),
    PRIMARY KEY (project_id, minute)
  );
  `,
  `
  DROP TABLE message_minutes;
  `,
);
