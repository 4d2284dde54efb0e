import type { Sessions } from '../../data/repositories/accounts/sessions.js';
import { releaseHold } from '../../data/repositories/scim/users.js';
import type { UserFilter, Users } from '../../data/repositories/accounts/users.js';
import type { Database } from '../../data/database.js';
import type { SessionRow, UserRow } from '../../data/rows.js';
import { hashSecret } from '../../model/access/secrets.js';
import { generateToken } from '../../model/access/tokens.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';

export interface AdministerUsersOptions {
  readonly db: Database;
  readonly users: Users;
  readonly sessions: Sessions;
  /** Called after a change, so that this process clears its cache of sessions. */
  readonly onChanged: () => void;
  readonly clock: Clock;
}

/** A session in which an administrator acts as a user. */
export interface Impersonation {
  readonly user: UserRow;
  readonly sessionId: string;
  readonly accessToken: string;
  readonly expiresInSeconds: number;
}

const IMPERSONATION_SECONDS = 30 * 60;

/** The users of all organizations, for administrators. */
export class AdministerUsers {
  constructor(private readonly options: AdministerUsersOptions) {}

  /** Newest first. @param before the last one of the page before */
  list(filter: UserFilter, before: string | null, limit: number): Promise<UserRow[]> {
    return this.options.users.page(filter, before, limit);
  }

  /** @throws HatifError ADMIN_USER_NOT_FOUND */
  async get(id: string): Promise<UserRow> {
    const row = await this.options.users.get(id);
    if (!row) throw new HatifError('ADMIN_USER_NOT_FOUND', { user_id: id });
    return row;
  }

  /**
   * Lets a user sign in or not. Disabling ends every session.
   * @returns the rows before and after @throws HatifError ADMIN_USER_NOT_FOUND
   */
  async setDisabled(id: string, isDisabled: boolean): Promise<{ readonly before: UserRow; readonly after: UserRow }> {
    const { db, users, sessions, clock } = this.options;
    const before = await this.get(id);
    const now = clock.now();
    const disabled_at = isDisabled ? (before.disabled_at ?? now) : null;
    await db.transaction(async (tx) => {
      await users.setDisabled(id, disabled_at, tx);
      await releaseHold(tx, id);
      if (isDisabled) await sessions.revokeAll(id, null, 'disabled', now, tx);
    });
    this.options.onChanged();
    return { before, after: { ...before, disabled_at } };
  }

  /** Ends every session of the user, in every process within seconds. @throws HatifError ADMIN_USER_NOT_FOUND */
  async endSessions(id: string): Promise<UserRow> {
    const row = await this.get(id);
    await this.options.sessions.revokeAll(id, null, 'administrator', this.options.clock.now());
    this.options.onChanged();
    return row;
  }

  /**
   * Starts a session of half an hour in which the administrator sees what the user sees, and changes nothing.
   * @throws HatifError ADMIN_USER_NOT_FOUND, VALIDATION_ERROR for a user who may not sign in
   */
  async impersonate(
    id: string,
    administratorId: string,
    { ip, userAgent }: { readonly ip: string; readonly userAgent: string },
  ): Promise<Impersonation> {
    const { db, sessions, clock } = this.options;
    const user = await this.get(id);
    if (user.disabled_at !== null) throw invalidField('user_id', { en: 'is disabled', ar: 'حسابه معطّل' });
    const now = clock.now();
    const expires_at = new Date(now.getTime() + IMPERSONATION_SECONDS * 1000);
    const row: SessionRow = {
      ...{
        id: newId(),
        user_id: id,
        organization_id: user.organization_id,
        client: 'other',
        ip,
        user_agent: userAgent,
      },
      ...{ created_at: now, last_used_at: now, expires_at, confirmed_at: null, second_factor: false },
      ...{ impersonated_by: administratorId, revoked_at: null, revoked_reason: null },
    };
    const accessToken = generateToken('access');
    // Nobody learns the refresh token: the session is not renewed.
    const refreshHash = hashSecret(generateToken('refresh'));
    const next = { accessHash: hashSecret(accessToken), refreshHash, accessExpiresAt: expires_at };
    await db.transaction((tx) => sessions.create(row, next, tx));
    return { user, sessionId: row.id, accessToken, expiresInSeconds: IMPERSONATION_SECONDS };
  }
}
