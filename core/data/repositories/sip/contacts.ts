import type { Database, Queryable } from '../../database.js';
import type { SipContactRow } from '../../rows.js';

/** What a REGISTER changes: the contacts to write, and the keys of those to delete. */
export interface ContactChange {
  readonly put: readonly SipContactRow[];
  readonly remove: readonly string[];
}

const COLUMNS = `aor, key, uri, instance, path, source_host, source_port, transport, call_id, cseq, user_agent,
  refreshed_at, expires_at`;
const VALID = 'expires_at > clock_timestamp()';

/** Where phones are registered, for every process of the SIP edge. */
export class SipContacts {
  constructor(private readonly db: Database) {}

  /** The valid contacts of the softphone, the last refreshed one first. */
  of(aor: string): Promise<SipContactRow[]> {
    return contactsOf(this.db, aor);
  }

  /**
   * Changes the contacts of a softphone, one request after another.
   * @param decide computes the change from the valid contacts; what it throws changes nothing
   * @returns the valid contacts after the change
   */
  change(aor: string, decide: (contacts: readonly SipContactRow[]) => ContactChange): Promise<SipContactRow[]> {
    return this.db.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('sip ' || $1, 0))`, [aor]);
      const { put, remove } = decide(await contactsOf(tx, aor));
      if (remove.length > 0) {
        await tx.query(`DELETE FROM sip_contacts WHERE aor = $1 AND key = ANY ($2::text[])`, [aor, remove]);
      }
      for (const row of put) await write(tx, row);
      return contactsOf(tx, aor);
    });
  }

  /** The softphones with at least one valid contact. */
  async registered(): Promise<ReadonlySet<string>> {
    const rows = await this.db.query<{ aor: string }>(`SELECT DISTINCT aor FROM sip_contacts WHERE ${VALID}`);
    return new Set(rows.map(({ aor }) => aor));
  }

  /** Whether a phone of this source is registered. */
  async isSource(host: string): Promise<boolean> {
    const rows = await this.db.query(`SELECT 1 FROM sip_contacts WHERE source_host = $1 AND ${VALID} LIMIT 1`, [host]);
    return rows.length > 0;
  }

  /**
   * Takes the contacts that show other counts of waiting messages, and notes them as shown. Phones that subscribed
   * get them by their subscription.
   * @param counts by AOR, as `fresh/heard`; other softphones have no messages, and nothing to show at first
   */
  takeChangedMessages(counts: ReadonlyMap<string, string>): Promise<(SipContactRow & { readonly messages: string })[]> {
    return this.db.query(
      `WITH present AS (SELECT * FROM unnest($1::text[], $2::text[]) AS given (aor, state)), due AS (
         SELECT contact.aor, contact.key, coalesce(present.state, '0/0') AS state
         FROM sip_contacts AS contact LEFT JOIN present ON present.aor = contact.aor
         WHERE contact.${VALID} AND coalesce(contact.messages, '0/0') <> coalesce(present.state, '0/0')
           AND NOT EXISTS (
             SELECT FROM sip_subscriptions AS sub WHERE sub.aor = contact.aor AND sub.contact = contact.uri
               AND sub.package = 'message-summary' AND sub.${VALID}
           )
         FOR UPDATE OF contact SKIP LOCKED
       )
       UPDATE sip_contacts AS contact SET messages = due.state FROM due
       WHERE contact.aor = due.aor AND contact.key = due.key RETURNING contact.*`,
      [[...counts.keys()], [...counts.values()]],
    );
  }

  /** Deletes the contacts whose time has passed. @returns the softphones that have no other */
  async removeExpired(): Promise<string[]> {
    const rows = await this.db.query<{ aor: string }>(
      `WITH gone AS (DELETE FROM sip_contacts WHERE NOT ${VALID} RETURNING aor)
       SELECT DISTINCT aor FROM gone WHERE NOT EXISTS (
         SELECT FROM sip_contacts AS other WHERE other.aor = gone.aor AND other.${VALID}
       )`,
    );
    return rows.map(({ aor }) => aor);
  }
}

function contactsOf(db: Queryable, aor: string): Promise<SipContactRow[]> {
  return db.query<SipContactRow>(
    `SELECT ${COLUMNS} FROM sip_contacts WHERE aor = $1 AND ${VALID} ORDER BY refreshed_at DESC, key`,
    [aor],
    { prepared: true },
  );
}

async function write(tx: Queryable, row: SipContactRow): Promise<void> {
  await tx.query(
    `INSERT INTO sip_contacts (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     ON CONFLICT (aor, key) DO UPDATE SET uri = excluded.uri, instance = excluded.instance, path = excluded.path,
       source_host = excluded.source_host, source_port = excluded.source_port, transport = excluded.transport,
       -- A phone that was started again shows nothing yet.
       messages = CASE WHEN sip_contacts.call_id = excluded.call_id THEN sip_contacts.messages END,
       call_id = excluded.call_id, cseq = excluded.cseq, user_agent = excluded.user_agent,
       refreshed_at = excluded.refreshed_at, expires_at = excluded.expires_at`,
    [
      row.aor,
      row.key,
      row.uri,
      row.instance,
      row.path,
      row.source_host,
      row.source_port,
      row.transport,
      row.call_id,
      row.cseq,
      row.user_agent,
      row.refreshed_at,
      row.expires_at,
    ],
    { prepared: true },
  );
}
