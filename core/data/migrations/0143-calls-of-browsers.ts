import { sqlMigration } from './migration.js';

/** Finds the calls of a browser by its SIP user name. */
export const callsOfBrowsers = sqlMigration(
  '0143-calls-of-browsers',
  `CREATE INDEX legs_browser ON legs ((endpoint->>'aor'), created_at) WHERE endpoint->>'aor' LIKE 'web.%';`,
  `DROP INDEX legs_browser;`,
);
