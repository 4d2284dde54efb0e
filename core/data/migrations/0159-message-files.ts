import { sqlMigration } from './migration.js';

/** Files that projects upload for their messages; their content is in the object storage. */
export const messageFiles = sqlMigration(
  '0159-message-files',
  `
  CREATE TABLE message_files (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    project_id uuid NOT NULL REFERENCES projects (id),
    sandbox boolean NOT NULL,
    name text NOT NULL,
    media_type text NOT NULL,
    bytes integer NOT NULL CHECK (bytes > 0),
    storage text NOT NULL,
    storage_key text NOT NULL,
    created_by_key uuid,
    request_id text,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL
  );
  CREATE INDEX message_files_list ON message_files (project_id, id DESC);
  CREATE INDEX message_files_expiry ON message_files (expires_at);
  CREATE INDEX message_files_organization ON message_files (organization_id);
  CREATE INDEX message_files_request ON message_files (request_id) WHERE request_id IS NOT NULL;
  `,
  `DROP TABLE message_files;`,
);
