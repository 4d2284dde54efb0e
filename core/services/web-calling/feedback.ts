import type { Database } from '../../data/database.js';
import { projectEvent, recordEvent } from '../../data/outbox.js';
import type { WebSessionOwner, WebSessions } from '../../data/repositories/web-calling/sessions.js';
import type { OrganizationRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { isSameSecret } from '../../model/access/secrets.js';
import { HatifError } from '../../model/errors/index.js';
import type { FeedbackIssue } from '../../model/web-calling.js';
import type { Clock } from '../../ports/clock.js';
import { takeOrRefuse, type RateLimiter } from '../access/rate-limit.js';
import { assertOpen } from './sessions.js';
import { assertUsable } from './way-in.js';

export interface WebFeedbackOptions {
  readonly db: Database;
  readonly sessions: Pick<WebSessions, 'byAor' | 'callAt'>;
  /** Whether the organization has web calling. */
  readonly isOn: (organization: OrganizationRow) => boolean;
  readonly cipher: Cipher;
  readonly clock: Pick<Clock, 'now'>;
  readonly limiter: Pick<RateLimiter, 'take'>;
  /** Wakes the delivery of webhooks. */
  readonly onLanes: (lanes: readonly string[]) => void;
}

/** A browser that knows the account which it got from `connect`. */
export interface FeedbackSender {
  readonly username: string;
  readonly password: string;
  /** The page that asks; null if none does, or one that may use every project. */
  readonly origin: string | null;
}

export interface Feedback {
  readonly score: number;
  readonly issue: FeedbackIssue | null;
  readonly comment: string | null;
  /** How long ago the call began for the browser, whose clock may be wrong. */
  readonly seconds_since_start: number;
  readonly mos: number | null;
  readonly round_trip_ms: number | null;
  readonly jitter_ms: number | null;
  readonly loss_percent: number | null;
}

/** A person rates calls, not seconds. */
const PER_HOUR = 60;
const HOUR_SECONDS = 3_600;

/** Takes what people at browsers say of their calls, and reports it to the project as an event. */
export class WebFeedback {
  constructor(private readonly options: WebFeedbackOptions) {}

  /**
   * @param onKnown called with the session, whatever follows
   * @returns the call that it is about; null if none is known
   * @throws HatifError WCS_NOT_FOUND (also for a wrong password), WEB_CALLING_DISABLED, INSUFFICIENT_PERMISSIONS,
   * ORIGIN_NOT_ALLOWED, WCS_EXPIRED, WCS_REVOKED, RATE_LIMIT_EXCEEDED
   */
  async take(
    { username, password, origin }: FeedbackSender,
    { seconds_since_start: seconds, ...said }: Feedback,
    onKnown: (owner: WebSessionOwner) => void,
  ): Promise<string | null> {
    const { db, sessions, isOn, clock, limiter, onLanes } = this.options;
    const owner = await this.#owner(username, password);
    onKnown(owner);
    assertUsable(owner, origin, isOn);
    const { session } = owner;
    const now = clock.now();
    assertOpen(session, now);
    await takeOrRefuse(limiter, `web-feedback:${session.id}`, PER_HOUR, HOUR_SECONDS);
    const callId = await sessions.callAt(session.aor, new Date(now.getTime() - seconds * 1_000));
    const { organization_id, project_id, sandbox, identity } = session;
    const lanes = await db.transaction((tx) =>
      recordEvent(
        tx,
        projectEvent({
          ...{ organization_id, project_id, sandbox, created_at: now },
          type: 'web_calling.feedback',
          data: { session_id: session.id, call_id: callId, identity, ...said },
        }),
      ),
    );
    onLanes(lanes);
    return callId;
  }

  async #owner(username: string, password: string): Promise<WebSessionOwner> {
    const owner = await this.options.sessions.byAor(username);
    const isRight = owner !== null && isSameSecret(password, this.options.cipher.open(owner.session.sip_password));
    if (!isRight) throw new HatifError('WCS_NOT_FOUND', { session: OF_ACCOUNT });
    return owner;
  }
}

const OF_ACCOUNT = { en: 'with this account', ar: 'بهذا الحساب' };
