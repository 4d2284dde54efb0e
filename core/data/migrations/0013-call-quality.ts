import { sqlMigration } from './migration.js';

/** How a leg's audio was, as the engine told it at the end. */
export const callQuality = sqlMigration(
  '0013-call-quality',
  `ALTER TABLE legs ADD COLUMN quality jsonb;`,
  `ALTER TABLE legs DROP COLUMN quality;`,
);
