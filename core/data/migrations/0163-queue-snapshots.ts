import { sqlMigration } from './migration.js';

/** Compressing a snapshot of thousands of callers takes longer than writing it, while the log is locked. */
export const queueSnapshots = sqlMigration(
  '0163-queue-snapshots',
  'ALTER TABLE queue_dispatchers ALTER COLUMN state SET STORAGE EXTERNAL',
  'ALTER TABLE queue_dispatchers ALTER COLUMN state SET STORAGE EXTENDED',
);
