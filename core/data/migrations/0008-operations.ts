import { sqlMigration } from './migration.js';

/** Who waits to take an engine over, and when regular work was last done: whichever process looks, PostgreSQL says what is due. */
export const operations = sqlMigration(
  '0008-operations',
  `
  -- Not a column of engines: its row is locked by every write of a call.
  CREATE TABLE engine_candidates (
    engine_id uuid PRIMARY KEY REFERENCES engines ON DELETE CASCADE,
    process text NOT NULL,
    seen_at timestamptz(3) NOT NULL
  ) WITH (fillfactor = 20);

  CREATE TABLE regular_work (
    name text PRIMARY KEY,
    finished_at timestamptz(3) NOT NULL
  );
  `,
  `DROP TABLE regular_work, engine_candidates;`,
);
