import { sqlMigration } from './migration.js';

/** People that a project writes to, and groups of them. */
export const contacts = sqlMigration(
  '0100-contacts',
  `
  CREATE TABLE contacts (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    sandbox boolean NOT NULL,
    -- E.164.
    phone text CHECK (phone ~ '^\\+[1-9][0-9]{1,14}$'),
    email text CHECK (email = lower(email)),
    name_en text,
    name_ar text,
    language text NOT NULL CHECK (language IN ('ar', 'en')),
    -- IANA name; null: that of Riyadh.
    time_zone text,
    tags text[] NOT NULL,
    -- Texts, numbers and booleans by name.
    custom_fields jsonb NOT NULL CHECK (jsonb_typeof(custom_fields) = 'object'),
    marketing_opted_out boolean NOT NULL,
    -- What a search finds: core/model/contacts/search.ts.
    words tsvector NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CHECK (phone IS NOT NULL OR email IS NOT NULL)
  );
  CREATE UNIQUE INDEX contacts_phone ON contacts (project_id, sandbox, phone) WHERE phone IS NOT NULL;
  CREATE UNIQUE INDEX contacts_email ON contacts (project_id, sandbox, email) WHERE email IS NOT NULL;
  CREATE INDEX contacts_page ON contacts (project_id, id);
  CREATE INDEX contacts_words ON contacts USING gin (words);
  CREATE INDEX contacts_tags ON contacts USING gin (tags);

  CREATE TABLE contact_groups (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    sandbox boolean NOT NULL,
    name text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL
  );
  CREATE UNIQUE INDEX contact_groups_name ON contact_groups (project_id, sandbox, lower(name));
  CREATE INDEX contact_groups_page ON contact_groups (project_id, id);

  CREATE TABLE contact_group_members (
    group_id uuid NOT NULL REFERENCES contact_groups ON DELETE CASCADE,
    contact_id uuid NOT NULL REFERENCES contacts ON DELETE CASCADE,
    added_at timestamptz(3) NOT NULL,
    PRIMARY KEY (group_id, contact_id)
  );
  CREATE INDEX contact_group_members_contact ON contact_group_members (contact_id);
  `,
  `
  DROP TABLE contact_group_members;
  DROP TABLE contact_groups;
  DROP TABLE contacts;
  `,
);
