import { sqlMigration } from './migration.js';

/**
 * Codes by which visitors of web pages prove that they own a telephone number: one open code per
 * visitor, found by purpose.
 */
export const widgetCodes = sqlMigration(
  '0041-widget-codes',
  `
  CREATE UNIQUE INDEX one_time_codes_widget_open ON one_time_codes (purpose)
    WHERE state = 'pending' AND purpose LIKE 'widget:%';
  CREATE INDEX one_time_codes_widget ON one_time_codes (purpose, created_at) WHERE purpose LIKE 'widget:%';
  `,
  `DROP INDEX one_time_codes_widget, one_time_codes_widget_open;`,
);
