import type { Database } from '../../data/database.js';
import type { AdministratorTokens } from '../../data/repositories/accounts/administrator-tokens.js';
import type { AdministratorTable } from '../../data/repositories/accounts/administrators.js';
import type { AdministratorRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Passwords } from '../accounts/passwords.js';
import type { Tries } from '../accounts/tries.js';
import type { SignedInAdministrator } from './signed-in.js';

export interface OwnPasswordOptions {
  readonly db: Database;
  readonly table: AdministratorTable;
  readonly tokens: AdministratorTokens;
  readonly passwords: Passwords;
  readonly tries: Tries;
  readonly clock: Clock;
}

/** The password of a signed-in administrator: as a proof, and how it is changed. */
export class OwnPassword {
  constructor(private readonly options: OwnPasswordOptions) {}

  /**
   * Checks the password again. A session may be stolen: it must not serve to guess the password.
   * @throws HatifError ADMIN_INVALID_CREDENTIALS; RATE_LIMIT_EXCEEDED after ten wrong ones in 15 minutes
   */
  async prove(id: string, password: string): Promise<AdministratorRow> {
    const { table, passwords, tries } = this.options;
    const tried = `administrator-password:${id}`;
    await tries.take(tried);
    const row = await table.get(id);
    if (!row || !(await passwords.verify(row.password_hash, password))) {
      throw new HatifError('ADMIN_INVALID_CREDENTIALS');
    }
    await tries.giveBack(tried);
    return row;
  }

  /**
   * Changes the password, and ends all other sessions of the administrator. Tokens for scripts stay.
   * @throws HatifError as {@link prove}; PASSWORD_VALIDATION_FAILED
   */
  async change(
    { id, tokenId }: Pick<SignedInAdministrator, 'id' | 'tokenId'>,
    current: string,
    next: string,
  ): Promise<void> {
    const { db, table, tokens, passwords, clock } = this.options;
    const row = await this.prove(id, current);
    passwords.assertAccepted(next, row);
    const hash = await passwords.hash(next);
    await db.transaction(async (tx) => {
      // Somebody else changed it meanwhile: what was given is no longer the current one.
      if (!(await table.setPassword(id, row.password_hash, hash, tx)))
        throw new HatifError('ADMIN_INVALID_CREDENTIALS');
      await tokens.revokeSessions(id, tokenId, clock.now(), tx);
    });
  }
}
