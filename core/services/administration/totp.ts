import type { AdministratorTable } from '../../data/repositories/accounts/administrators.js';
import type { AdministratorRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { invalidField } from '../../model/errors/index.js';
import { newTotpSecret, readTotpCode, totpStep, totpUri } from '../../model/access/totp.js';
import type { Clock } from '../../ports/clock.js';
import type { OwnPassword } from './own-password.js';

export interface AdministratorTotpOptions {
  readonly table: AdministratorTable;
  readonly ownPassword: Pick<OwnPassword, 'prove'>;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

/** A new secret for an authenticator application; it counts once a code confirmed it. */
export interface OfferedTotp {
  readonly secret: string;
  /** For a QR code. */
  readonly uri: string;
}

const ISSUER = 'Hatif administration';

/** The second factor of administrators: codes of an authenticator application (RFC 6238). */
export class AdministratorTotp {
  constructor(private readonly options: AdministratorTotpOptions) {}

  /**
   * Makes a new secret. A second factor that is set stays in force until the new one is confirmed.
   * @throws HatifError ADMIN_INVALID_CREDENTIALS for a wrong password; RATE_LIMIT_EXCEEDED
   */
  async offer(administratorId: string, password: string): Promise<OfferedTotp> {
    const row = await this.options.ownPassword.prove(administratorId, password);
    const secret = newTotpSecret();
    await this.options.table.offerTotp(row.id, this.options.cipher.seal(secret));
    return { secret, uri: totpUri(secret, ISSUER, row.email) };
  }

  /**
   * Puts the offered secret in force. @throws HatifError VALIDATION_ERROR if the code is not of that secret, or none was
   * offered
   */
  async confirm(administratorId: string, code: string): Promise<void> {
    const { table } = this.options;
    const row = await table.get(administratorId);
    const offered = row?.totp_offered ?? null;
    const step = this.#stepOf(offered, code);
    if (offered !== null && step !== null && (await table.confirmTotp(administratorId, offered, step))) return;
    throw invalidField('code', {
      en: 'is not a code of the secret that was offered last',
      ar: 'ليس رمزًا صادرًا من آخر مفتاح سري معروض',
    });
  }

  /** @throws HatifError ADMIN_INVALID_CREDENTIALS for a wrong password; RATE_LIMIT_EXCEEDED */
  async remove(administratorId: string, password: string): Promise<void> {
    const { ownPassword, table } = this.options;
    const row = await ownPassword.prove(administratorId, password);
    await table.removeTotp(row.id);
  }

  /** Whether the code is right. Each works once. */
  async verify({ id, totp_secret }: AdministratorRow, code: string): Promise<boolean> {
    const step = this.#stepOf(totp_secret, code);
    return step !== null && this.options.table.useTotpStep(id, step);
  }

  #stepOf(sealed: string | null, code: string): number | null {
    const { cipher, clock } = this.options;
    const digits = readTotpCode(code);
    return sealed === null || digits === null ? null : totpStep(cipher.open(sealed), digits, clock.now());
  }
}
