import { sqlMigration } from './migration.js';

/** Call flows, and every version that a call may still be running. */
export const callflows = sqlMigration(
  '0021-callflows',
  `
  CREATE TABLE callflows (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    sandbox boolean NOT NULL,
    name text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('menu', 'graph')),
    status text NOT NULL CHECK (status IN ('draft', 'active', 'inactive')),
    version integer NOT NULL CHECK (version > 0),
    -- Resources that the current version uses: {"audio": [id], "callflow": [id], "calls": [id], …}
    uses jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    removed_at timestamptz(3)
  );
  CREATE INDEX callflows_project ON callflows (project_id, id) WHERE removed_at IS NULL;

  CREATE TABLE callflow_versions (
    callflow_id uuid NOT NULL REFERENCES callflows,
    version integer NOT NULL,
    name text NOT NULL,
    definition jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL,
    created_by_key uuid,
    PRIMARY KEY (callflow_id, version)
  );
  `,
  `
  DROP TABLE callflow_versions, callflows;
  `,
);
