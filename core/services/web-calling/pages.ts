import type { WebSessionOwner, WebSessions } from '../../data/repositories/web-calling/sessions.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { CallCommand, CommandBus } from '../../ports/command-bus.js';
import type { Logger } from '../../ports/logger.js';
import { takeOrRefuse, type RateLimiter } from '../access/rate-limit.js';
import { askOwner } from '../calls/ask-owner.js';
import type { BrowserAccounts, KnownBrowser } from './account.js';

export interface BrowserPagesOptions {
  readonly sessions: Pick<WebSessions, 'withOwner' | 'liveCalls'>;
  readonly accounts: Pick<BrowserAccounts, 'owner' | 'isPassword'>;
  readonly bus: Pick<CommandBus, 'send'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly limiter: Pick<RateLimiter, 'take'>;
  readonly log: Logger;
}

type PageCommand = Extract<CallCommand, { type: 'browser_left' | 'browser_back' }>['type'];

/** A person who loads a page again does not do it more often. */
const PER_HOUR = 120;
const HOUR_SECONDS = 3_600;

/** The pages of browsers come and go, and their calls continue. */
export class BrowserPages {
  constructor(private readonly options: BrowserPagesOptions) {}

  /**
   * The page of a session was left: its conversations wait for it, its other calls end. If that fails, the calls wait until
   * the page is loaded again, or the engine misses the audio of the browser.
   * @param password of the SIP account; nothing happens without it
   */
  async left(sessionId: string, password: string): Promise<void> {
    const { sessions, accounts, clock, log } = this.options;
    const now = clock.now();
    try {
      const owner = await sessions.withOwner(sessionId);
      if (owner !== null && accounts.isPassword(owner, password)) await this.#send('browser_left', owner, now);
    } catch (error) {
      log.warn({ err: error, session_id: sessionId }, 'a page was left, and its calls could not be kept');
    }
  }

  /**
   * The page was loaded again, and its browser is registered: the calls that wait for it ring it.
   * @param secondsSinceLoad how long ago the page was loaded: older legs are of the page before
   * @param onKnown called with the session, whatever follows
   * @returns how many calls ring the browser
   * @throws HatifError as {@link BrowserAccounts.owner}; RATE_LIMIT_EXCEEDED
   */
  async back(
    browser: KnownBrowser,
    secondsSinceLoad: number,
    onKnown: (owner: WebSessionOwner) => void,
  ): Promise<number> {
    const { accounts, limiter, clock } = this.options;
    const owner = await accounts.owner(browser, onKnown);
    await takeOrRefuse(limiter, `web-resume:${owner.session.id}`, PER_HOUR, HOUR_SECONDS);
    return this.#send('browser_back', owner, new Date(clock.now().getTime() - secondsSinceLoad * 1_000));
  }

  /** @returns how many calls did it */
  async #send(type: PageCommand, { session: { aor } }: WebSessionOwner, before: Date): Promise<number> {
    const { sessions, bus, log } = this.options;
    const calls = await sessions.liveCalls(aor);
    const done = await Promise.all(
      calls.map(async (call) => {
        try {
          const outcome = await askOwner(bus, call, { type, callId: call.id, aor, before: before.toISOString() });
          return outcome.result === 'done';
        } catch (error) {
          if (!(error instanceof HatifError)) throw error;
          log.warn({ err: error, call_id: call.id }, 'a call did not hear of the page of its browser');
          return false;
        }
      }),
    );
    return done.filter(Boolean).length;
  }
}
