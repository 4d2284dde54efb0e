import type { WebSessionLimits, WebSessions, WebSessionScope } from '../../data/repositories/web-calling/sessions.js';
import type { AgentRow, NumberRow, WebSessionRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { hashSecret } from '../../model/access/secrets.js';
import { generateToken } from '../../model/access/tokens.js';
import { HatifError, invalidField, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { Metadata } from '../../model/metadata.js';
import { newWebAor, webSessionStatus, type WebRights } from '../../model/web-calling.js';
import type { Clock } from '../../ports/clock.js';
import { newPassword } from '../agents/new-agent.js';

export interface WebSessionsOptions {
  readonly sessions: WebSessions;
  readonly agents: { findByExtension(projectId: string, agent: string): Promise<AgentRow | null> };
  readonly numbers: { findByE164(e164: string): Promise<NumberRow | null> };
  readonly limits: WebSessionLimits;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Notifies the processes that own engines that browsers came or went. */
  readonly announce: () => Promise<void>;
}

/** What a backend asks for. */
export interface NewWebSession {
  readonly identity: string;
  readonly agent: string | null;
  readonly display_name: string | null;
  readonly rights: WebRights;
  readonly ttl_seconds: number;
  readonly require_relay: boolean;
  readonly metadata: Metadata;
}

export interface WebSessionOwner {
  readonly projectId: string;
  readonly organizationId: string;
  readonly sandbox: boolean;
}

export interface WebSessionWithToken {
  readonly session: WebSessionRow;
  readonly token: string;
}

const OWNERS: Readonly<Record<keyof WebSessionLimits, Phrase>> = {
  perProject: { en: 'This project', ar: 'هذا المشروع' },
  perIdentity: { en: 'This identity', ar: 'صاحب هذه الهوية' },
};

const UNKNOWN_AGENT: Phrase = { en: 'is not an agent of this project', ar: 'ليس موظفًا في هذا المشروع' };

/** The sessions of web calling, as backends manage them. */
export class ManageWebSessions {
  constructor(private readonly options: WebSessionsOptions) {}

  /** @throws HatifError VALIDATION_ERROR, CLI_NOT_OWNED, WEBRTC_CONCURRENCY_LIMIT */
  async create(owner: WebSessionOwner, wanted: NewWebSession): Promise<WebSessionWithToken> {
    const { sessions, limits, cipher, clock } = this.options;
    await this.#check(owner, wanted);
    const now = clock.now();
    const token = generateToken('webCalling');
    const session: WebSessionRow = {
      id: newId(),
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      sandbox: owner.sandbox,
      identity: wanted.identity,
      agent: wanted.agent,
      display_name: wanted.display_name ?? wanted.identity,
      rights: wanted.rights,
      require_relay: wanted.require_relay,
      metadata: wanted.metadata,
      aor: newWebAor(),
      sip_password: cipher.seal(newPassword()),
      created_at: now,
      connected_at: null,
      expires_at: later(now, wanted.ttl_seconds),
      ended_at: null,
      end_reason: null,
      calls_ended_at: null,
    };
    const reached = await sessions.add(session, hashSecret(token), limits);
    if (reached === null) return { session, token };
    throw new HatifError('WEBRTC_CONCURRENCY_LIMIT', { owner: OWNERS[reached], max: limits[reached] });
  }

  page(
    scope: WebSessionScope,
    identity: string | null,
    before: string | null,
    limit: number,
  ): Promise<WebSessionRow[]> {
    return this.options.sessions.page(scope, identity, before, limit);
  }

  /** @throws HatifError WCS_NOT_FOUND */
  async get(scope: WebSessionScope, id: string): Promise<WebSessionRow> {
    const row = await this.options.sessions.find(scope, id);
    if (!row) throw new HatifError('WCS_NOT_FOUND', { session: id });
    return row;
  }

  /**
   * A new token for the same SIP account, and more time. Calls continue. A token that nobody used no longer works.
   * @throws HatifError WCS_NOT_FOUND, WCS_EXPIRED, WCS_REVOKED
   */
  async refresh(scope: WebSessionScope, id: string, ttlSeconds: number | null): Promise<WebSessionWithToken> {
    const { sessions, clock, announce } = this.options;
    const before = await this.get(scope, id);
    const now = clock.now();
    const usualMs = before.expires_at.getTime() - before.created_at.getTime();
    const until = ttlSeconds === null ? new Date(now.getTime() + usualMs) : later(now, ttlSeconds);
    const token = generateToken('webCalling');
    const session = await sessions.renew(id, hashSecret(token), until, now);
    if (!session) throw over(await this.get(scope, id), now);
    await announce();
    return { session, token };
  }

  /**
   * Ends the session: its browser registers no more, and its calls end within seconds. One that is over stays as it is.
   * @throws HatifError WCS_NOT_FOUND
   */
  async revoke(scope: WebSessionScope, id: string): Promise<void> {
    const { sessions, clock, announce } = this.options;
    await this.get(scope, id);
    if (await sessions.end(id, 'revoked', clock.now())) await announce();
  }

  async #check({ projectId, organizationId }: WebSessionOwner, { agent, rights }: NewWebSession): Promise<void> {
    const { agents, numbers } = this.options;
    if (agent !== null && !(await agents.findByExtension(projectId, agent))) throw invalidField('agent', UNKNOWN_AGENT);
    const number = rights.caller_id_number;
    if (number === null) return;
    const owned = await numbers.findByE164(number);
    if (owned?.organization_id !== organizationId || owned.state !== 'assigned') {
      throw new HatifError('CLI_NOT_OWNED', { number });
    }
  }
}

/** @throws HatifError WCS_EXPIRED, WCS_REVOKED */
export function assertOpen(session: WebSessionRow, now: Date): void {
  const status = webSessionStatus(session, now);
  if (status === 'expired' || status === 'revoked') throw over(session, now);
}

/** Why a session is over. */
function over(session: WebSessionRow, now: Date): HatifError {
  return webSessionStatus(session, now) === 'expired'
    ? new HatifError('WCS_EXPIRED', { expired_at: session.expires_at.toISOString() })
    : new HatifError('WCS_REVOKED');
}

function later(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000);
}
