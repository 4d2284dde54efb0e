import { sqlMigration } from './migration.js';

/**
 * Legs of supervisors, who listen to a call. Existing rows need no validation, since the old
 * constraint allowed fewer roles.
 */
export const supervisors = sqlMigration(
  '0018-supervisors',
  `
  ALTER TABLE legs DROP CONSTRAINT legs_role_check;
  ALTER TABLE legs ADD CONSTRAINT legs_role_check
    CHECK (role IN ('customer', 'agent', 'transfer', 'supervisor')) NOT VALID;
  `,
  `
  DELETE FROM legs WHERE role = 'supervisor';
  ALTER TABLE legs DROP CONSTRAINT legs_role_check;
  ALTER TABLE legs ADD CONSTRAINT legs_role_check CHECK (role IN ('customer', 'agent', 'transfer'));
  `,
);
