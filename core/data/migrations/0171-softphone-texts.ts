import { sqlMigration } from './migration.js';

/** Texts that softphones have sent, until they are messages. */
export const softphoneTexts = sqlMigration(
  '0171-softphone-texts',
  `
  CREATE TABLE softphone_texts (
    -- That of the message which is made of it.
    id uuid PRIMARY KEY,
    aor text NOT NULL,
    -- As the phone addressed it.
    target text NOT NULL,
    body text NOT NULL,
    -- Of the SIP request; null if the engine does not report it.
    call_id text,
    received_at timestamptz(3) NOT NULL
  );
  CREATE UNIQUE INDEX softphone_texts_request ON softphone_texts (aor, call_id);
  CREATE INDEX softphone_texts_time ON softphone_texts (received_at);
  `,
  `
  DROP TABLE softphone_texts;
  `,
);
