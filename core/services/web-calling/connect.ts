import type { KnownToken, WebSessions } from '../../data/repositories/web-calling/sessions.js';
import type { OrganizationRow, WebSessionRow, WebTokenRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { hashSecret } from '../../model/access/secrets.js';
import { isToken } from '../../model/access/tokens.js';
import { HatifError, type ErrorCode } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { EngineSoftphones } from '../provisioning/softphones.js';
import { browserSoftphone } from './browser-softphone.js';
import type { IceServers } from './ice-servers.js';
import { assertOpen } from './sessions.js';
import { assertUsable } from './way-in.js';

export interface ConnectBrowsersOptions {
  readonly sessions: WebSessions;
  /** Of the engines that browsers reach. */
  readonly softphones: Pick<EngineSoftphones, 'accept'>;
  readonly ice: Pick<IceServers, 'hasRelay'>;
  /** Whether the organization has web calling. */
  readonly isOn: (organization: OrganizationRow) => boolean;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly announce: () => Promise<void>;
  /** Notes how each request ended. */
  readonly observe?: (outcome: ConnectOutcome) => void;
}

/** `connected`, `repeated` (the same device asked again), or why the browser was refused. */
export type ConnectOutcome = 'connected' | 'repeated' | ErrorCode;

/** A browser that brings a token. */
export interface AskingBrowser {
  readonly token: string;
  /** Names the device, so that it may ask again if the answer did not arrive. */
  readonly nonce: string | null;
  /** The page that asks; null if none does, or one that may use every project. */
  readonly origin: string | null;
}

export interface ConnectedBrowser {
  readonly session: WebSessionRow;
  readonly password: string;
}

interface Answer extends ConnectedBrowser {
  readonly isRepeated: boolean;
}

/** How long the device that spent a token gets the same answer again. */
const REPEAT_MS = 30_000;
/**
 * How long a request waits for engines that do not answer; the last question to one of them may take five seconds more.
 * The browser package waits longer than both together, so that it learns why it failed.
 */
export const ENGINES_MS = 7_000;

/** Exchanges tokens for SIP credentials, each once. */
export class ConnectBrowsers {
  constructor(private readonly options: ConnectBrowsersOptions) {}

  /**
   * @param onKnown called with the session of the token, whatever follows
   * @returns the session, and its SIP password
   * @throws HatifError WCS_NOT_FOUND, WEB_CALLING_DISABLED, INSUFFICIENT_PERMISSIONS, ORIGIN_NOT_ALLOWED, WCS_EXPIRED,
   * WCS_REVOKED, WCS_REUSE_DETECTED, TURN_UNAVAILABLE, WEBRTC_PROVISIONING_FAILED
   */
  async connect(browser: AskingBrowser, onKnown: (known: KnownToken) => void): Promise<ConnectedBrowser> {
    const { observe = () => undefined } = this.options;
    try {
      const { isRepeated, ...connected } = await this.#connect(browser, onKnown);
      observe(isRepeated ? 'repeated' : 'connected');
      return connected;
    } catch (error) {
      observe(error instanceof HatifError ? (error as HatifError).code : 'INTERNAL_ERROR');
      throw error;
    }
  }

  async #connect(browser: AskingBrowser, onKnown: (known: KnownToken) => void): Promise<Answer> {
    const { sessions, ice, isOn, cipher, clock, announce } = this.options;
    const known = await this.#known(browser.token);
    onKnown(known);
    assertUsable(known, browser.origin, isOn);
    assertOpen(known.session, clock.now());
    const { session, token } = known;
    const nonceHash = browser.nonce === null ? null : hashSecret(browser.nonce);
    const answer = { session, password: cipher.open(session.sip_password), isRepeated: false };
    const untilMs = clock.monotonicMs() + ENGINES_MS;
    if (token.spent_at !== null) return this.#again(known, nonceHash, answer, untilMs);
    if (session.require_relay && !(await ice.hasRelay())) throw new HatifError('TURN_UNAVAILABLE');
    await this.#provision(session, untilMs);
    if (!(await sessions.spend(token.hash, nonceHash, clock.now()))) {
      // Another request was faster, or the session ended meanwhile.
      const after = await this.#known(browser.token);
      assertOpen(after.session, clock.now());
      return this.#again(after, nonceHash, answer, untilMs);
    }
    try {
      // An engine that compared itself with the tables in between has removed the account; from now on, it is in them.
      await this.#provision(session, untilMs);
    } finally {
      await announce();
    }
    return answer;
  }

  async #known(text: string): Promise<KnownToken> {
    const known = isToken('webCalling', text) ? await this.options.sessions.byToken(hashSecret(text)) : null;
    if (!known) throw new HatifError('WCS_NOT_FOUND', { session: OF_TOKEN });
    return known;
  }

  /** A spent token: the same answer for the same device for a while; for anybody else, the session ends. */
  async #again(
    { session, token }: KnownToken,
    nonceHash: string | null,
    answer: Answer,
    untilMs: number,
  ): Promise<Answer> {
    const { sessions, clock, announce } = this.options;
    if (isRepeat(token, nonceHash, clock.now())) {
      // The request before may still wait for the engines, or have failed there.
      await this.#provision(session, untilMs);
      return { ...answer, isRepeated: true };
    }
    if (await sessions.end(session.id, 'reused', clock.now())) await announce();
    throw new HatifError('WCS_REUSE_DETECTED');
  }

  /** If the token is not spent afterwards, the engines remove what they accepted. */
  async #provision(session: WebSessionRow, untilMs: number): Promise<void> {
    const { softphones, clock } = this.options;
    if (session.sandbox) return;
    if (await softphones.accept(browserSoftphone(session), Math.max(0, untilMs - clock.monotonicMs()))) return;
    throw new HatifError('WEBRTC_PROVISIONING_FAILED');
  }
}

const OF_TOKEN = { en: 'with this token', ar: 'بهذا الرمز' };

function isRepeat({ spent_at, nonce_hash }: WebTokenRow, nonceHash: string | null, now: Date): boolean {
  if (spent_at === null || nonce_hash === null || nonce_hash !== nonceHash) return false;
  return now.getTime() - spent_at.getTime() <= REPEAT_MS;
}
