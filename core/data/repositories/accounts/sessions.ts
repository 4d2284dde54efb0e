import type { Database, Queryable } from '../../database.js';
import type { OrganizationRow, SessionRow, SessionTokenRow, UserRow } from '../../rows.js';
import { Joined, JOINED_ORGANIZATION } from './joined.js';
import { JOINED_USER } from './users.js';

/** A session with its user and organization. */
export interface OwnedSession {
  readonly session: SessionRow;
  readonly user: UserRow;
  readonly organization: OrganizationRow;
}

/** A token with all that it belongs to. */
export interface OwnedToken extends OwnedSession {
  readonly token: SessionTokenRow;
}

/** The next tokens of a session: their hashes, and until when the access token works. */
export interface NextTokens {
  readonly accessHash: string;
  readonly refreshHash: string;
  readonly accessExpiresAt: Date;
}

/** Where a request comes from. */
export interface Device {
  readonly ip: string;
  readonly userAgent: string;
}

const JOINED_SESSION = new Joined<SessionRow>('session', {
  id: true,
  user_id: true,
  organization_id: true,
  client: true,
  ip: true,
  user_agent: true,
  created_at: true,
  last_used_at: true,
  expires_at: true,
  confirmed_at: true,
  second_factor: true,
  impersonated_by: true,
  revoked_at: true,
  revoked_reason: true,
});

const JOINED_TOKEN = new Joined<SessionTokenRow>('token', {
  hash: true,
  session_id: true,
  kind: true,
  created_at: true,
  expires_at: true,
  used_at: true,
});

const OWNED = `${JOINED_SESSION.columns}, ${JOINED_USER.columns}, ${JOINED_ORGANIZATION.columns}`;
const OWNERS = `
  JOIN users AS owner ON owner.id = session.user_id
  JOIN organizations AS organization ON organization.id = session.organization_id`;
/** The session works at this moment. */
const WORKS = (now: string): string => `
  session.revoked_at IS NULL AND session.expires_at > ${now}
  AND session.last_used_at > ${now} - organization.session_idle_minutes * interval '1 minute'`;

const FIND = `
  SELECT ${JOINED_TOKEN.columns}, ${OWNED}
  FROM session_tokens AS token JOIN sessions AS session ON session.id = token.session_id ${OWNERS}
  WHERE token.hash = $1 AND token.kind = $2`;

/**
 * Exchanges a refresh token. Of requests that do so at the same moment, the first to lock the row wins: the others
 * then find it used.
 */
const ROTATE = `
  WITH won AS (
    UPDATE session_tokens AS token SET used_at = $2
    FROM sessions AS session ${OWNERS}
    WHERE token.hash = $1 AND token.kind = 'refresh' AND token.used_at IS NULL AND token.expires_at > $2
      AND session.id = token.session_id AND ${WORKS('$2::timestamptz')}
      AND owner.disabled_at IS NULL AND organization.suspended_at IS NULL
    RETURNING ${OWNED}
  ), tokens AS (
    INSERT INTO session_tokens (hash, session_id, kind, created_at, expires_at)
    SELECT $3, session_id, 'access', $2, least($5, session_expires_at) FROM won
    UNION ALL SELECT $4, session_id, 'refresh', $2, session_expires_at FROM won
  ), used AS (
    UPDATE sessions SET last_used_at = $2, ip = $6, user_agent = $7 FROM won WHERE sessions.id = won.session_id
  )
  SELECT * FROM won`;

export class Sessions {
  constructor(private readonly db: Database) {}

  /** Adds a session with its first tokens. */
  async create(row: SessionRow, next: NextTokens, on: Queryable): Promise<void> {
    await on.query(
      `WITH added AS (
         INSERT INTO sessions (id, user_id, organization_id, client, ip, user_agent, created_at, last_used_at, expires_at,
           confirmed_at, second_factor, impersonated_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id
       )
       INSERT INTO session_tokens (hash, session_id, kind, created_at, expires_at)
       SELECT $13, id, 'access', $7, least($15, $9) FROM added
       UNION ALL SELECT $14, id, 'refresh', $7, $9 FROM added`,
      [
        ...[row.id, row.user_id, row.organization_id, row.client, row.ip, row.user_agent],
        ...[row.created_at, row.last_used_at, row.expires_at, row.confirmed_at, row.second_factor, row.impersonated_by],
        ...[next.accessHash, next.refreshHash, next.accessExpiresAt],
      ],
    );
  }

  /** Finds a token. Includes those that no longer work, which the caller must reject. */
  async findToken(hash: string, kind: SessionTokenRow['kind']): Promise<OwnedToken | null> {
    const [row] = await this.db.query(FIND, [hash, kind], { prepared: true });
    return row === undefined ? null : { token: JOINED_TOKEN.rowIn(row), ...ownedIn(row) };
  }

  /**
   * Exchanges a refresh token for the next tokens of its session, in one statement: whatever happens, it is exchanged
   * at most once. @returns null if it was used before, or does not work
   */
  async rotate(hash: string, next: NextTokens, at: Date, { ip, userAgent }: Device): Promise<OwnedSession | null> {
    const { accessHash, refreshHash, accessExpiresAt } = next;
    const [row] = await this.db.query(ROTATE, [hash, at, accessHash, refreshHash, accessExpiresAt, ip, userAgent]);
    return row === undefined ? null : ownedIn(row);
  }

  /**
   * Records a use, at most once a minute across all processes.
   * @param trialOf the project whose sandbox was used: its trial starts with the first use
   */
  async touch(id: string, at: Date, trialOf: string | null): Promise<void> {
    await this.db.query(
      `WITH used AS (
         UPDATE sessions SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2::timestamptz - interval '1 minute'
       )
       INSERT INTO sandbox_trials (project_id, started_at) SELECT $3::uuid, $2 WHERE $3::uuid IS NOT NULL
       ON CONFLICT DO NOTHING`,
      [id, at, trialOf],
    );
  }

  /** The sessions of a user that work now, newest first. */
  list(userId: string, now: Date, beforeId: string | null, limit: number): Promise<SessionRow[]> {
    return this.db.query<SessionRow>(
      `SELECT session.* FROM sessions AS session JOIN organizations AS organization
         ON organization.id = session.organization_id
       WHERE session.user_id = $1 AND ${WORKS('$2::timestamptz')} AND ($3::uuid IS NULL OR session.id < $3)
       ORDER BY session.id DESC LIMIT $4`,
      [userId, now, beforeId, limit],
    );
  }

  /**
   * Whether the user with this e-mail address, in lower case, lately had a session that was used from this address of
   * the network. The sessions of administrators who act as the user do not count.
   */
  async usedFrom(email: string, ip: string): Promise<boolean> {
    const rows = await this.db.query(
      `SELECT 1 AS used FROM sessions AS session JOIN users AS owner ON owner.id = session.user_id
       WHERE owner.email = $1 AND session.ip = $2 AND session.impersonated_by IS NULL LIMIT 1`,
      [email, ip],
    );
    return rows.length === 1;
  }

  /** Whether the user lately had sessions, and none of them was used from this address or with this client. */
  async isNewDevice(userId: string, { ip, userAgent }: Device, on: Queryable): Promise<boolean> {
    const [row] = await on.query<{ is_new: boolean | null }>(
      `SELECT bool_and(ip <> $2 AND user_agent <> $3) AS is_new FROM sessions
       WHERE user_id = $1 AND impersonated_by IS NULL`,
      [userId, ip, userAgent],
    );
    return row?.is_new === true;
  }

  /** Ends a session of a user. @returns whether the user had it, and it had not ended before */
  async revoke(userId: string, id: string, reason: string, at: Date, on: Queryable = this.db): Promise<boolean> {
    const rows = await on.query(
      `UPDATE sessions SET revoked_at = $4, revoked_reason = $3
       WHERE user_id = $1 AND id = $2 AND revoked_at IS NULL AND expires_at > $4 RETURNING 1 AS revoked`,
      [userId, id, reason, at],
    );
    return rows.length === 1;
  }

  /** Ends the sessions of a user. @param except one that continues; null: none does */
  async revokeAll(
    userId: string,
    except: string | null,
    reason: string,
    at: Date,
    on: Queryable = this.db,
  ): Promise<void> {
    await on.query(
      `UPDATE sessions SET revoked_at = $4, revoked_reason = $3
       WHERE user_id = $1 AND revoked_at IS NULL AND id IS DISTINCT FROM $2::uuid`,
      [userId, except, reason, at],
    );
  }
}

function ownedIn(row: object): OwnedSession {
  return {
    session: JOINED_SESSION.rowIn(row),
    user: JOINED_USER.rowIn(row),
    organization: JOINED_ORGANIZATION.rowIn(row),
  };
}
