import type { Database } from '../../database.js';
import type { SipContactRow } from '../../rows.js';

/** What a REGISTER changes: the contacts to write, and the keys of those to delete. */
export interface ContactChange {
  readonly put: readonly SipContactRow[];
  readonly remove: readonly string[];
}

/** A change of one softphone, and the valid contacts from which it was decided. */
export interface KnownChange {
  readonly aor: string;
  readonly known: readonly SipContactRow[];
  readonly change: ContactChange;
}

const COLUMNS = `aor, key, uri, instance, path, source_host, source_port, transport, call_id, cseq, user_agent,
  refreshed_at, expires_at`;
const VALID = 'expires_at > clock_timestamp()';

/** Where phones are registered, for every process of the SIP edge. */
export class SipContacts {
  constructor(private readonly db: Database) {}

  /** The valid contacts of the softphone, the last refreshed one first. */
  of(aor: string): Promise<SipContactRow[]> {
    return this.db.query<SipContactRow>(
      `SELECT ${COLUMNS} FROM sip_contacts WHERE aor = $1 AND ${VALID} ORDER BY refreshed_at DESC, key`,
      [aor],
      { prepared: true },
    );
  }

  /**
   * Writes the changes of different softphones in one statement. Each is written only if the valid contacts of its
   * softphone still are those that it was decided from.
   * @returns whether each was written, in the same order
   */
  async write(changes: readonly KnownChange[]): Promise<readonly boolean[]> {
    const rows = await this.db.query<{ written: boolean[] }>(
      'SELECT write_sip_contacts($1) AS written',
      [JSON.stringify(changes.map(textsOf))],
      { prepared: true },
    );
    return rows[0]?.written ?? [];
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
      // A phone that registers again at this moment keeps its contact, and nobody waits for two of them.
      `WITH old AS (SELECT ctid FROM sip_contacts WHERE NOT ${VALID} FOR UPDATE SKIP LOCKED), gone AS (
         DELETE FROM sip_contacts USING old WHERE sip_contacts.ctid = old.ctid RETURNING aor
       )
       SELECT DISTINCT aor FROM gone WHERE NOT EXISTS (
         SELECT FROM sip_contacts AS other WHERE other.aor = gone.aor AND other.${VALID}
       )`,
    );
    return rows.map(({ aor }) => aor);
  }
}

function textsOf({ aor, known, change: { put, remove } }: KnownChange): object {
  return { aor, known: known.map(({ key, refreshed_at: at }) => `${key} ${at.getTime()}`), put, remove };
}
