import { sqlMigration } from './migration.js';

/** Browsers at the SIP edge: a contact is of a softphone, or of a session of web calling, and goes with it. */
export const browserContacts = sqlMigration(
  '0144-browser-contacts',
  `
  ALTER TABLE sip_contacts DROP CONSTRAINT sip_contacts_aor_fkey,
    ADD COLUMN agent_aor text GENERATED ALWAYS AS (CASE WHEN aor NOT LIKE 'web.%' THEN aor END) STORED
      REFERENCES agents (aor) ON DELETE CASCADE,
    ADD COLUMN browser_aor text GENERATED ALWAYS AS (CASE WHEN aor LIKE 'web.%' THEN aor END) STORED
      REFERENCES web_calling_sessions (aor) ON DELETE CASCADE;
  `,
  `
  DELETE FROM sip_contacts WHERE browser_aor IS NOT NULL;
  ALTER TABLE sip_contacts DROP COLUMN agent_aor, DROP COLUMN browser_aor,
    ADD CONSTRAINT sip_contacts_aor_fkey FOREIGN KEY (aor) REFERENCES agents (aor) ON UPDATE CASCADE ON DELETE CASCADE;
  `,
);
