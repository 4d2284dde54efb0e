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
   * @param decide computes the change from the valid contacts, without side effects; what it throws changes nothing
   * @param guess the contacts as far as somebody knows them, which saves a look-up if they are right
   * @returns the valid contacts before and after the change, the last refreshed one first
   */
  async change(
    aor: string,
    decide: (contacts: readonly SipContactRow[]) => ContactChange,
    guess?: readonly SipContactRow[],
  ): Promise<{ readonly before: readonly SipContactRow[]; readonly after: readonly SipContactRow[] }> {
    if (guess !== undefined) {
      const change = unlessThrown(() => decide(guess));
      if (change && (await this.#isChanged(aor, guess, change)))
        return { before: guess, after: applied(guess, change) };
    }
    for (;;) {
      const before = await this.of(aor);
      const change = decide(before);
      // Otherwise another request was faster.
      if (await this.#isChanged(aor, before, change)) return { before, after: applied(before, change) };
    }
  }

  async #isChanged(aor: string, known: readonly SipContactRow[], { put, remove }: ContactChange): Promise<boolean> {
    const [row] = await this.db.query<{ changed: boolean }>(
      'SELECT change_sip_contacts($1, $2, $3, $4) AS changed',
      [aor, known.map(({ key, refreshed_at: at }) => `${key} ${at.getTime()}`), remove, JSON.stringify(put)],
      { prepared: true },
    );
    return row?.changed === true;
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

/** What a wrong guess makes of a request says nothing about the request. */
function unlessThrown(decide: () => ContactChange): ContactChange | null {
  try {
    return decide();
  } catch {
    return null;
  }
}

/** The contacts after a change, in the order of {@link SipContacts.of}. */
function applied(known: readonly SipContactRow[], { put, remove }: ContactChange): readonly SipContactRow[] {
  const gone = new Set([...remove, ...put.map(({ key }) => key)]);
  const kept = known.filter(({ key }) => !gone.has(key));
  return [...put, ...kept].sort(
    (a, b) => b.refreshed_at.getTime() - a.refreshed_at.getTime() || (a.key < b.key ? -1 : 1),
  );
}
