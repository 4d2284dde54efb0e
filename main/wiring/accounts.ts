import { argon2 } from '../../adapters/passwords/argon2.js';
import { zxcvbn } from '../../adapters/passwords/zxcvbn.js';
import { Credentials } from '../../core/data/repositories/accounts/credentials.js';
import { SsoDomains } from '../../core/data/repositories/single-sign-on/domains.js';
import { SecondFactors } from '../../core/data/repositories/accounts/second-factors.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import { domainOf } from '../../core/model/accounts/domains.js';
import type { Clock } from '../../core/ports/clock.js';
import type { AccessTokens } from '../../core/services/access/access-tokens.js';
import type { RateLimiter } from '../../core/services/access/rate-limit.js';
import { Passwords } from '../../core/services/accounts/passwords.js';
import { SecondFactor } from '../../core/services/accounts/second-factor.js';
import { SessionService } from '../../core/services/accounts/sessions.js';
import { SignIn } from '../../core/services/accounts/sign-in.js';
import { Tries } from '../../core/services/accounts/tries.js';
import type { Stores } from './stores.js';

export interface AccountsOptions {
  readonly stores: Pick<Stores, 'db' | 'organizations' | 'sessions' | 'users'>;
  readonly accessTokens: Pick<AccessTokens, 'clearCache'>;
  readonly rateLimiter: RateLimiter;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

/** How users sign in, and their sessions. */
export interface Accounts {
  readonly passwords: Passwords;
  readonly secondFactor: SecondFactor;
  readonly tries: Tries;
  readonly signIn: SignIn;
  readonly sessions: SessionService;
  /** Whether somebody with this address, in lower case, must sign in through an identity provider. */
  readonly isForced: (email: string) => Promise<boolean>;
}

/** Passwords of users and of administrators. */
export function openPasswords(): Passwords {
  return new Passwords({ hasher: argon2, strength: zxcvbn });
}

export function openAccounts({ stores, accessTokens, rateLimiter, cipher, clock }: AccountsOptions): Accounts {
  const { db, users, organizations } = stores;
  const sessions = new SessionService({
    db,
    sessions: stores.sessions,
    users,
    clock,
    onEnded: () => accessTokens.clearCache(),
  });
  const secondFactor = new SecondFactor({
    factors: new SecondFactors(db),
    credentials: new Credentials(db),
    cipher,
    clock,
  });
  const passwords = openPasswords();
  const tries = new Tries(rateLimiter);
  const usedFrom = (email: string, ip: string) => stores.sessions.usedFrom(email, ip);
  const isForced = forcedBy(new SsoDomains(db));
  const signIn = new SignIn({ users, organizations, sessions, usedFrom, isForced, passwords, secondFactor, tries });
  return { passwords, secondFactor, tries, sessions, signIn, isForced };
}

function forcedBy(domains: SsoDomains): Accounts['isForced'] {
  return async (email) => {
    const domain = domainOf(email);
    return domain !== null && (await domains.isForced(email, domain));
  };
}
