import { AdministratorTable } from '../../../core/data/repositories/accounts/administrators.js';
import { AdministratorTokens } from '../../../core/data/repositories/accounts/administrator-tokens.js';
import type { Database } from '../../../core/data/database.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { ScriptTokens } from '../../../core/services/administration/script-tokens.js';

/** Adds an administrator of the installation who cannot sign in. @returns a token for scripts */
export async function addAdministrator(db: Database): Promise<string> {
  const table = new AdministratorTable(db);
  const id = newId();
  const email = `${id}@operator.example`;
  await table.create({
    ...{ id, email, name: 'Noura', password_hash: '', disabled_at: null, last_sign_in_at: null },
    ...{ totp_secret: null, totp_offered: null, totp_step: null, created_at: new Date() },
  });
  const tokens = new ScriptTokens({ table, tokens: new AdministratorTokens(db), clock: systemClock });
  return (await tokens.create({ email, name: 'test', expiresAt: null })).token;
}
