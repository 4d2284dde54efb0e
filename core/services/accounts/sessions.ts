import type { Database, Queryable } from '../../data/database.js';
import { addAccountMail } from '../../data/repositories/mails/account-mails.js';
import type {
  Device,
  NextTokens,
  OwnedSession,
  OwnedToken,
  Sessions,
} from '../../data/repositories/accounts/sessions.js';
import type { Users } from '../../data/repositories/accounts/users.js';
import type { OrganizationRow, SessionClient, SessionRow, UserRow } from '../../data/rows.js';
import { hashSecret } from '../../model/access/secrets.js';
import { generateToken, isToken } from '../../model/access/tokens.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import type { SignedInUser } from '../access/caller.js';
import { isIdle } from '../access/idle.js';
import { assertActive } from '../access/suspension.js';

export const ACCESS_TOKEN_SECONDS = 900;
const SESSION_MS = 30 * 24 * 60 * 60 * 1000;
/** A second use of a refresh token within this time is taken for two requests at the same moment. */
const RACE_MS = 10_000;

/** The tokens of a session as the client gets them, once. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** How a session begins. */
export interface NewSession extends Device {
  readonly client: SessionClient;
  /** Whether the user gave a second factor, or a passkey. */
  readonly secondFactor: boolean;
  /** When the user proved who it is; null: it is not known. Default: now. */
  readonly confirmedAt?: Date | null;
}

/** A session that has just started or was refreshed. */
export interface LiveSession extends Tokens {
  readonly session: SessionRow;
  readonly user: UserRow;
  readonly organization: OrganizationRow;
}

export interface SessionServiceOptions {
  readonly db: Database;
  readonly sessions: Sessions;
  readonly users: Users;
  readonly clock: Clock;
  /** Called after a session has ended, so that this process refuses its tokens at once. */
  readonly onEnded: () => void;
}

/** The sessions of users: how they start, are refreshed and end. */
export class SessionService {
  constructor(private readonly options: SessionServiceOptions) {}

  /**
   * Begins a session for a user who has just proved who it is.
   * @param on a transaction that makes the user; by default, one of its own
   */
  async begin(
    user: UserRow,
    organization: OrganizationRow,
    { client, secondFactor, confirmedAt, ip, userAgent }: NewSession,
    on?: Queryable,
  ): Promise<LiveSession> {
    const { db, sessions, users, clock } = this.options;
    const now = clock.now();
    const session: SessionRow = {
      id: newId(),
      user_id: user.id,
      organization_id: organization.id,
      client,
      ip,
      user_agent: userAgent,
      created_at: now,
      last_used_at: now,
      expires_at: new Date(now.getTime() + SESSION_MS),
      confirmed_at: confirmedAt === undefined ? now : confirmedAt,
      second_factor: secondFactor,
      impersonated_by: null,
      revoked_at: null,
      revoked_reason: null,
    };
    const { tokens, next } = newTokens(now);
    const store = async (tx: Queryable): Promise<void> => {
      await this.#reportNewDevice(user, session, tx);
      await sessions.create(session, next, tx);
      await users.signedIn(user.id, now, tx);
    };
    await (on === undefined ? db.transaction(store) : store(on));
    return { session, user, organization, ...tokens };
  }

  /**
   * Exchanges a refresh token for the next tokens. Of several requests with one token, one wins.
   * @throws HatifError REFRESH_ROTATION_RACE for the others of the same moment; REFRESH_REUSE_DETECTED for a later one,
   * which ends the session; INVALID_REFRESH_TOKEN, EXPIRED_REFRESH_TOKEN, SESSION_IDLE_TIMEOUT, INSUFFICIENT_PERMISSIONS
   */
  async refresh(refreshToken: string, device: Device): Promise<LiveSession> {
    if (!isToken('refresh', refreshToken)) throw new HatifError('INVALID_REFRESH_TOKEN');
    const { sessions, clock } = this.options;
    const now = clock.now();
    const { tokens, next } = newTokens(now);
    const hash = hashSecret(refreshToken);
    const won: OwnedSession | null = await sessions.rotate(hash, next, now, device);
    if (won !== null) return { ...won, ...tokens };
    throw await this.#refusal(await sessions.findToken(hash, 'refresh'), device, now);
  }

  /** One page of a user's sessions, newest first. */
  list(user: SignedInUser, beforeId: string | null, limit: number): Promise<SessionRow[]> {
    return this.options.sessions.list(user.id, this.options.clock.now(), beforeId, limit);
  }

  /** Ends one session of the user. @throws HatifError NOT_FOUND */
  async end(user: SignedInUser, id: string): Promise<void> {
    const { sessions, clock, onEnded } = this.options;
    const reason = id === user.sessionId ? 'signed_out' : 'revoked';
    const ended = await sessions.revoke(user.id, id, reason, clock.now());
    onEnded();
    if (!ended) throw new HatifError('NOT_FOUND', { what: id });
  }

  /** Ends the session of the request; a repeat changes nothing. */
  async signOut(user: SignedInUser): Promise<void> {
    const { sessions, clock, onEnded } = this.options;
    await sessions.revoke(user.id, user.sessionId, 'signed_out', clock.now());
    onEnded();
  }

  /** Ends every other session of the user. */
  async endOthers({ id, sessionId }: Pick<SignedInUser, 'id' | 'sessionId'>): Promise<void> {
    const { sessions, clock, onEnded } = this.options;
    await sessions.revokeAll(id, sessionId, 'revoked', clock.now());
    onEnded();
  }

  /** The user gets a mail if neither the address nor the client of the session was used before. */
  async #reportNewDevice({ id, email: to, name, locale }: UserRow, session: SessionRow, tx: Queryable): Promise<void> {
    const { ip, user_agent, created_at } = session;
    if (!(await this.options.sessions.isNewDevice(id, { ip, userAgent: user_agent }, tx))) return;
    const data = { name, ip, user_agent, at: isoTime(created_at) };
    await addAccountMail(tx, { to, locale, kind: 'new_device', data }, created_at);
  }

  /** Why a refresh token was not exchanged. */
  async #refusal(found: OwnedToken | null, device: Device, now: Date): Promise<HatifError> {
    if (found?.session.revoked_at !== null || found.user.disabled_at !== null) {
      return new HatifError('INVALID_REFRESH_TOKEN');
    }
    const { token, session, organization } = found;
    if (token.expires_at <= now) {
      return new HatifError('EXPIRED_REFRESH_TOKEN', { expired_at: isoTime(token.expires_at) });
    }
    if (token.used_at !== null) {
      if (now.getTime() - token.used_at.getTime() <= RACE_MS) return new HatifError('REFRESH_ROTATION_RACE');
      await this.#endStolen(found, device, now);
      return new HatifError('REFRESH_REUSE_DETECTED');
    }
    assertActive(organization);
    if (isIdle(session, organization, now)) {
      return new HatifError('SESSION_IDLE_TIMEOUT', { minutes: organization.session_idle_minutes });
    }
    // The organization's idle time, or whether it is suspended, changed between the two statements.
    return new HatifError('REFRESH_ROTATION_RACE');
  }

  /** Somebody else has the token: the session ends, and its user is notified. */
  async #endStolen({ session, user }: OwnedToken, { ip }: Device, now: Date): Promise<void> {
    const { db, sessions, onEnded } = this.options;
    await db.transaction(async (tx) => {
      if (!(await sessions.revoke(user.id, session.id, 'refresh_token_reused', now, tx))) return;
      const data = { name: user.name, ip, at: isoTime(now) };
      await addAccountMail(tx, { to: user.email, locale: user.locale, kind: 'session_reuse', data }, now);
    });
    onEnded();
  }
}

function newTokens(now: Date): { tokens: Tokens; next: NextTokens } {
  const tokens = { accessToken: generateToken('access'), refreshToken: generateToken('refresh') };
  return {
    tokens,
    next: {
      accessHash: hashSecret(tokens.accessToken),
      refreshHash: hashSecret(tokens.refreshToken),
      accessExpiresAt: new Date(now.getTime() + ACCESS_TOKEN_SECONDS * 1000),
    },
  };
}
