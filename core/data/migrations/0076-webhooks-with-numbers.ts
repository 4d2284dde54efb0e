import { sqlMigration } from './migration.js';

/** Webhook endpoints whose messages have customers' full numbers. */
export const webhooksWithNumbers = sqlMigration(
  '0076-webhooks-with-numbers',
  `
  ALTER TABLE webhook_endpoints ADD COLUMN include_customer_number boolean NOT NULL DEFAULT false;

  -- The previous release inserts whole rows without knowing the column.
  CREATE FUNCTION mask_webhook_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.include_customer_number = false;
    RETURN NEW;
  END $$;
  CREATE TRIGGER webhook_endpoints_masked BEFORE INSERT ON webhook_endpoints
    FOR EACH ROW WHEN (NEW.include_customer_number IS NULL) EXECUTE FUNCTION mask_webhook_endpoint();
  `,
  `
  DROP TRIGGER webhook_endpoints_masked ON webhook_endpoints;
  DROP FUNCTION mask_webhook_endpoint();
  ALTER TABLE webhook_endpoints DROP COLUMN include_customer_number;
  `,
);
