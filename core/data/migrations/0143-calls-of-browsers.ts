import { sqlMigration } from './migration.js';

/** Finds the calls of a browser by its SIP user name, and lets widgets offer calls from the browser. */
export const callsOfBrowsers = sqlMigration(
  '0143-calls-of-browsers',
  `
  CREATE INDEX legs_browser ON legs ((endpoint->>'aor'), created_at) WHERE endpoint->>'aor' LIKE 'web.%';
  ALTER TABLE widgets ADD COLUMN browser_calls boolean NOT NULL DEFAULT false;
  `,
  `
  DROP INDEX legs_browser;
  ALTER TABLE widgets DROP COLUMN browser_calls;
  `,
);
