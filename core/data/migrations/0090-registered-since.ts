import { sqlMigration } from './migration.js';

/** Since when a softphone is registered; null for those that were registered before it was recorded. */
export const registeredSince = sqlMigration(
  '0090-registered-since',
  `ALTER TABLE softphone_registrations ADD COLUMN since timestamptz(3);`,
  `ALTER TABLE softphone_registrations DROP COLUMN since;`,
);
