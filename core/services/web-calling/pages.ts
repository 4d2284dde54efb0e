import type { WebSessionOwner, WebSessions } from '../../data/repositories/web-calling/sessions.js';
import { HatifError } from '../../model/errors/index.js';
import { pause, type Clock } from '../../ports/clock.js';
import type { CallCommand, CommandBus, CommandOutcome } from '../../ports/command-bus.js';
import type { Logger } from '../../ports/logger.js';
import { takeOrRefuse, type RateLimiter } from '../access/rate-limit.js';
import { askOwner } from '../calls/ask-owner.js';
import type { BrowserAccounts, KnownBrowser } from './account.js';

export interface BrowserPagesOptions {
  readonly sessions: Pick<WebSessions, 'withOwner' | 'liveCalls'>;
  readonly accounts: Pick<BrowserAccounts, 'owner' | 'isPassword'>;
  readonly bus: Pick<CommandBus, 'send'>;
  readonly clock: Clock;
  readonly limiter: Pick<RateLimiter, 'take'>;
  readonly log: Logger;
}

type PageCommand = Extract<CallCommand, { type: 'browser_left' | 'browser_back' }>['type'];

/** A person who loads a page again does not do it more often. */
const PER_HOUR = 120;
const HOUR_SECONDS = 3_600;
/**
 * How long a page that is back waits for the owner of its call. The SIP edge registers it at once, also while the process
 * that controlled the call is dead: the lease of that one lasts 15 seconds, and its successor then adopts the call.
 */
export const OWNER_MS = 20_000;
const RETRY_MS = 500;

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
   * @returns how many calls ring the browser. Calls that nobody controls are waited for, for 20 seconds
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
    const before = new Date(clock.now().getTime() - secondsSinceLoad * 1_000);
    return this.#send('browser_back', owner, before, OWNER_MS);
  }

  /**
   * @param waitMs how long to wait for owners
   * @returns how many calls did it
   */
  async #send(type: PageCommand, { session: { aor } }: WebSessionOwner, before: Date, waitMs = 0): Promise<number> {
    const { sessions, clock, log } = this.options;
    const untilMs = clock.monotonicMs() + waitMs;
    const calls = await sessions.liveCalls(aor);
    const done = calls.map(async (call) => {
      const command = { type, callId: call.id, aor, before: before.toISOString() };
      let result = await this.#ask(call, command);
      while (result === 'not_controllable' && clock.monotonicMs() < untilMs) {
        await pause(clock, RETRY_MS);
        result = await this.#ask(call, command);
      }
      if (result === 'not_controllable') {
        log.warn({ call_id: call.id }, 'a call did not hear of the page of its browser: nobody controls it');
      }
      return result === 'done';
    });
    return (await Promise.all(done)).filter(Boolean).length;
  }

  /** @returns `not_controllable` also if nobody owns the engine of the call */
  async #ask(call: { id: string; engine_id: string }, command: CallCommand): Promise<CommandOutcome['result']> {
    try {
      return (await askOwner(this.options.bus, call, command)).result;
    } catch (error) {
      if (error instanceof HatifError && error.code === 'CALL_NOT_CONTROLLABLE') return 'not_controllable';
      throw error;
    }
  }
}
