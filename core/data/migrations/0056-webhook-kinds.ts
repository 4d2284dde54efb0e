import { sqlMigration } from './migration.js';

/**
 * Webhook endpoints of live and of sandbox keys. An endpoint gets the kind of its account. If its
 * project has events of the other kind, too, a twin with the same URL and secret continues to
 * receive them: nobody misses an event.
 */
export const webhookKinds = sqlMigration(
  '0056-webhook-kinds',
  `
  ALTER TABLE webhook_endpoints ADD COLUMN sandbox boolean NOT NULL DEFAULT false;

  UPDATE webhook_endpoints AS endpoint SET sandbox = true
  FROM projects JOIN organizations ON organizations.id = projects.organization_id
  WHERE projects.id = endpoint.project_id AND organizations.account_kind = 'sandbox';

  -- The same URL may be registered once for each kind.
  ALTER TABLE webhook_endpoints
    DROP CONSTRAINT webhook_endpoints_url,
    ADD CONSTRAINT webhook_endpoints_url UNIQUE (project_id, sandbox, url);

  WITH twins AS (
    INSERT INTO webhook_endpoints
      (id, project_id, url, events, description, secret, previous_secret, previous_secret_expires_at, status,
       disabled_reason, failing_since, created_at, sandbox)
    SELECT uuid_v7(), project_id, url, events, description, secret, previous_secret, previous_secret_expires_at, status,
      disabled_reason, failing_since, created_at, NOT sandbox
    FROM webhook_endpoints AS endpoint
    WHERE EXISTS (
        SELECT 1 FROM api_keys
        WHERE api_keys.project_id = endpoint.project_id AND revoked_at IS NULL
          AND (kind = 'sandbox') <> endpoint.sandbox)
      OR EXISTS (
        SELECT 1 FROM webhook_deliveries AS delivery JOIN events ON events.id = delivery.event_id
        WHERE delivery.endpoint_id = endpoint.id AND events.sandbox <> endpoint.sandbox)
    RETURNING id, project_id, url, sandbox
  )
  UPDATE webhook_deliveries AS delivery SET endpoint_id = twins.id, lane = twins.id::text
  FROM twins
  JOIN webhook_endpoints AS known
    ON known.project_id = twins.project_id AND known.url = twins.url AND known.sandbox <> twins.sandbox,
  events
  WHERE delivery.endpoint_id = known.id AND events.id = delivery.event_id AND events.sandbox = twins.sandbox;

  -- The previous release inserts whole rows without knowing the column.
  CREATE FUNCTION give_webhook_endpoint_kind() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    SELECT account_kind = 'sandbox' INTO NEW.sandbox
    FROM projects JOIN organizations ON organizations.id = projects.organization_id
    WHERE projects.id = NEW.project_id;
    RETURN NEW;
  END $$;
  CREATE TRIGGER webhook_endpoints_kind BEFORE INSERT ON webhook_endpoints
    FOR EACH ROW WHEN (NEW.sandbox IS NULL) EXECUTE FUNCTION give_webhook_endpoint_kind();

  CREATE INDEX payments_project ON payments (project_id, id DESC);
  `,
  `
  DROP INDEX payments_project;
  DROP TRIGGER webhook_endpoints_kind ON webhook_endpoints;
  DROP FUNCTION give_webhook_endpoint_kind();
  -- A twin returns its deliveries.
  UPDATE webhook_deliveries AS delivery SET endpoint_id = known.id, lane = known.id::text
  FROM webhook_endpoints AS twin
  JOIN webhook_endpoints AS known ON known.project_id = twin.project_id AND known.url = twin.url AND known.id < twin.id
  WHERE delivery.endpoint_id = twin.id;
  DELETE FROM webhook_endpoints AS twin USING webhook_endpoints AS known
  WHERE known.project_id = twin.project_id AND known.url = twin.url AND known.id < twin.id;
  ALTER TABLE webhook_endpoints
    DROP CONSTRAINT webhook_endpoints_url,
    DROP COLUMN sandbox,
    ADD CONSTRAINT webhook_endpoints_url UNIQUE (project_id, url);
  `,
);
