import { sqlMigration } from './migration.js';

/** The code of a claim to a number is a one-time code like every other. */
export const ownNumberCodes = sqlMigration(
  '0044-own-number-codes',
  `
  ALTER TABLE own_number_claims
    DROP COLUMN code_hash,
    DROP COLUMN attempts_left,
    ADD COLUMN code_id uuid REFERENCES one_time_codes ON DELETE SET NULL;
  `,
  `
  ALTER TABLE own_number_claims
    DROP COLUMN code_id,
    ADD COLUMN code_hash text,
    ADD COLUMN attempts_left integer NOT NULL DEFAULT 0;
  ALTER TABLE own_number_claims ALTER COLUMN attempts_left DROP DEFAULT;
  `,
);
