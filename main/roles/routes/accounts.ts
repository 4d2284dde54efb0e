import type { AccessTokens } from '../../../core/services/access/access-tokens.js';
import type { RateLimiter } from '../../../core/services/access/rate-limit.js';
import type { Route } from '../../../api/http/route.js';
import { nationalIdRoutes } from '../../../api/routes/accounts/national-id.js';
import { productionRequestRoutes } from '../../../api/routes/accounts/production-requests.js';
import { sessionRoutes } from '../../../api/routes/accounts/sessions.js';
import { openAccounts } from '../../wiring/accounts.js';
import { openProductionAccess } from '../../wiring/production-access.js';
import { openCredentials } from '../../wiring/credentials.js';
import { isSignupOpen } from '../../../config/read-settings.js';
import { credentialRoutes } from './credentials.js';
import type { RouteOptions } from './options.js';
import { openSingleSignOnRoutes } from './single-sign-on.js';
import { openSignupRoutes } from './signup.js';

/** Routes for the people of organizations. */
export function openAccountRoutes(
  options: RouteOptions,
  parts: {
    readonly rateLimiter: RateLimiter;
    readonly accessTokens: AccessTokens;
    readonly publicUrl: () => string;
    readonly clearCaches: () => void;
  },
): Route[] {
  const accounts = openAccounts({ ...options, ...parts });
  const { documents } = options.management.numbering;
  const credentials = openCredentials({
    ...options,
    ...parts,
    db: options.stores.db,
    accounts,
    onSessionChanged: () => parts.accessTokens.clearCache(),
  });
  return [
    ...openSignupRoutes(options, { accounts, publicUrl: parts.publicUrl, isOpen: isSignupOpen(options.settings) }),
    ...sessionRoutes(accounts),
    ...credentialRoutes(credentials, accounts.signIn),
    ...productionRequestRoutes(openProductionAccess({ ...options, documents })),
    ...openSingleSignOnRoutes({ ...options, ...parts, accounts }),
    ...nationalIdRoutes({ verifications: options.identities.verifications(parts.rateLimiter) }),
  ];
}
