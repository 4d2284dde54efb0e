import type { Queryable } from '../../data/database.js';
import type { Credentials } from '../../data/repositories/accounts/credentials.js';
import type { SecondFactors } from '../../data/repositories/accounts/second-factors.js';
import type { Cipher } from '../../model/access/cipher.js';
import { newRecoveryCodes, readRecoveryCode } from '../../model/access/recovery-codes.js';
import { readTotpCode, totpStep } from '../../model/access/totp.js';
import type { Clock } from '../../ports/clock.js';

export interface SecondFactorOptions {
  readonly factors: SecondFactors;
  readonly credentials: Credentials;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

interface User {
  readonly id: string;
}

/** What a user gives beside the password: the code of an authenticator app, or a recovery code. */
export class SecondFactor {
  constructor(private readonly options: SecondFactorOptions) {}

  /** Whether the password alone does not sign the user in. */
  async isRequired({ id }: User): Promise<boolean> {
    const totp = await this.options.factors.totpOf(id);
    return totp?.secret != null;
  }

  /** Uses a code: whether it is right and was not used before. The caller limits the tries. */
  async verify(user: User, code: string): Promise<boolean> {
    const digits = readTotpCode(code);
    return digits === null ? this.#useRecoveryCode(user, code) : this.#useTotp(user, digits);
  }

  /** New recovery codes, in place of all earlier ones. @returns null if the user has no authenticator app */
  async renewRecoveryCodes(tx: Queryable, { id }: User, at: Date): Promise<readonly string[] | null> {
    const codes = newRecoveryCodes();
    const hashes = codes.map((code) => this.#hashOf(id, code));
    return (await this.options.factors.replaceRecoveryCodes(tx, id, hashes, at)) ? codes : null;
  }

  async #useTotp({ id }: User, digits: string): Promise<boolean> {
    const { factors, cipher, clock } = this.options;
    const sealed = (await factors.totpOf(id))?.secret ?? null;
    if (sealed === null) return false;
    const step = totpStep(cipher.open(sealed), digits, clock.now());
    return step !== null && (await factors.useStep(id, sealed, step));
  }

  async #useRecoveryCode({ id }: User, text: string): Promise<boolean> {
    const { factors, credentials, clock } = this.options;
    const code = readRecoveryCode(text);
    if (code === null) return false;
    const now = clock.now();
    return credentials.transaction(async (tx) => {
      if (!(await factors.useRecoveryCode(tx, id, this.#hashOf(id, code), now))) return false;
      await credentials.reportSecondFactor(tx, id, 'recovery_code_used', now);
      return true;
    });
  }

  #hashOf(userId: string, code: string): string {
    return this.options.cipher.mac('code', `recovery:${userId}:${code}`);
  }
}
