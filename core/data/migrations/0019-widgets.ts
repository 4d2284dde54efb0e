import { sqlMigration } from './migration.js';

/** Click-to-call widgets, and used proofs of work. */
export const widgets = sqlMigration(
  '0019-widgets',
  `
  CREATE TABLE widgets (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    -- Appears in web pages; not a secret.
    key text NOT NULL UNIQUE,
    name text NOT NULL,
    sandbox boolean NOT NULL,
    allowed_origins text[] NOT NULL,
    destination jsonb,
    language text NOT NULL CHECK (language IN ('ar', 'en')),
    otp boolean NOT NULL,
    captcha boolean NOT NULL,
    theme jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL,
    revoked_at timestamptz(3)
  );
  CREATE INDEX widgets_project ON widgets (project_id);

  CREATE TABLE widget_proofs (
    challenge text PRIMARY KEY,
    expires_at timestamptz(3) NOT NULL
  );
  CREATE INDEX widget_proofs_expiry ON widget_proofs (expires_at);
  `,
  `DROP TABLE widget_proofs, widgets;`,
);
