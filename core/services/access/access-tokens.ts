import { LRUCache } from 'lru-cache';
import type { OwnedToken } from '../../data/repositories/accounts/sessions.js';
import type { OrganizationRow, ProjectRow } from '../../data/rows.js';
import { permissionsOf } from '../../model/access/roles.js';
import { hashSecret } from '../../model/access/secrets.js';
import { isToken, TOKEN_PREFIXES } from '../../model/access/tokens.js';
import { HatifError } from '../../model/errors/index.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { SignedInUser } from './caller.js';
import { isIdle } from './idle.js';
import { LookupCache } from './lookup-cache.js';
import { assertActive } from './suspension.js';
import { atMost } from '../../model/cache-size.js';

/** The repository methods that are needed. */
export interface AccessTokenStore {
  findToken(hash: string, kind: 'access'): Promise<OwnedToken | null>;
  /** Records that the session was used. Called at most once a minute for a session and sandbox, in each process. */
  touch(sessionId: string, at: Date, trialOf: string | null): Promise<void>;
}

export interface AccessTokensOptions {
  readonly sessions: AccessTokenStore;
  readonly projects: { listOf(organizationId: string): Promise<ProjectRow[]> };
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long what was looked up is cached; a change by another process takes effect within this time. Default 2 s. */
  readonly cacheMs?: number;
}

/** A signed-in user with the organization. */
export interface SignedIn {
  readonly user: SignedInUser;
  readonly organization: OrganizationRow;
}

const TOUCH_INTERVAL_MS = 60_000;
const MAX_CACHED = 10_000;

interface CachedToken extends OwnedToken {
  readonly signedIn: SignedIn;
}

/** Authenticates requests of signed-in users. Unknown tokens are not cached, so a new one works at once. */
export class AccessTokens {
  readonly #tokens: LookupCache<CachedToken>;
  readonly #projects: LookupCache<ProjectRow[]>;
  /** When each session was touched, by the monotonic clock. */
  readonly #touched = new LRUCache<string, number>(atMost(MAX_CACHED));

  constructor(private readonly options: AccessTokensOptions) {
    const { clock, projects, cacheMs: ttlMs = 2_000 } = options;
    const cached = { clock, max: MAX_CACHED, ttlMs };
    this.#tokens = new LookupCache({ ...cached, load: (hash) => this.#load(hash) });
    this.#projects = new LookupCache({ ...cached, load: (id) => projects.listOf(id) });
  }

  /** Whether the text is meant as an access token, not as an API key. */
  static isMeant(text: string): boolean {
    return text.startsWith(TOKEN_PREFIXES.access);
  }

  /**
   * Returns the user whose access token this is.
   * @throws HatifError INVALID_ACCESS_TOKEN, EXPIRED_ACCESS_TOKEN, SESSION_IDLE_TIMEOUT, or INSUFFICIENT_PERMISSIONS if
   * the organization is suspended; DatabaseUnavailable.
   */
  async authenticate(text: string): Promise<SignedIn> {
    if (!isToken('access', text)) throw new HatifError('INVALID_ACCESS_TOKEN');
    const cached = await this.#tokens.get(hashSecret(text));
    if (cached === undefined) throw new HatifError('INVALID_ACCESS_TOKEN');
    const { token, session, user, organization } = cached;
    const now = this.options.clock.now();
    if (session.revoked_at !== null || user.disabled_at !== null) throw new HatifError('INVALID_ACCESS_TOKEN');
    if (token.expires_at <= now) {
      throw new HatifError('EXPIRED_ACCESS_TOKEN', { expired_at: isoTime(token.expires_at) });
    }
    if (isIdle(session, organization, now)) {
      throw new HatifError('SESSION_IDLE_TIMEOUT', { minutes: organization.session_idle_minutes });
    }
    assertActive(organization);
    return cached.signedIn;
  }

  /** Whether the token's session or user was removed; the database is asked, not the cache. @throws DatabaseUnavailable */
  async isGone(text: string): Promise<boolean> {
    return (await this.#load(hashSecret(text))) === undefined;
  }

  /** The projects that the user may use, oldest first. @throws DatabaseUnavailable */
  async projectsOf({ organizationId, projectIds }: SignedInUser): Promise<ProjectRow[]> {
    const all = (await this.#projects.get(organizationId)) ?? [];
    return projectIds === null ? all : all.filter(({ id }) => projectIds.includes(id));
  }

  /** Records that the session is in use. @param trialOf the project whose sandbox the user works in; null: none */
  touch({ sessionId }: SignedInUser, trialOf: string | null): void {
    const { clock, logger, sessions } = this.options;
    const nowMs = clock.monotonicMs();
    const subject = `${sessionId}:${trialOf ?? ''}`;
    if (nowMs - (this.#touched.get(subject) ?? -Infinity) < TOUCH_INTERVAL_MS) return;
    this.#touched.set(subject, nowMs);
    sessions.touch(sessionId, clock.now(), trialOf).catch((error: unknown) => {
      logger.warn({ err: error, session_id: sessionId }, 'failed to record the last use of a session');
    });
  }

  /**
   * Drops what is cached. The process that changes a session, user, organization or project calls this, so that the
   * change applies at once.
   */
  clearCache(): void {
    this.#tokens.clear();
    this.#projects.clear();
  }

  async #load(hash: string): Promise<CachedToken | undefined> {
    const found = await this.options.sessions.findToken(hash, 'access');
    return found === null ? undefined : { ...found, signedIn: describe(found) };
  }
}

function describe({ session, user, organization }: OwnedToken): SignedIn {
  return {
    organization,
    user: {
      id: user.id,
      email: user.email,
      name: user.name,
      role: user.role,
      permissions: permissionsOf(user.role),
      projectIds: user.project_ids,
      agent: user.agent,
      organizationId: organization.id,
      sessionId: session.id,
      confirmedAt: session.confirmed_at,
      impersonated: session.impersonated_by !== null,
      impersonatedBy: session.impersonated_by,
      needsSecondFactor:
        organization.second_factor_required && !session.second_factor && session.impersonated_by === null,
    },
  };
}
