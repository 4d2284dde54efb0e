import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { Credentials } from '../../data/repositories/accounts/credentials.js';
import { detailOf, HatifError, type Phrase } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { InSession } from './in-session.js';
import type { PasskeySignIn } from './passkey-sign-in.js';
import type { Passwords } from './passwords.js';
import type { SecondFactor } from './second-factor.js';
import type { Tries } from './tries.js';

const VALID_MS = 5 * 60_000;

const RECENT: Phrase = {
  en: 'a confirmation of your identity in the last 5 minutes (POST /v1/sessions/confirm)',
  ar: 'تأكيد هويتك خلال آخر 5 دقائق (`POST /v1/sessions/confirm`)',
};
const WRONG_PASSWORD: Phrase = { en: 'is wrong', ar: 'غير صحيحة' };
const WRONG_CODE: Phrase = {
  en: 'is required, and must be a code that was not used before',
  ar: 'مطلوب، ويجب أن يكون رمزًا لم يُستخدم من قبل',
};

/** What proves that the person at the session is its user. */
export type Proof =
  | { readonly password: string | null; readonly totp: string | null }
  | { readonly credential: AuthenticationResponseJSON };

export interface ConfirmationOptions {
  readonly credentials: Credentials;
  readonly passwords: Passwords;
  readonly factor: SecondFactor;
  readonly passkeys: PasskeySignIn;
  readonly tries: Tries;
  readonly clock: Clock;
  /** Called after a session was proved or has ended, so that this process sees it at once. */
  readonly onSessionChanged: () => void;
}

/** Sensitive acts need more than a session, which may be stolen: its user proves again who it is. */
export class Confirmation {
  constructor(private readonly options: ConfirmationOptions) {}

  /** @throws HatifError INSUFFICIENT_PERMISSIONS unless the session was confirmed less than five minutes ago. */
  async require({ sessionId }: InSession): Promise<void> {
    const { credentials, clock } = this.options;
    const proof = await credentials.proofOf(sessionId);
    if (isRecent(proof?.confirmed_at ?? null, clock.now())) return;
    throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: RECENT });
  }

  /**
   * Confirms the session with what signing in would ask for: password and second factor, or a passkey.
   * @returns until when it counts
   * @throws HatifError INVALID_CREDENTIALS, PASSWORD_SSO_ONLY, RATE_LIMIT_EXCEEDED.
   */
  async confirm(user: InSession, proof: Proof): Promise<{ readonly until: Date }> {
    const { credentials, tries, clock, onSessionChanged } = this.options;
    const tried = `confirm:${user.id}`;
    await tries.take(tried);
    const withSecondFactor =
      'credential' in proof ? await this.#byPasskey(user, proof.credential) : await this.#byPassword(user, proof);
    const now = clock.now();
    await credentials.prove(user.sessionId, now, withSecondFactor);
    onSessionChanged();
    await tries.giveBack(tried);
    return { until: new Date(now.getTime() + VALID_MS) };
  }

  async #byPasskey({ id }: InSession, credential: AuthenticationResponseJSON): Promise<true> {
    const userId = await this.options.passkeys.verify(credential);
    if (userId !== id) throw new HatifError('INVALID_CREDENTIALS');
    return true;
  }

  async #byPassword(
    { id }: InSession,
    { password, totp }: { readonly password: string | null; readonly totp: string | null },
  ): Promise<boolean> {
    const { credentials, passwords, factor } = this.options;
    const hash = (await credentials.userOf(id))?.password_hash ?? null;
    const needsCode = await factor.isRequired({ id });
    if (hash === null && !needsCode) throw new HatifError('PASSWORD_SSO_ONLY');
    if (hash !== null && !(await passwords.verify(hash, password ?? ''))) throw wrong('password', WRONG_PASSWORD);
    if (needsCode && !(await factor.verify({ id }, totp ?? ''))) throw wrong('totp', WRONG_CODE);
    return needsCode;
  }
}

/** Whether a confirmation of this time still counts. */
export function isRecent(confirmedAt: Date | null, now: Date): boolean {
  return confirmedAt !== null && now.getTime() - confirmedAt.getTime() < VALID_MS;
}

function wrong(path: string, problem: Phrase): HatifError<'INVALID_CREDENTIALS'> {
  return new HatifError('INVALID_CREDENTIALS', {}, { details: [detailOf(path, problem)] });
}
