import type { AccessTokens } from '../../../core/services/access/access-tokens.js';
import type { RateLimiter } from '../../../core/services/access/rate-limit.js';
import type { Route } from '../../../api/http/route.js';
import { sessionRoutes } from '../../../api/routes/accounts/sessions.js';
import { openAccounts } from '../../wiring/accounts.js';
import type { RouteOptions } from './options.js';

/** Routes for the people of organizations. */
export function openAccountRoutes(
  options: RouteOptions,
  parts: { readonly rateLimiter: RateLimiter; readonly accessTokens: AccessTokens },
): Route[] {
  const accounts = openAccounts({ ...options, ...parts });
  return [...sessionRoutes(accounts)];
}
