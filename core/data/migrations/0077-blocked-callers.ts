import { sqlMigration } from './migration.js';

/** The callers whose calls a project, or the whole installation, refuses. */
export const blockedCallers = sqlMigration(
  '0077-blocked-callers',
  `
  CREATE TABLE blocked_callers (
    id uuid PRIMARY KEY,
    -- Null: every project of the installation, live calls only.
    project_id uuid REFERENCES projects,
    sandbox boolean NOT NULL,
    kind text NOT NULL CHECK (kind IN ('exact', 'prefix', 'withheld')),
    -- E.164 or a prefix of it; empty for callers who show no number.
    number text NOT NULL CHECK ((number = '') = (kind = 'withheld')),
    note text,
    created_at timestamptz(3) NOT NULL,
    CHECK (project_id IS NOT NULL OR NOT sandbox)
  );
  CREATE UNIQUE INDEX blocked_callers_entry ON blocked_callers (project_id, sandbox, number, kind)
    WHERE project_id IS NOT NULL;
  CREATE UNIQUE INDEX blocked_callers_installation ON blocked_callers (number, kind) WHERE project_id IS NULL;
  CREATE INDEX blocked_callers_page ON blocked_callers (project_id, sandbox, id);
  `,
  `DROP TABLE blocked_callers;`,
);
