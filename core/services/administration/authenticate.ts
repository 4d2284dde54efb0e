import type { AdministratorTokens } from '../../data/repositories/accounts/administrator-tokens.js';
import type { AdministratorTokenRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { hashSecret } from '../../model/access/secrets.js';
import { isToken } from '../../model/access/tokens.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { bearerIn, invalidKey } from '../access/invalid-key.js';
import type { SignedInAdministrator } from './signed-in.js';

export interface AdministratorGateOptions {
  readonly tokens: AdministratorTokens;
  /** Rejects unless the header carries a key that works: its holder learns that keys are not enough. */
  readonly keys: { authenticate(authorization: string | undefined, ip: string): Promise<unknown> };
  readonly clock: Clock;
  readonly logger: Logger;
}

const IDLE_MS = 30 * 60_000;
const TOUCH_MS = 60_000;

/** Admits administrators to their routes, by the token of a session or of a script. */
export class AdministratorGate {
  constructor(private readonly options: AdministratorGateOptions) {}

  /**
   * @param isOnThisMachine whether the request came from the machine of this process
   * @throws HatifError INVALID_API_KEY without a token, INSUFFICIENT_PERMISSIONS for an API key that works,
   * ADMIN_UNAUTHORIZED for everything else that is no valid token of an administrator; DatabaseUnavailable
   */
  async authenticate(
    authorization: string | undefined,
    ip: string,
    isOnThisMachine: boolean,
  ): Promise<SignedInAdministrator> {
    if (authorization === undefined) throw invalidKey('missing');
    const text = bearerIn(authorization) ?? '';
    if (!isToken('administrator', text)) throw await this.#refusalOf(authorization, ip);
    const found = await this.options.tokens.findByHash(hashSecret(text));
    const now = this.options.clock.now();
    if (found?.administrator.disabled_at !== null || !isAlive(found.token, now)) {
      throw new HatifError('ADMIN_UNAUTHORIZED');
    }
    const { token, administrator } = found;
    await this.#touch(token, now);
    const { id, email, name, totp_secret } = administrator;
    const isSession = token.kind === 'session';
    return {
      id,
      email,
      name,
      tokenId: token.id,
      // A script token was made on the machine itself, or by an administrator who was admitted here.
      needsSecondFactor: isSession && totp_secret === null && !isOnThisMachine,
    };
  }

  async #refusalOf(authorization: string, ip: string): Promise<HatifError> {
    try {
      await this.options.keys.authenticate(authorization, ip);
    } catch (error) {
      if (!(error instanceof HatifError)) throw error;
      return new HatifError('ADMIN_UNAUTHORIZED', {}, { cause: error });
    }
    return new HatifError('INSUFFICIENT_PERMISSIONS', {
      permission: { en: 'administration of the installation', ar: 'إدارة المنصة' },
    });
  }

  async #touch({ id, last_used_at }: AdministratorTokenRow, now: Date): Promise<void> {
    if (now.getTime() - last_used_at.getTime() < TOUCH_MS) return;
    await this.options.tokens.touch(id, now).catch((error: unknown) => {
      this.options.logger.warn({ err: error, token_id: id }, 'failed to record the last use of an administrator token');
    });
  }
}

function isAlive({ kind, revoked_at, expires_at, last_used_at }: AdministratorTokenRow, now: Date): boolean {
  if (revoked_at !== null || (expires_at !== null && expires_at <= now)) return false;
  return kind === 'script' || now.getTime() - last_used_at.getTime() < IDLE_MS;
}
