import type { WebSessionOwner, WebSessions } from '../../data/repositories/web-calling/sessions.js';
import type { OrganizationRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { isSameSecret } from '../../model/access/secrets.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import { assertOpen } from './sessions.js';
import { assertUsable } from './way-in.js';

/** A browser that knows the account which it got from `connect`. */
export interface KnownBrowser {
  readonly username: string;
  readonly password: string;
  /** The page that asks; null if none does, or one that may use every project. */
  readonly origin: string | null;
}

export interface BrowserAccountsOptions {
  readonly sessions: Pick<WebSessions, 'byAor'>;
  readonly cipher: Cipher;
  /** Whether the organization has web calling. */
  readonly isOn: (organization: OrganizationRow) => boolean;
  readonly clock: Pick<Clock, 'now'>;
}

/** Recognizes browsers that make requests by their SIP account. */
export class BrowserAccounts {
  constructor(private readonly options: BrowserAccountsOptions) {}

  /**
   * @param onKnown called with the session, whatever follows
   * @throws HatifError WCS_NOT_FOUND (also for a wrong password), WEB_CALLING_DISABLED, INSUFFICIENT_PERMISSIONS,
   * ORIGIN_NOT_ALLOWED, WCS_EXPIRED, WCS_REVOKED
   */
  async owner(
    { username, password, origin }: KnownBrowser,
    onKnown: (owner: WebSessionOwner) => void,
  ): Promise<WebSessionOwner> {
    const { sessions, isOn, clock } = this.options;
    const owner = await sessions.byAor(username);
    if (owner === null || !this.isPassword(owner, password)) {
      throw new HatifError('WCS_NOT_FOUND', { session: OF_ACCOUNT });
    }
    onKnown(owner);
    assertUsable(owner, origin, isOn);
    assertOpen(owner.session, clock.now());
    return owner;
  }

  isPassword({ session }: Pick<WebSessionOwner, 'session'>, password: string): boolean {
    return isSameSecret(password, this.options.cipher.open(session.sip_password));
  }
}

const OF_ACCOUNT = { en: 'with this account', ar: 'بهذا الحساب' };
