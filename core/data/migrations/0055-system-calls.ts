import { sqlMigration } from './migration.js';

/**
 * Marks calls that the platform makes for itself, such as those that speak a code. Null, which the previous release
 * writes, means no. Nothing reads `own_number_claims.call_id` any more: nobody may learn which call spoke a code.
 */
export const systemCalls = sqlMigration(
  '0055-system-calls',
  `
  ALTER TABLE calls ADD COLUMN system boolean;
  UPDATE calls SET system = true WHERE program->'spec'->>'type' IN ('speak_code', 'voice_auth');
  `,
  `ALTER TABLE calls DROP COLUMN system;`,
);
