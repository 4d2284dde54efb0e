import type { Credentials } from '../../data/repositories/accounts/credentials.js';
import type { SecondFactors } from '../../data/repositories/accounts/second-factors.js';
import type { Cipher } from '../../model/access/cipher.js';
import { newTotpSecret, readTotpCode, totpStep, totpUri } from '../../model/access/totp.js';
import { HatifError, invalidField, type Phrase } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Confirmation } from './confirmation.js';
import type { InSession } from './in-session.js';
import type { SecondFactor } from './second-factor.js';
import type { Tries } from './tries.js';

const ISSUER = 'Hatif';
const SETUP_MS = 15 * 60_000;

const NOT_BEGUN: Phrase = {
  en: 'an authenticator app whose set-up began in the last 15 minutes',
  ar: 'تطبيق مصادقة بدأ إعداده خلال آخر 15 دقيقة',
};
const NO_APP: Phrase = { en: 'an authenticator app of this user', ar: 'تطبيق مصادقة لهذا المستخدم' };
const WRONG_CODE: Phrase = {
  en: 'is not the code that the app shows now',
  ar: 'ليس الرمز الذي يعرضه التطبيق الآن',
};

export interface TotpSetupOptions {
  readonly factors: SecondFactors;
  readonly factor: SecondFactor;
  readonly credentials: Credentials;
  readonly confirmation: Confirmation;
  readonly tries: Tries;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Called after a session was proved or has ended, so that this process sees it at once. */
  readonly onSessionChanged: () => void;
}

/** Sets up and removes a user's authenticator app, and renews the recovery codes. */
export class TotpSetup {
  constructor(private readonly options: TotpSetupOptions) {}

  /** A new secret; the one in use stays until the new one is confirmed. */
  async begin(
    user: InSession & { readonly email: string },
  ): Promise<{ readonly secret: string; readonly uri: string }> {
    const { factors, confirmation, cipher, clock } = this.options;
    await confirmation.require(user);
    const secret = newTotpSecret();
    await factors.beginTotp(user.id, cipher.seal(secret), clock.now());
    return { secret, uri: totpUri(secret, ISSUER, user.email) };
  }

  /**
   * Takes the new secret into use if the app shows its code.
   * @returns new recovery codes if the user has none left, otherwise null
   * @throws HatifError NOT_FOUND, VALIDATION_ERROR, RATE_LIMIT_EXCEEDED.
   */
  async confirm({ id, sessionId }: InSession, code: string): Promise<readonly string[] | null> {
    const { factors, factor, credentials, tries, cipher, clock, onSessionChanged } = this.options;
    await tries.take(`totp:${id}`);
    const now = clock.now();
    const totp = await factors.totpOf(id);
    const begunMs = totp?.pending_at?.getTime() ?? -Infinity;
    if (totp?.pending == null || now.getTime() - begunMs > SETUP_MS) throw notFound(NOT_BEGUN);
    const { pending } = totp;
    const digits = readTotpCode(code);
    const step = digits === null ? null : totpStep(cipher.open(pending), digits, now);
    if (step === null) throw invalidField('code', WRONG_CODE);
    const made = await credentials.transaction(async (tx) => {
      if (!(await factors.confirmTotp(tx, id, pending, step, now))) throw notFound(NOT_BEGUN);
      const hasCodes = (await factors.unusedRecoveryCodes(id, tx)) > 0;
      const codes = hasCodes ? null : await factor.renewRecoveryCodes(tx, { id }, now);
      await credentials.prove(sessionId, now, true, tx);
      await credentials.reportSecondFactor(tx, id, 'totp_added', now);
      return codes;
    });
    onSessionChanged();
    return made;
  }

  /** Removes the app and the recovery codes. @throws HatifError NOT_FOUND. */
  async remove(user: InSession): Promise<void> {
    const { factors, credentials, confirmation, clock } = this.options;
    await confirmation.require(user);
    const now = clock.now();
    await credentials.transaction(async (tx) => {
      if (!(await factors.removeTotp(tx, user.id))) throw notFound(NO_APP);
      await credentials.reportSecondFactor(tx, user.id, 'totp_removed', now);
    });
  }

  /** New recovery codes; the earlier ones stop working. @throws HatifError NOT_FOUND. */
  async renewRecoveryCodes(user: InSession): Promise<readonly string[]> {
    const { factor, credentials, confirmation, clock } = this.options;
    await confirmation.require(user);
    const now = clock.now();
    return credentials.transaction(async (tx) => {
      const codes = await factor.renewRecoveryCodes(tx, user, now);
      if (codes === null) throw notFound(NO_APP);
      await credentials.reportSecondFactor(tx, user.id, 'recovery_codes_renewed', now);
      return codes;
    });
  }
}

function notFound(what: Phrase): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', { what });
}
