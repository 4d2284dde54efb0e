import type { Database } from '../../data/database.js';
import { projectEvent, recordEvent } from '../../data/outbox.js';
import type { WebSessionOwner, WebSessions } from '../../data/repositories/web-calling/sessions.js';
import type { FeedbackIssue } from '../../model/web-calling.js';
import type { Clock } from '../../ports/clock.js';
import { takeOrRefuse, type RateLimiter } from '../access/rate-limit.js';
import type { BrowserAccounts, KnownBrowser } from './account.js';

export interface WebFeedbackOptions {
  readonly db: Database;
  readonly sessions: Pick<WebSessions, 'callAt'>;
  readonly accounts: Pick<BrowserAccounts, 'owner'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly limiter: Pick<RateLimiter, 'take'>;
  /** Wakes the delivery of webhooks. */
  readonly onLanes: (lanes: readonly string[]) => void;
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
    browser: KnownBrowser,
    { seconds_since_start: seconds, ...said }: Feedback,
    onKnown: (owner: WebSessionOwner) => void,
  ): Promise<string | null> {
    const { db, sessions, accounts, clock, limiter, onLanes } = this.options;
    const { session } = await accounts.owner(browser, onKnown);
    const now = clock.now();
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
}
