import type { Credentials } from '../../data/repositories/accounts/credentials.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { InSession } from './in-session.js';
import type { Passwords } from './passwords.js';
import type { Tries } from './tries.js';

export interface PasswordChangeOptions {
  readonly credentials: Credentials;
  readonly passwords: Passwords;
  readonly tries: Tries;
  readonly clock: Clock;
  /** Called after a session was proved or has ended, so that this process sees it at once. */
  readonly onSessionChanged: () => void;
}

/** Lets a signed-in user choose another password. */
export class PasswordChange {
  constructor(private readonly options: PasswordChangeOptions) {}

  /**
   * Changes the password, and ends all other sessions of the user.
   * @throws HatifError PASSWORD_SSO_ONLY, INVALID_CURRENT_PASSWORD, PASSWORD_VALIDATION_FAILED, RATE_LIMIT_EXCEEDED.
   */
  async change({ id, sessionId }: InSession, current: string, next: string): Promise<void> {
    const { credentials, passwords, tries, clock, onSessionChanged } = this.options;
    const tried = `password:${id}`;
    await tries.take(tried);
    const user = await credentials.userOf(id);
    if (typeof user?.password_hash !== 'string') throw new HatifError('PASSWORD_SSO_ONLY');
    if (!(await passwords.verify(user.password_hash, current))) throw new HatifError('INVALID_CURRENT_PASSWORD');
    passwords.assertAccepted(next, user);
    const hash = await passwords.hash(next);
    // Somebody else changed it meanwhile: what was given is no longer the current one.
    const change = { from: user.password_hash, to: hash, keptSession: sessionId };
    if (!(await credentials.setPassword(user, change, clock.now()))) {
      throw new HatifError('INVALID_CURRENT_PASSWORD');
    }
    onSessionChanged();
    await tries.giveBack(tried);
  }
}
