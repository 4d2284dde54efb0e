import { sqlMigration } from './migration.js';

/**
 * Limits against fraudsters who let widgets call numbers that earn money: the countries that a widget calls (existing
 * ones too: Saudi Arabia only), its calls in an hour, and the number block of a widget's code.
 */
export const widgetBudgets = sqlMigration(
  '0064-widget-budgets',
  `
  ALTER TABLE widgets
    ADD COLUMN countries text[] NOT NULL DEFAULT '{+966}' CHECK (cardinality(countries) > 0),
    -- Null: as many as the operator allows by default.
    ADD COLUMN calls_per_hour integer CHECK (calls_per_hour > 0);

  -- Null if a code was not sent by a live widget; verifications have columns of their own.
  ALTER TABLE one_time_codes ADD COLUMN organization_id uuid REFERENCES organizations, ADD COLUMN number_block text;
  CREATE INDEX one_time_codes_block ON one_time_codes (organization_id, number_block, created_at)
    WHERE number_block IS NOT NULL;
  `,
  `
  DROP INDEX one_time_codes_block;
  ALTER TABLE one_time_codes DROP COLUMN organization_id, DROP COLUMN number_block;
  ALTER TABLE widgets DROP COLUMN countries, DROP COLUMN calls_per_hour;
  `,
);
