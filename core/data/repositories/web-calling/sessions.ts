import type { WebSessionEnd } from '../../../model/web-calling.js';
import type { Database, Queryable } from '../../database.js';
import type { ProjectRow, OrganizationRow, WebSessionRow, WebTokenRow } from '../../rows.js';
import { Joined, JOINED_ORGANIZATION, JOINED_PROJECT } from '../accounts/joined.js';
import { ENDED_ORGANIZATIONS } from '../accounts/organizations.js';

/** Open sessions at once. */
export interface WebSessionLimits {
  readonly perProject: number;
  readonly perIdentity: number;
}

/** The sessions that a caller sees: a sandbox key those of the sandbox, an agent those of the own extension. */
export interface WebSessionScope {
  readonly projectId: string;
  readonly sandboxOnly: boolean;
  readonly agent: string | null;
}

/** A session with its project and organization. */
export interface WebSessionOwner {
  readonly session: WebSessionRow;
  readonly project: ProjectRow;
  readonly organization: OrganizationRow;
}

/** The same of a token. */
export interface KnownToken extends WebSessionOwner {
  readonly token: WebTokenRow;
}

/** Who is called in a browser: an agent by the extension, or an identity. */
export type WebCallee = { readonly agent: string } | { readonly identity: string };

/** A registered browser. */
export interface RingingBrowser {
  readonly aor: string;
  /** The extension of its agent; null: nobody of the project's agents. */
  readonly agent: string | null;
}

const JOINED_TOKEN = new Joined<WebTokenRow>('token', {
  hash: true,
  session_id: true,
  created_at: true,
  spent_at: true,
  nonce_hash: true,
});

const JOINED_SESSION = new Joined<WebSessionRow>('session', {
  id: true,
  organization_id: true,
  project_id: true,
  sandbox: true,
  identity: true,
  agent: true,
  display_name: true,
  rights: true,
  require_relay: true,
  metadata: true,
  aor: true,
  sip_password: true,
  created_at: true,
  connected_at: true,
  expires_at: true,
  ended_at: true,
  end_reason: true,
  calls_ended_at: true,
});

const OWNED = `(web_calling_sessions AS session
  JOIN projects AS project ON project.id = session.project_id
  JOIN organizations AS organization ON organization.id = session.organization_id)`;

function ownerIn(row: object): WebSessionOwner {
  return {
    session: JOINED_SESSION.rowIn(row),
    project: JOINED_PROJECT.rowIn(row),
    organization: JOINED_ORGANIZATION.rowIn(row),
  };
}

const OPEN = `ended_at IS NULL AND expires_at > $1`;
/** What engines know, as of `$1`. */
const PHONE = `${OPEN} AND connected_at IS NOT NULL AND NOT sandbox AND organization_id NOT IN (${ENDED_ORGANIZATIONS})`;
/** The SIP edge knows the browsers of `ended` no more. */
const FORGOTTEN = `forgotten AS (DELETE FROM sip_contacts WHERE browser_aor IN (SELECT aor FROM ended))`;
const SEEN = `project_id = $1 AND (sandbox OR NOT $2) AND ($3::text IS NULL OR agent = $3)`;

/** Sessions of web calling, and their tokens. */
export class WebSessions {
  constructor(private readonly db: Database) {}

  /**
   * Adds a session with its first token unless too many are open. Safe against concurrent inserts.
   * @returns null, or the limit that is reached
   */
  add(row: WebSessionRow, hash: string, limits: WebSessionLimits): Promise<keyof WebSessionLimits | null> {
    return this.db.transaction(async (tx) => {
      await tx.query(`SELECT 1 FROM projects WHERE id = $1 FOR NO KEY UPDATE`, [row.project_id]);
      const [open] = await tx.query<{ all: number; own: number }>(
        `SELECT count(*)::int AS all, count(*) FILTER (WHERE identity = $4)::int AS own
         FROM web_calling_sessions WHERE project_id = $2 AND sandbox = $3 AND ${OPEN}`,
        [row.created_at, row.project_id, row.sandbox, row.identity],
      );
      if (open && open.all >= limits.perProject) return 'perProject';
      if (open && open.own >= limits.perIdentity) return 'perIdentity';
      await tx.query(
        `INSERT INTO web_calling_sessions SELECT * FROM jsonb_populate_record(NULL::web_calling_sessions, $1)`,
        [JSON.stringify(row)],
      );
      await addToken(tx, row.id, hash, row.created_at);
      return null;
    });
  }

  /** A page, newest first. @param before the id of the last session of the page before */
  page(
    scope: WebSessionScope,
    identity: string | null,
    before: string | null,
    limit: number,
  ): Promise<WebSessionRow[]> {
    return this.db.query<WebSessionRow>(
      `SELECT * FROM web_calling_sessions
       WHERE ${SEEN} AND ($4::text IS NULL OR identity = $4) AND ($5::uuid IS NULL OR id < $5) ORDER BY id DESC LIMIT $6`,
      [scope.projectId, scope.sandboxOnly, scope.agent, identity, before, limit],
    );
  }

  async find(scope: WebSessionScope, id: string): Promise<WebSessionRow | null> {
    const [row] = await this.db.query<WebSessionRow>(`SELECT * FROM web_calling_sessions WHERE ${SEEN} AND id = $4`, [
      scope.projectId,
      scope.sandboxOnly,
      scope.agent,
      id,
    ]);
    return row ?? null;
  }

  async withOwner(id: string): Promise<WebSessionOwner | null> {
    const [row] = await this.db.query(
      `SELECT ${JOINED_SESSION.columns}, ${JOINED_PROJECT.columns}, ${JOINED_ORGANIZATION.columns}
       FROM ${OWNED} WHERE session.id = $1`,
      [id],
    );
    return row === undefined ? null : ownerIn(row);
  }

  async byAor(aor: string): Promise<WebSessionOwner | null> {
    const [row] = await this.db.query(
      `SELECT ${JOINED_SESSION.columns}, ${JOINED_PROJECT.columns}, ${JOINED_ORGANIZATION.columns}
       FROM ${OWNED} WHERE session.aor = $1`,
      [aor],
    );
    return row === undefined ? null : ownerIn(row);
  }

  /** The browser's call whose leg began closest to a time. */
  async callAt(aor: string, at: Date): Promise<string | null> {
    const [row] = await this.db.query<{ call_id: string }>(
      `SELECT call_id FROM legs WHERE endpoint->>'aor' = $1 AND endpoint->>'aor' LIKE 'web.%'
       ORDER BY abs(extract(epoch FROM created_at - $2::timestamptz)) LIMIT 1`,
      [aor, at],
    );
    return row?.call_id ?? null;
  }

  async byToken(hash: string): Promise<KnownToken | null> {
    const [row] = await this.db.query(
      `SELECT ${JOINED_TOKEN.columns}, ${JOINED_SESSION.columns}, ${JOINED_PROJECT.columns}, ${JOINED_ORGANIZATION.columns}
       FROM web_calling_tokens AS token JOIN ${OWNED} ON session.id = token.session_id WHERE token.hash = $1`,
      [hash],
    );
    if (row === undefined) return null;
    return { token: JOINED_TOKEN.rowIn(row), ...ownerIn(row) };
  }

  /**
   * Spends a token, unless it is spent or the session is over. Of two requests with the same token, one spends it.
   * @returns whether this one did
   */
  async spend(hash: string, nonceHash: string | null, at: Date): Promise<boolean> {
    const spent = await this.db.query(
      `WITH spent AS (
         UPDATE web_calling_tokens AS token SET spent_at = $1, nonce_hash = $3
         WHERE hash = $2 AND spent_at IS NULL
           AND EXISTS (SELECT FROM web_calling_sessions WHERE id = token.session_id AND ${OPEN})
         RETURNING session_id
       )
       UPDATE web_calling_sessions SET connected_at = coalesce(connected_at, $1) WHERE id IN (SELECT session_id FROM spent)
       RETURNING 1`,
      [at, hash, nonceHash],
    );
    return spent.length === 1;
  }

  /**
   * Extends an open session by a new token; one that nobody has used no longer works.
   * @returns null if the session is over
   */
  renew(id: string, hash: string, expiresAt: Date, at: Date): Promise<WebSessionRow | null> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.query<WebSessionRow>(
        `UPDATE web_calling_sessions SET expires_at = $3 WHERE id = $2 AND ${OPEN} RETURNING *`,
        [at, id, expiresAt],
      );
      if (!row) return null;
      await tx.query(`DELETE FROM web_calling_tokens WHERE session_id = $1 AND spent_at IS NULL`, [id]);
      await addToken(tx, id, hash, at);
      return row;
    });
  }

  /** Ends the session unless it is over. @returns whether this request ended it */
  async end(id: string, reason: WebSessionEnd, at: Date): Promise<boolean> {
    const ended = await this.db.query(
      `WITH ended AS (
         UPDATE web_calling_sessions SET ended_at = $1, end_reason = $3 WHERE id = $2 AND ${OPEN} RETURNING aor
       ), ${FORGOTTEN} SELECT 1 FROM ended`,
      [at, id, reason],
    );
    return ended.length === 1;
  }

  /** How many sessions are open, by their status, of all projects and of the sandbox. */
  async open(at: Date): Promise<{ pending: number; active: number }> {
    const [row] = await this.db.query<{ pending: number; active: number }>(
      `SELECT count(*) FILTER (WHERE connected_at IS NULL)::int AS pending, count(connected_at)::int AS active
       FROM web_calling_sessions WHERE ${OPEN}`,
      [at],
    );
    return row ?? { pending: 0, active: 0 };
  }

  /** Every session that engines know: a browser has its SIP credentials, and it is open. */
  phones(at: Date): Promise<WebSessionRow[]> {
    return this.db.query<WebSessionRow>(`SELECT * FROM web_calling_sessions WHERE ${PHONE} ORDER BY id`, [at]);
  }

  /** The same, by SIP user name. */
  async phone(aor: string, at: Date): Promise<WebSessionRow | null> {
    const [row] = await this.db.query<WebSessionRow>(
      `SELECT * FROM web_calling_sessions WHERE aor = $2 AND ${PHONE}`,
      [at, aor],
      { prepared: true },
    );
    return row ?? null;
  }

  /** The browser that a call rings: of those that are registered and take calls, the one that registered last. */
  async ringing(projectId: string, of: WebCallee, at: Date): Promise<RingingBrowser | null> {
    const [column, name] = 'agent' in of ? ['agent', of.agent] : ['identity', of.identity];
    const [row] = await this.db.query<RingingBrowser>(
      `SELECT session.aor, session.agent
       FROM web_calling_sessions AS session
       JOIN softphone_registrations AS registration ON registration.aor = session.aor
       JOIN engines ON engines.id = registration.engine_id AND engines.removed_at IS NULL
       WHERE session.project_id = $2 AND session.${column} = $3 AND (session.rights->>'incoming')::boolean AND ${PHONE}
       ORDER BY registration.since DESC NULLS LAST LIMIT 1`,
      [at, projectId, name],
      { prepared: true },
    );
    return row ?? null;
  }

  /** Notes the end of sessions whose time is up. @returns how many, at most `limit` */
  async expire(at: Date, limit: number): Promise<number> {
    const ended = await this.db.query(
      `WITH ended AS (
         UPDATE web_calling_sessions SET ended_at = expires_at, end_reason = 'expired', calls_ended_at = $1
         WHERE id IN (
           SELECT id FROM web_calling_sessions WHERE ended_at IS NULL AND expires_at <= $1
           ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
         ) RETURNING aor
       ), ${FORGOTTEN} SELECT 1 FROM ended`,
      [at, limit],
    );
    return ended.length;
  }

  /** The live calls of browsers whose sessions were revoked. */
  callsToEnd(limit: number): Promise<{ id: string; engine_id: string }[]> {
    return this.db.query(
      `SELECT DISTINCT call.id, call.engine_id
       FROM web_calling_sessions AS session
       JOIN legs AS leg ON leg.status <> 'ended' AND leg.endpoint->>'aor' = session.aor
       JOIN calls AS call ON call.id = leg.call_id
       WHERE session.ended_at IS NOT NULL AND session.calls_ended_at IS NULL
       LIMIT $1`,
      [limit],
    );
  }

  /** The live calls in which the browser is, or was before its page was left. */
  liveCalls(aor: string): Promise<{ id: string; engine_id: string }[]> {
    return this.db.query(
      `SELECT DISTINCT call.id, call.engine_id
       FROM legs AS leg JOIN calls AS call ON call.id = leg.call_id
       WHERE leg.endpoint->>'aor' = $1 AND leg.endpoint->>'aor' LIKE 'web.%' AND call.ended_at IS NULL`,
      [aor],
    );
  }

  /** Notes that no call is left of sessions that ended before `before`: one that began then is stored by now. */
  async callsEnded(before: Date, at: Date): Promise<void> {
    await this.db.query(
      `UPDATE web_calling_sessions SET calls_ended_at = $2 WHERE ended_at < $1 AND calls_ended_at IS NULL`,
      [before, at],
    );
  }

  /** Of these sessions, those that are over; with their time, only those without a live call. */
  async over(ids: readonly string[], at: Date): Promise<string[]> {
    const rows = await this.db.query<{ id: string }>(
      `SELECT wanted.id FROM unnest($2::uuid[]) AS wanted (id) LEFT JOIN web_calling_sessions AS session USING (id)
       WHERE session.id IS NULL OR session.end_reason <> 'expired'
         OR session.expires_at <= $1
           AND NOT EXISTS (SELECT FROM legs WHERE status <> 'ended' AND endpoint->>'aor' = session.aor)`,
      [at, ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Deletes sessions that ended before. @returns how many, at most `limit` */
  async purge(before: Date, limit: number): Promise<number> {
    const gone = await this.db.query(
      `DELETE FROM web_calling_sessions WHERE id IN (
         SELECT id FROM web_calling_sessions WHERE ended_at < $1 AND calls_ended_at IS NOT NULL LIMIT $2
       ) RETURNING 1`,
      [before, limit],
    );
    return gone.length;
  }
}

async function addToken(on: Queryable, sessionId: string, hash: string, at: Date): Promise<void> {
  await on.query(`INSERT INTO web_calling_tokens (hash, session_id, created_at) VALUES ($1, $2, $3)`, [
    hash,
    sessionId,
    at,
  ]);
}
