import { sqlMigration } from './migration.js';

/** Groups whose members follow from rules. */
export const dynamicGroups = sqlMigration(
  '0103-dynamic-groups',
  `
  -- As core/model/contacts/segment.ts says; null: the organization chooses the members.
  ALTER TABLE contact_groups ADD COLUMN rules jsonb;
  CREATE INDEX contacts_custom_fields ON contacts USING gin (custom_fields jsonb_path_ops);
  `,
  `
  DROP INDEX contacts_custom_fields;
  DELETE FROM contact_groups WHERE rules IS NOT NULL;
  ALTER TABLE contact_groups DROP COLUMN rules;
  `,
);
