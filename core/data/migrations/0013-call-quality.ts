import { sqlMigration } from './migration.js';

/** Audio quality of a leg, as the engine reported it at the end. */
export const callQuality = sqlMigration(
  '0013-call-quality',
  `ALTER TABLE legs ADD COLUMN quality jsonb;`,
  `ALTER TABLE legs DROP COLUMN quality;`,
);
