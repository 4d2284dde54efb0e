import { sqlMigration } from './migration.js';

/** The contact of an end user with a virtual number. It goes with the contact. */
export const virtualNumberContacts = sqlMigration(
  '0161-virtual-number-contacts',
  `
  UPDATE virtual_numbers SET contact_id = NULL;
  ALTER TABLE virtual_numbers
    ADD CONSTRAINT virtual_numbers_contact FOREIGN KEY (contact_id) REFERENCES contacts (id) ON DELETE SET NULL;
  CREATE INDEX virtual_numbers_contact ON virtual_numbers (contact_id) WHERE contact_id IS NOT NULL;
  `,
  `
  ALTER TABLE virtual_numbers DROP CONSTRAINT virtual_numbers_contact;
  DROP INDEX virtual_numbers_contact;
  `,
);
