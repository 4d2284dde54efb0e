import { sqlMigration } from './migration.js';

/** Files of contacts, which are imported piece by piece. */
export const contactImports = sqlMigration(
  '0101-contact-imports',
  `
  CREATE TABLE contact_imports (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    sandbox boolean NOT NULL,
    file_name text NOT NULL,
    -- What happens to contacts that exist.
    existing text NOT NULL CHECK (existing IN ('update', 'skip')),
    -- The group that the contacts join; null: none, or it was deleted.
    group_id uuid REFERENCES contact_groups ON DELETE SET NULL,
    has_group boolean NOT NULL,
    columns text[] NOT NULL,
    status text NOT NULL CHECK (status IN ('waiting', 'running', 'completed', 'failed')),
    problem text,
    total integer NOT NULL,
    created integer NOT NULL DEFAULT 0,
    updated integer NOT NULL DEFAULT 0,
    unchanged integer NOT NULL DEFAULT 0,
    skipped integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    -- Since the last piece.
    attempts integer NOT NULL DEFAULT 0,
    -- When the next piece may be imported; null: nothing is left to do.
    due_at timestamptz(3),
    request_id text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    CHECK ((due_at IS NULL) = (finished_at IS NOT NULL))
  );
  CREATE INDEX contact_imports_page ON contact_imports (project_id, id);
  CREATE INDEX contact_imports_due ON contact_imports (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX contact_imports_group ON contact_imports (group_id) WHERE group_id IS NOT NULL;

  -- The lines of a file that are not imported yet; each goes in the transaction that imports it.
  CREATE TABLE contact_import_pieces (
    import_id uuid NOT NULL REFERENCES contact_imports ON DELETE CASCADE,
    number integer NOT NULL,
    lines jsonb NOT NULL,
    PRIMARY KEY (import_id, number)
  );

  CREATE TABLE contact_import_faults (
    import_id uuid NOT NULL REFERENCES contact_imports ON DELETE CASCADE,
    line integer NOT NULL,
    -- Among the faults of its line.
    number integer NOT NULL,
    column_name text,
    code text NOT NULL,
    message text NOT NULL,
    message_ar text NOT NULL,
    PRIMARY KEY (import_id, line, number)
  );
  `,
  `
  DROP TABLE contact_import_faults;
  DROP TABLE contact_import_pieces;
  DROP TABLE contact_imports;
  `,
);
