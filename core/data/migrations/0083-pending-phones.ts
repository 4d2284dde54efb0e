import { sqlMigration } from './migration.js';

/** The telephone number that a user has given and not confirmed yet. */
export const pendingPhones = sqlMigration(
  '0083-pending-phones',
  `
  CREATE TABLE pending_phones (
    user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    phone text NOT NULL,
    verification_id uuid NOT NULL,
    project_id uuid NOT NULL REFERENCES projects,
    created_at timestamptz(3) NOT NULL
  );
  `,
  `DROP TABLE pending_phones;`,
);
