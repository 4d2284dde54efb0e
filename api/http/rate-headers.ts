import type { Response } from 'express';
import { assertAllowed, type Allowance } from '../../core/services/access/rate-limit.js';

/**
 * Sends the remaining allowance of a limit: `X-RateLimit-*`, and the pair of headers of the IETF draft
 * (draft-ietf-httpapi-ratelimit-headers-10) under the limit's name.
 * @throws HatifError RATE_LIMIT_EXCEEDED if the limit is used up.
 */
export function applyAllowance(res: Response, name: 'address' | 'key' | 'user' | 'route', allowance: Allowance): void {
  const { limit, remaining, resetSeconds, windowSeconds } = allowance;
  res.setHeader('X-RateLimit-Limit', limit);
  res.setHeader('X-RateLimit-Remaining', remaining);
  res.setHeader('X-RateLimit-Reset', resetSeconds);
  res.setHeader('RateLimit-Policy', `"${name}";q=${limit};w=${windowSeconds}`);
  res.setHeader('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`);
  assertAllowed(allowance);
}
