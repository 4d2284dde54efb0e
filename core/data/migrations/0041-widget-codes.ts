import { sqlMigration } from './migration.js';

/** The codes by which visitors of web pages prove that a telephone is theirs: one at a time for each, and found by whom it is for. */
export const widgetCodes = sqlMigration(
  '0041-widget-codes',
  `
  CREATE UNIQUE INDEX one_time_codes_widget_open ON one_time_codes (purpose)
    WHERE state = 'pending' AND purpose LIKE 'widget:%';
  CREATE INDEX one_time_codes_widget ON one_time_codes (purpose, created_at) WHERE purpose LIKE 'widget:%';
  `,
  `DROP INDEX one_time_codes_widget, one_time_codes_widget_open;`,
);
