import type { AdministratorTable } from '../../data/repositories/accounts/administrators.js';
import type { AdministratorTokens } from '../../data/repositories/accounts/administrator-tokens.js';
import type { Queryable } from '../../data/database.js';
import type { AdministratorRow, AdministratorTokenRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { hashSecret, visiblePart } from '../../model/access/secrets.js';
import { generateToken } from '../../model/access/tokens.js';
import type { Clock } from '../../ports/clock.js';
import type { Passwords } from '../accounts/passwords.js';
import type { Tries } from '../accounts/tries.js';
import type { AdministratorTotp } from './totp.js';

export interface AdministratorSessionsOptions {
  readonly table: AdministratorTable;
  readonly tokens: AdministratorTokens;
  readonly passwords: Passwords;
  readonly totp: AdministratorTotp;
  readonly tries: Tries;
  readonly clock: Clock;
}

export interface SignIn {
  readonly email: string;
  readonly password: string;
  readonly totp?: string;
}

export interface StartedSession {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
}

const SESSION_SECONDS = 8 * 60 * 60;
const KEPT_AFTER_END_MS = 86_400_000;

/** Signs administrators in and out. */
export class AdministratorSessions {
  constructor(private readonly options: AdministratorSessionsOptions) {}

  /**
   * An unknown address, a wrong password, and a missing or wrong code of the second factor are one and the same error.
   * @throws HatifError ADMIN_INVALID_CREDENTIALS; RATE_LIMIT_EXCEEDED after 10 failures of an address or for an account
   * in 15 minutes
   */
  async signIn(
    { email: given, password, totp }: SignIn,
    ip: string,
  ): Promise<{ readonly administrator: AdministratorRow; readonly session: StartedSession }> {
    const { table, tokens, passwords, tries } = this.options;
    const email = given.trim().toLowerCase();
    const hasWorkedFrom = await tokens.usedFrom(email, ip);
    const succeeded = await tries.takeSignIn('administrator', { email, ip, hasWorkedFrom });
    const row = await table.findByEmail(email);
    const isPassword = await passwords.verify(row?.password_hash ?? null, password);
    if (row === null || !isPassword || row.disabled_at !== null) throw new HatifError('ADMIN_INVALID_CREDENTIALS');
    if (row.totp_secret !== null) await this.#checkSecondFactor(row, totp);
    await succeeded();
    return { administrator: row, session: await this.start(row, ip) };
  }

  /** Starts a session for an administrator who has proved who it is. */
  async start(row: AdministratorRow, ip: string, on?: Queryable): Promise<StartedSession> {
    const { table, tokens, clock } = this.options;
    const now = clock.now();
    const accessToken = generateToken('administrator');
    await tokens.create(
      {
        id: newId(),
        administrator_id: row.id,
        kind: 'session',
        name: null,
        prefix: visiblePart(accessToken),
        hash: hashSecret(accessToken),
        ip,
        created_at: now,
        last_used_at: now,
        expires_at: new Date(now.getTime() + SESSION_SECONDS * 1000),
        revoked_at: null,
      },
      on,
    );
    await table.signedIn(row.id, now, on);
    await tokens.removeEnded(new Date(now.getTime() - KEPT_AFTER_END_MS), on);
    return { accessToken, expiresInSeconds: SESSION_SECONDS };
  }

  /** Ends the session, or revokes the script token, that made the request. */
  async end(tokenId: AdministratorTokenRow['id']): Promise<void> {
    await this.options.tokens.revoke(tokenId, this.options.clock.now());
  }

  async #checkSecondFactor(row: AdministratorRow, code: string | undefined): Promise<void> {
    if (code !== undefined && (await this.options.totp.verify(row, code))) return;
    throw new HatifError(
      'ADMIN_INVALID_CREDENTIALS',
      {},
      {
        details: [
          code === undefined
            ? { path: 'totp', message: 'is required', message_ar: 'مطلوب' }
            : { path: 'totp', message: 'is wrong or was used before', message_ar: 'غير صحيح أو سبق استخدامه' },
        ],
      },
    );
  }
}
