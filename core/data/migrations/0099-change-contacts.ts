import { sqlMigration } from './migration.js';

/** Registers a phone in one round trip, which is most of the work of the SIP edge's registrar. */
export const changeContacts = sqlMigration(
  '0099-change-contacts',
  `
  -- Changes the contacts of a softphone if the valid ones still are those that the change was decided from. p_known has
  -- the key of each, and after a space the milliseconds at which it was refreshed.
  CREATE FUNCTION change_sip_contacts(p_aor text, p_known text[], p_remove text[], p_put jsonb) RETURNS boolean
    LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('sip ' || p_aor, 0));
    IF EXISTS (
      (SELECT unnest(p_known) EXCEPT ALL SELECT key || ' ' || (extract(epoch FROM refreshed_at) * 1000)::bigint
        FROM sip_contacts WHERE aor = p_aor AND expires_at > clock_timestamp())
      UNION ALL
      (SELECT key || ' ' || (extract(epoch FROM refreshed_at) * 1000)::bigint
        FROM sip_contacts WHERE aor = p_aor AND expires_at > clock_timestamp() EXCEPT ALL SELECT unnest(p_known))
    ) THEN
      RETURN false;
    END IF;
    DELETE FROM sip_contacts WHERE aor = p_aor AND key = ANY (p_remove);
    INSERT INTO sip_contacts (aor, key, uri, instance, path, source_host, source_port, transport, call_id, cseq,
      user_agent, refreshed_at, expires_at)
    SELECT aor, key, uri, instance, path, source_host, source_port, transport, call_id, cseq, user_agent,
      refreshed_at, expires_at
    FROM jsonb_populate_recordset(null::sip_contacts, p_put)
    ON CONFLICT (aor, key) DO UPDATE SET uri = excluded.uri, instance = excluded.instance, path = excluded.path,
      source_host = excluded.source_host, source_port = excluded.source_port, transport = excluded.transport,
      -- A phone that was started again shows nothing yet.
      messages = CASE WHEN sip_contacts.call_id = excluded.call_id THEN sip_contacts.messages END,
      call_id = excluded.call_id, cseq = excluded.cseq, user_agent = excluded.user_agent,
      refreshed_at = excluded.refreshed_at, expires_at = excluded.expires_at;
    RETURN true;
  END $$;
  `,
  `
  DROP FUNCTION change_sip_contacts;
  `,
);
