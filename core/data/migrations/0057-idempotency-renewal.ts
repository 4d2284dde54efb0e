import { sqlMigration } from './migration.js';

/** A running request renews its idempotency key, so that a slow one does not count as dead. */
export const idempotencyRenewal = sqlMigration(
  '0057-idempotency-renewal',
  `ALTER TABLE idempotency_keys ADD COLUMN renewed_at timestamptz(3);`,
  `ALTER TABLE idempotency_keys DROP COLUMN renewed_at;`,
);
