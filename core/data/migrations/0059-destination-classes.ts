import { sqlMigration } from './migration.js';

/**
 * Which classes of outside numbers a project and an agent may call. Those that exist may still call all of them; new
 * ones may call national numbers.
 */
export const destinationClasses = sqlMigration(
  '0059-destination-classes',
  `
  ALTER TABLE projects ADD COLUMN destination_classes text[] NOT NULL DEFAULT '{national,foreign,premium,satellite}';
  ALTER TABLE projects ALTER COLUMN destination_classes SET DEFAULT '{national}';
  ALTER TABLE agents ADD COLUMN destination_classes text[] NOT NULL DEFAULT '{national,foreign,premium,satellite}';
  ALTER TABLE agents ALTER COLUMN destination_classes SET DEFAULT '{national}';
  `,
  `
  ALTER TABLE agents DROP COLUMN destination_classes;
  ALTER TABLE projects DROP COLUMN destination_classes;
  `,
);
