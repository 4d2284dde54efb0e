import { sqlMigration } from './migration.js';

/** Broadcasts whose messages have short addresses. */
export const broadcastLinks = sqlMigration(
  '0162-broadcast-links',
  `ALTER TABLE broadcasts ADD COLUMN track_links boolean NOT NULL DEFAULT false;`,
  `ALTER TABLE broadcasts DROP COLUMN track_links;`,
);
