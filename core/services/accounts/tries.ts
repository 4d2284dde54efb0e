import { hashSecret } from '../../model/access/secrets.js';
import { takeOrRefuse, type RateLimiter } from '../access/rate-limit.js';

const MOST = 10;
const WINDOW_SECONDS = 15 * 60;

/** Bounds how often a secret can be guessed, and how often mails can be asked for. */
export class Tries {
  constructor(private readonly limiter: RateLimiter) {}

  /**
   * Counts one try.
   * @throws HatifError RATE_LIMIT_EXCEEDED after `most` tries within the window: by default ten in a quarter of an hour
   */
  async take(subject: string, most = MOST, windowSeconds = WINDOW_SECONDS): Promise<void> {
    await takeOrRefuse(this.limiter, `tries:${subject}`, most, windowSeconds);
  }

  /**
   * Counts a sign-in, of an address of the network and for an account. An address from which the person has worked has a
   * count of its own for the account: strangers who use up the tries of everybody else do not lock the person out.
   * @param email in lower case
   * @returns to be called when the sign-in succeeds: only what fails counts @throws HatifError RATE_LIMIT_EXCEEDED
   */
  async takeSignIn(
    kind: 'sign-in' | 'administrator',
    { email, ip, hasWorkedFrom }: { readonly email: string; readonly ip: string; readonly hasWorkedFrom: boolean },
  ): Promise<() => Promise<void>> {
    const account = `${kind}:account:${hashSecret(email)}`;
    const subjects = [`${kind}:address:${ip}`, hasWorkedFrom ? `${account}:${ip}` : account];
    for (const subject of subjects) await this.take(subject);
    return async () => {
      await Promise.all(subjects.map((subject) => this.giveBack(subject)));
    };
  }

  /** Does not count the newest try after all: it succeeded. */
  async giveBack(subject: string, windowSeconds = WINDOW_SECONDS): Promise<void> {
    await this.limiter.giveBack(`tries:${subject}`, windowSeconds);
  }
}
