import { sqlMigration } from './migration.js';

/** Calls of a sandbox account are never rated: usage says that they cost nothing, and so do balance and invoice. */
export const freeSandboxAccounts = sqlMigration(
  '0070-free-sandbox-accounts',
  `
  CREATE OR REPLACE FUNCTION note_unrated() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO unrated_calls
    SELECT DISTINCT charge.call_id
    FROM new_charges AS charge
    JOIN projects AS project ON project.id = charge.project_id
    JOIN organizations AS organization ON organization.id = project.organization_id
    WHERE NOT charge.sandbox AND organization.account_kind = 'production'
    ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  DELETE FROM unrated_calls AS unrated USING calls AS call, organizations AS organization
  WHERE call.id = unrated.call_id AND organization.id = call.organization_id AND organization.account_kind = 'sandbox';
  `,
  `
  CREATE OR REPLACE FUNCTION note_unrated() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO unrated_calls SELECT DISTINCT call_id FROM new_charges WHERE NOT sandbox ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  `,
);
