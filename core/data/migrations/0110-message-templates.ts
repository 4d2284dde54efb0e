import { sqlMigration } from './migration.js';

/** Message templates, one row for each language. */
export const messageTemplates = sqlMigration(
  '0110-message-templates',
  `
  CREATE TABLE message_templates (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    project_id uuid NOT NULL REFERENCES projects (id),
    sandbox boolean NOT NULL,
    channel text NOT NULL CHECK (channel IN ('chatapp', 'sms', 'webchat', 'email')),
    name text NOT NULL,
    language text NOT NULL,
    category text NOT NULL CHECK (category IN ('MARKETING', 'UTILITY', 'AUTHENTICATION')),
    status text NOT NULL CHECK (status IN ('pending', 'approved', 'rejected')),
    rejection_reason text,
    provider_id text,
    template_id text,
    body text NOT NULL,
    header text,
    footer text,
    buttons jsonb NOT NULL,
    variables text[] NOT NULL,
    otp_button boolean NOT NULL,
    revision integer NOT NULL,
    created_by_key uuid NOT NULL,
    request_id text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    decided_at timestamptz(3)
  );
  CREATE UNIQUE INDEX message_templates_name ON message_templates (project_id, channel, name, language, sandbox);
  CREATE INDEX message_templates_list ON message_templates (project_id, created_at DESC, id DESC);
  CREATE INDEX message_templates_pending ON message_templates (updated_at) WHERE status = 'pending';
  CREATE INDEX message_templates_request ON message_templates (request_id);
  CREATE INDEX message_templates_organization ON message_templates (organization_id);
  `,
  `
  DROP TABLE message_templates;
  `,
);
