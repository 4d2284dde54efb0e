import { sqlMigration } from './migration.js';

/**
 * Candidates that wait to take an engine over, and the last runs of periodic work: PostgreSQL
 * decides what is due, for whichever process asks.
 */
export const operations = sqlMigration(
  '0008-operations',
  `
  -- Not a column of engines: every write of a call locks that row.
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
