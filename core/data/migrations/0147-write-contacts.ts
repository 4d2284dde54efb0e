import { sqlMigration } from './migration.js';

/**
 * Registers many phones in one statement. The function of migration 0099, which registers one, stays for processes of the
 * version before.
 */
export const writeContacts = sqlMigration(
  '0147-write-contacts',
  `
  -- Writes changes of the contacts of different softphones. Each change has the softphone (aor), the contacts to put, the
  -- keys to remove, and what it was decided from (known): the key of each valid contact, and after a space the
  -- milliseconds at which it was refreshed. A change is not written if these are others now.
  -- Returns whether each was written, in the same order.
  CREATE FUNCTION write_sip_contacts(p_changes jsonb) RETURNS boolean[] LANGUAGE plpgsql AS $$
  DECLARE
    v_written boolean[];
  BEGIN
    -- In one order, so that two processes never wait for each other.
    PERFORM pg_advisory_xact_lock(lock) FROM (
      SELECT DISTINCT hashtextextended('sip ' || (change ->> 'aor'), 0) AS lock
      FROM jsonb_array_elements(p_changes) AS change ORDER BY lock
    ) AS ordered;
    SELECT array_agg(
      ARRAY(SELECT jsonb_array_elements_text(change -> 'known') AS one ORDER BY one) = ARRAY(
        SELECT key || ' ' || (extract(epoch FROM refreshed_at) * 1000)::bigint AS one FROM sip_contacts
        WHERE aor = change ->> 'aor' AND expires_at > clock_timestamp() ORDER BY one
      ) ORDER BY place
    ) INTO v_written FROM jsonb_array_elements(p_changes) WITH ORDINALITY AS given (change, place);
    DELETE FROM sip_contacts USING (
      SELECT change ->> 'aor' AS aor, jsonb_array_elements_text(change -> 'remove') AS key
      FROM jsonb_array_elements(p_changes) WITH ORDINALITY AS given (change, place) WHERE v_written[place]
    ) AS removed WHERE sip_contacts.aor = removed.aor AND sip_contacts.key = removed.key;
    INSERT INTO sip_contacts (aor, key, uri, instance, path, source_host, source_port, transport, call_id, cseq,
      user_agent, refreshed_at, expires_at)
    SELECT put.aor, put.key, put.uri, put.instance, put.path, put.source_host, put.source_port, put.transport,
      put.call_id, put.cseq, put.user_agent, put.refreshed_at, put.expires_at
    FROM jsonb_array_elements(p_changes) WITH ORDINALITY AS given (change, place),
      jsonb_populate_recordset(null::sip_contacts, change -> 'put') AS put
    WHERE v_written[place]
    ON CONFLICT (aor, key) DO UPDATE SET uri = excluded.uri, instance = excluded.instance, path = excluded.path,
      source_host = excluded.source_host, source_port = excluded.source_port, transport = excluded.transport,
      -- A phone that was started again shows nothing yet.
      messages = CASE WHEN sip_contacts.call_id = excluded.call_id THEN sip_contacts.messages END,
      call_id = excluded.call_id, cseq = excluded.cseq, user_agent = excluded.user_agent,
      refreshed_at = excluded.refreshed_at, expires_at = excluded.expires_at;
    RETURN v_written;
  END $$;
  `,
  `
  DROP FUNCTION write_sip_contacts;
  `,
);
