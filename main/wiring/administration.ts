import type { Database } from '../../core/data/database.js';
import { AdministratorTokens } from '../../core/data/repositories/accounts/administrator-tokens.js';
import { AdministratorTable } from '../../core/data/repositories/accounts/administrators.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import type { Clock } from '../../core/ports/clock.js';
import type { RateLimiter } from '../../core/services/access/rate-limit.js';
import type { Passwords } from '../../core/services/accounts/passwords.js';
import { Tries } from '../../core/services/accounts/tries.js';
import { Administrators } from '../../core/services/administration/administrators.js';
import { OwnPassword } from '../../core/services/administration/own-password.js';
import { ScriptTokens } from '../../core/services/administration/script-tokens.js';
import { AdministratorSessions } from '../../core/services/administration/sessions.js';
import { AdministratorTotp } from '../../core/services/administration/totp.js';
import { VerifyAudit } from '../../core/services/audit/verify.js';
import { openPasswords } from './accounts.js';

export interface AdministrationOptions {
  readonly db: Database;
  readonly cipher: Cipher;
  /** Counts the tries to sign in. */
  readonly rateLimiter: RateLimiter;
  readonly clock: Clock;
}

/** The administrators of the installation, and the audit log. */
export interface Administration {
  readonly administrators: Administrators;
  readonly sessions: AdministratorSessions;
  readonly ownPassword: OwnPassword;
  readonly totp: AdministratorTotp;
  readonly tokens: AdministratorTokens;
  readonly scriptTokens: ScriptTokens;
  readonly passwords: Passwords;
  readonly audit: VerifyAudit;
}

export function openAdministration({ db, cipher, rateLimiter, clock }: AdministrationOptions): Administration {
  const table = new AdministratorTable(db);
  const tokens = new AdministratorTokens(db);
  const passwords = openPasswords();
  const tries = new Tries(rateLimiter);
  const ownPassword = new OwnPassword({ db, table, tokens, passwords, tries, clock });
  const totp = new AdministratorTotp({ table, ownPassword, cipher, clock });
  const sessions = new AdministratorSessions({ table, tokens, passwords, totp, tries, clock });
  return {
    administrators: new Administrators({ table, sessions, passwords, cipher, clock }),
    sessions,
    ownPassword,
    totp,
    tokens,
    passwords,
    scriptTokens: new ScriptTokens({ table, tokens, clock }),
    audit: new VerifyAudit({ db, cipher }),
  };
}
